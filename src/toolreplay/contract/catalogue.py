"""The catalogue: every rule is a pure function, registered with its code, its severities and its evidence.

A rule's docstring is its page. Its first line says what the rule is about; then `Why:`, `Fix:` (one
sentence, which findings repeat), `Good:` and `Bad:` (YAML of a request, or of a run for TR6xx) follow, each
on a line of its own. Rules are sorted by what they look at, so that the checker hands each its own view and
no rule searches the whole conversation: a `Message` once, a `Step` (a turn at its end), the `Toolset`, the
request as a whole with the `Tally` of its messages, a `Sequel` (a request and the one before it), a reply
with its request (`Answered`), the `RunFacts` of a whole run, or a `Leak` of a recording. A rule that needs a
second view has a second judge (`also`).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Generic, TypeAlias, TypeVar

from toolreplay.wire.model import Message, Wire

from .facts import RunFacts
from .finding import Broken, Finding, Profile, Severity
from .leak import Leak
from .sequel import Answered, Sequel
from .tally import Tally
from .toolset import Toolset
from .turns import Context, Step

View = TypeVar("View")

Answers: TypeAlias = Mapping[Wire, Sequence[str]]

_LETTERS = {"E": Severity.ERROR, "W": Severity.WARNING, "I": Severity.INFO}
_SECTIONS = re.compile(r"^(Why|Fix|Good|Bad):[ \t]*", re.MULTILINE)


@dataclass(frozen=True)
class Rule(Generic[View]):
    """A registered rule.

    Attributes:
        severities: per profile; a profile that is not a key is not judged.
        evidence: what the severity rests on: where the API's refusal was seen, or a document.
        answers: the API's own words per wire, as templates of `wording`; empty where none are known.
        alone: whether the rule can be judged on a request whose history was not seen: what it finds there, it
            would find with the history too.
        about: the kinds of block that it needs to find anything; it is not asked of a view without one of them.
            Empty for a rule that is asked always.
    """

    code: str
    name: str
    severities: Mapping[Profile, Severity]
    evidence: str
    judge: Callable[[View, Context], Iterable[Broken]]
    page: Mapping[str, str] = field(default_factory=dict)
    answers: Answers = field(default_factory=dict)
    alone: bool = False
    about: frozenset[type] = frozenset()

    @cached_property
    def what(self) -> str:
        """The first line of the page."""
        return self.page["What"]

    @cached_property
    def fix(self) -> str:
        """What to do, in one line."""
        return " ".join(self.page["Fix"].split())

    def finding(self, broken: Broken, severity: Severity) -> Finding:
        """What the judge saw, with the rule's code, name, severity and fix."""
        return Finding(
            code=self.code,
            name=self.name,
            severity=broken.severity or severity,
            path=broken.path,
            message=broken.message,
            fix=broken.fix or self.fix,
            api=broken.api,
        )


AnyRule: TypeAlias = (
    Rule[Message]
    | Rule[Step]
    | Rule[Toolset]
    | Rule[Tally]
    | Rule[Sequel]
    | Rule[Answered]
    | Rule[RunFacts]
    | Rule[Leak]
)
Judge = Callable[[View, Context], Iterable[Broken]]


class Rules(Generic[View]):
    """The rules that look at one kind of view.

    Args:
        kinds: the kinds of block that a view holds.
    """

    def __init__(self, kinds: Callable[[View], frozenset[type]] = lambda _: frozenset()) -> None:
        self._kinds = kinds
        self._all: list[Rule[View]] = []
        self._applying: dict[tuple[str, frozenset[type]], tuple[tuple[Judge[View], Rule[View], Severity], ...]] = {}

    def __iter__(self) -> Iterator[Rule[View]]:
        return iter(self._all)

    def add(self, rule: Rule[View]) -> None:
        """Register a rule."""
        self._all.append(rule)
        self._applying.clear()

    def judge(self, view: View, context: Context) -> list[Finding]:
        """What the rules that apply to the profile find in a view. The hot path of all checking."""
        key = (context.profile.value, self._kinds(view))  # an enum's own hash is computed in Python
        applying = self._applying.get(key)
        if applying is None:
            _fill()
            applying = self._applying[key] = self._chosen(context.profile, key[1])
        return [rule.finding(broken, severity) for judge, rule, severity in applying for broken in judge(view, context)]

    def _chosen(self, profile: Profile, kinds: frozenset[type]) -> tuple[tuple[Judge[View], Rule[View], Severity], ...]:
        in_order = sorted(self._all, key=lambda rule: rule.code)
        asked = [rule for rule in in_order if not rule.about or rule.about & kinds]
        found = ((rule, rule.severities.get(profile)) for rule in asked)
        return tuple((rule.judge, rule, severity) for rule, severity in found if severity is not None)


def _of_message(message: Message) -> frozenset[type]:
    return frozenset(map(type, message.blocks))


def _of_step(step: Step) -> frozenset[type]:
    kinds = frozenset(map(type, step.turn.blocks))
    return kinds.union(*map(_of_message, step.between)) if step.between else kinds


MESSAGE_RULES: Final = Rules[Message](_of_message)
STEP_RULES: Final = Rules[Step](_of_step)
TOOL_RULES: Final = Rules[Toolset]()
REQUEST_RULES: Final = Rules[Tally]()
SEQUEL_RULES: Final = Rules[Sequel]()
REPLY_RULES: Final = Rules[Answered]()
RUN_RULES: Final = Rules[RunFacts]()
LEAK_RULES: Final = Rules[Leak]()


