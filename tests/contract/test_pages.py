from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from toolreplay.contract.catalogue import (
    LEAK_RULES,
    MESSAGE_RULES,
    REPLY_RULES,
    REQUEST_RULES,
    RUN_RULES,
    SEQUEL_RULES,
    STEP_RULES,
    TOOL_RULES,
    AnyRule,
    all_rules,
)
from toolreplay.contract.entry import check, check_run
from toolreplay.contract.finding import Finding
from toolreplay.contract.page import pages, render_index, render_markdown, render_text
from toolreplay.linter import check_text

from .build import followed, run

DOCS = Path(__file__).resolve().parents[2] / "docs" / "rules"
RULES = list(all_rules().values())


def judged(example: str) -> list[Finding]:
    page: dict[str, Any] = yaml.safe_load(example)
    if "exchange" in page:
        report = check_text(json.dumps([page["exchange"]]).encode(), "a.json")
        return [located.finding for located in report.findings]
    if "calls" in page:
        return list(check_run(run(page)))
    if "reply" in page:
        return followed(page["request"], page["reply"], page.get("next"))
    return check(page, page.pop("wire", "messages"))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_good_example_is_clean_and_the_bad_one_breaks_this_rule_alone(rule: AnyRule) -> None:
    assert judged(rule.page["Good"]) == []
    assert {finding.code for finding in judged(rule.page["Bad"])} == {rule.code}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_page_says_everything(rule: AnyRule) -> None:
    assert set(rule.page) == {"What", "More", "Why", "Fix", "Good", "Bad"}
    assert rule.what.endswith(".")
    assert "\n" not in rule.fix
    assert rule.evidence
    for rendered in (render_markdown(rule), render_text(rule)):
        for piece in (rule.code, rule.name, rule.what, rule.fix.split()[0], *rule.page["Bad"].splitlines()):
            assert piece in rendered
        assert "{" + "at}" not in rendered


def test_codes_are_unique_and_names_are_kebab_case() -> None:
    views = (MESSAGE_RULES, STEP_RULES, TOOL_RULES, REQUEST_RULES, SEQUEL_RULES, REPLY_RULES, RUN_RULES, LEAK_RULES)
    for registered in views:
        per_view = [rule.code for rule in registered]
        assert len(set(per_view)) == len(per_view)
    named: set[tuple[str, str]] = {(rule.code, rule.name) for registered in views for rule in registered}
    codes = [code for code, _ in named]
    names = [name for _, name in named]
    assert len(set(codes)) == len(codes) == len(RULES)
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"TR[1-9]\d\d", code) for code in codes)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)+", name) for name in names)


def test_the_rules_of_this_version() -> None:
    families = {1: 10, 2: 9, 3: 10, 4: 12, 5: 9, 6: 14, 9: 2}
    codes = [f"TR{family}{number:02}" for family, last in families.items() for number in range(1, last + 1)]
    assert list(all_rules()) == codes


def test_the_index_lists_every_rule_with_its_severities() -> None:
    index = render_index(RULES)
    assert all(f"| [{rule.code}]({rule.code}.md) | {rule.name} |" in index for rule in RULES)
    assert (
        "| [TR105](TR105.md) | split-results | warning | error | error | "
        "The results of one turn are spread over several user messages. |"
    ) in index
    assert "| [TR107](TR107.md) | server-tool-answered | error | error | - |" in index


def test_docs_rules_is_what_the_rules_say() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in DOCS.iterdir()}
    assert written == pages(), "write docs/rules again: make docs"


def test_the_page_of_a_rule_as_text() -> None:
    assert render_text(all_rules()["TR611"]) == (
        """TR611 loop-endless
The loop asked for more turns than allowed, or did not end in its time.

Severity: messages error, gateway error, converse error

Why: every turn is paid for. A forced `tool_choice` that is kept on every request never
ends, nor does a loop that sends again what was just answered.

Fix: stop at a limit of your own and take a forced tool_choice off after the first turn;
raise `max_turns` where the work really needs more.

Good:
    calls:
      - {id: toolu_1, name: weather, tool: {returned: rain}, sent: {content: rain}}

Bad:
    calls:
      - {id: toolu_1, name: weather, tool: {returned: rain}, sent: {content: rain}}
    over_limit: 2

Evidence: docs: define-tools (a forced tool_choice asks for a tool every turn)
"""
    )
