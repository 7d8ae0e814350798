"""A rule's page, for documentation (Markdown) and for a terminal (plain text)."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from toolreplay.wire.model import Wire

from .catalogue import AnyRule, all_rules
from .finding import Profile
from .wording import sample

WIDTH = 88
_PROFILES = (
    "Severity by profile: `messages` is the first-party Messages API, `gateway` strict and look-alike "
    "endpoints, `converse` Bedrock Converse. A finding may differ from its rule where the page says so."
)
_APIS = {Wire.MESSAGES: "The Messages API", Wire.CONVERSE: "Bedrock Converse"}
_ABOUT = {
    "1": "Pairing",
    "2": "Blocks",
    "3": "Results and text",
    "4": "Messages",
    "5": "Request",
    "6": "Runs",
    "9": "Recordings",
}


def render_markdown(rule: AnyRule) -> str:
    """The page of a rule as Markdown, ending in a newline."""
    pieces = [f"# {rule.code} {rule.name}", rule.what, _severity_table(rule)]
    if rule.page["More"]:
        pieces.append(_one_line(rule.page["More"]))
    pieces.append(f"**Why**: {_one_line(rule.page['Why'])}")
    answers = list(_answers(rule))
    if answers:
        pieces.append("## What the API answers")
        pieces += [f"{api}:\n\n```text\n" + "\n".join(words) + "\n```" for api, words in answers]
    pieces.append(f"**Fix**: {rule.fix}")
    for title in ("Good", "Bad"):
        pieces.append(f"## {title}\n\n```yaml\n{rule.page[title]}\n```")
    pieces.append(f"## Evidence\n\n{rule.evidence}")
    return "\n\n".join(pieces) + "\n"


def render_text(rule: AnyRule) -> str:
    """The page of a rule as plain text, its prose wrapped for a terminal, ending in a newline."""
    levels = ", ".join(f"{profile} {_severity(rule, profile)}" for profile in Profile)
    pieces = [f"{rule.code} {rule.name}\n{_wrapped(rule.what)}", f"Severity: {levels}"]
    if rule.page["More"]:
        pieces.append(_wrapped(rule.page["More"]))
    pieces.append(_wrapped(f"Why: {rule.page['Why']}"))
    for api, words in _answers(rule):
        lines = "\n".join(textwrap.indent(_wrapped(line), "    ") for line in words)
        pieces.append(f"{api} answers:\n{lines}")
    pieces.append(_wrapped(f"Fix: {rule.fix}"))
    pieces += [f"{title}:\n{textwrap.indent(rule.page[title], '    ')}" for title in ("Good", "Bad")]
    pieces.append(_wrapped(f"Evidence: {rule.evidence}"))
    return "\n\n".join(pieces) + "\n"


def render_index(rules: Iterable[AnyRule]) -> str:
    """The list of rules as Markdown, a table for each family, in the order of the codes."""
    families: dict[str, list[AnyRule]] = {}
    for rule in sorted(rules, key=lambda rule: rule.code):
        families.setdefault(_family(rule.code), []).append(rule)
    pieces = [
        "# Rules",
        _PROFILES,
    ]
    for family, members in families.items():
        head = "| code | name | messages | gateway | converse | what |\n|---|---|---|---|---|---|"
        rows = "\n".join(_index_row(rule) for rule in members)
        pieces.append(f"## {family}\n\n{head}\n{rows}")
    return "\n\n".join(pieces) + "\n"


def pages() -> dict[str, str]:
    """Every file of docs/rules by its name: a page for each rule, and the index."""
    rules = all_rules()
    files = {f"{code}.md": render_markdown(rule) for code, rule in rules.items()}
    return {"index.md": render_index(rules.values()), **files}


def _severity_table(rule: AnyRule) -> str:
    rows = "\n".join(f"| {profile} | {_severity(rule, profile)} |" for profile in Profile)
    return f"| profile | severity |\n|---|---|\n{rows}"


def _severity(rule: AnyRule, profile: Profile) -> str:
    severity = rule.severities.get(profile)
    return "does not apply" if severity is None else severity.value


def _index_row(rule: AnyRule) -> str:
    levels = " | ".join(rule.severities.get(profile, "-") for profile in Profile)
    return f"| [{rule.code}]({rule.code}.md) | {rule.name} | {levels} | {rule.what} |"


def _family(code: str) -> str:
    return _ABOUT.get(code[2:3], "Other")


def _answers(rule: AnyRule) -> Iterator[tuple[str, list[str]]]:
    for wire, templates in rule.answers.items():
        yield _APIS[wire], [sample(template) for template in templates]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _wrapped(text: str) -> str:
    return textwrap.fill(_one_line(text), WIDTH, break_long_words=False, break_on_hyphens=False)