def on_message(
    code: str,
    name: str,
    severities: str,
    *,
    evidence: str,
    answers: Answers | None = None,
    alone: bool = False,
    about: Iterable[type] = (),
) -> Callable[[Judge[Message]], Judge[Message]]:
    """Register a rule about one message.

    Args:
        severities: a letter for messages, gateway, converse: `EE-`.
        alone, about: see `Rule`.
    """
    return _register(MESSAGE_RULES, code, name, severities, evidence, answers, alone=alone, about=about)


def on_step(
    code: str,
    name: str,
    severities: str,
    *,
    evidence: str,
    answers: Answers | None = None,
    alone: bool = False,
    about: Iterable[type] = (),
) -> Callable[[Judge[Step]], Judge[Step]]:
    """Register a rule about a turn at its end and the turn before it.

    Args:
        about: kinds of block of the turn, or of the system messages before it; see `Rule`.
    """
    return _register(STEP_RULES, code, name, severities, evidence, answers, alone=alone, about=about)


def on_tools(
    code: str, name: str, severities: str, *, evidence: str, answers: Answers | None = None, alone: bool = False
) -> Callable[[Judge[Toolset]], Judge[Toolset]]:
    """Register a rule about the tool definitions; requests that offer the same tools are judged once."""
    return _register(TOOL_RULES, code, name, severities, evidence, answers, alone=alone)


def on_request(
    code: str, name: str, severities: str, *, evidence: str, answers: Answers | None = None, alone: bool = False
) -> Callable[[Judge[Tally]], Judge[Tally]]:
    """Register a rule about the request as a whole: parameters, and what its messages add up to."""
    return _register(REQUEST_RULES, code, name, severities, evidence, answers, alone=alone)


def on_sequel(
    code: str, name: str, severities: str, *, evidence: str, answers: Answers | None = None
) -> Callable[[Judge[Sequel]], Judge[Sequel]]:
    """Register a rule about a request and what it goes on from."""
    return _register(SEQUEL_RULES, code, name, severities, evidence, answers)


def on_reply(
    code: str, name: str, severities: str, *, evidence: str, answers: Answers | None = None
) -> Callable[[Judge[Answered]], Judge[Answered]]:
    """Register a rule about a reply."""
    return _register(REPLY_RULES, code, name, severities, evidence, answers)


def on_run(
    code: str, name: str, severities: str, *, evidence: str, answers: Answers | None = None
) -> Callable[[Judge[RunFacts]], Judge[RunFacts]]:
    """Register a rule about a whole run: replies, what the tools really did, and what was sent."""
    return _register(RUN_RULES, code, name, severities, evidence, answers)


def on_leak(
    code: str, name: str, severities: str, *, evidence: str, answers: Answers | None = None
) -> Callable[[Judge[Leak]], Judge[Leak]]:
    """Register a rule about a credential that a recording holds."""
    return _register(LEAK_RULES, code, name, severities, evidence, answers)


def also(rules: Rules[View], code: str, *, about: Iterable[type] = ()) -> Callable[[Judge[View]], Judge[View]]:
    """Give a registered rule a further judge, which looks at another view."""

    def register(judge: Judge[View]) -> Judge[View]:
        known = _registered()[code]
        rules.add(
            Rule(
                code,
                known.name,
                known.severities,
                known.evidence,
                judge,
                known.page,
                known.answers,
                known.alone,
                frozenset(about),
            )
        )
        return judge

    return register


def all_rules() -> dict[str, AnyRule]:
    """Every rule by its code, in the order of the codes."""
    _fill()
    return _registered()


def _fill() -> None:
    """Import the rules, which register themselves: here, so that no caller has to remember it.

    Not at the top, since each of them imports this module.
    """
    from . import rules  # noqa: F401


def _registered() -> dict[str, AnyRule]:
    rules: tuple[AnyRule, ...] = (
        *MESSAGE_RULES,
        *STEP_RULES,
        *TOOL_RULES,
        *REQUEST_RULES,
        *SEQUEL_RULES,
        *REPLY_RULES,
        *RUN_RULES,
        *LEAK_RULES,
    )
    return {rule.code: rule for rule in sorted(rules, key=lambda rule: rule.code)}


def _register(
    rules: Rules[View],
    code: str,
    name: str,
    severities: str,
    evidence: str,
    answers: Answers | None,
    *,
    alone: bool = False,
    about: Iterable[type] = (),
) -> Callable[[Judge[View]], Judge[View]]:
    def register(judge: Judge[View]) -> Judge[View]:
        levels = {
            profile: _LETTERS[letter] for profile, letter in zip(Profile, severities, strict=True) if letter != "-"
        }
        page = _page(judge.__doc__ or "")
        rules.add(Rule(code, name, levels, evidence, judge, page, answers or {}, alone, frozenset(about)))
        return judge

    return register


def _page(docstring: str) -> dict[str, str]:
    first, _, rest = docstring.partition("\n")
    pieces = _SECTIONS.split(textwrap.dedent(rest))
    page = {"What": first.strip(), "More": pieces[0].strip()}
    page.update(
        (title, textwrap.dedent(text).strip("\n")) for title, text in zip(pieces[1::2], pieces[2::2], strict=True)
    )
    return page
