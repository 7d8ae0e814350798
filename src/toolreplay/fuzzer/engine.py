"""The search: Hypothesis draws cases, a loop plays them, and each kind of fault is shrunk to its smallest case."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.strategies import SearchStrategy

from toolreplay.contract.finding import Severity
from toolreplay.errors import LoopError
from toolreplay.runner.clients import dummy_credentials
from toolreplay.runner.loops import Target
from toolreplay.runner.router import INTERCEPTOR

from .case import Case
from .conversations import plain_document
from .faults import Fault
from .known import Known
from .playing import Played, Player
from .table import Row
from .tidy import tidy

_OF_THE_MODEL: Final = frozenset({"TR205", "TR206"})  # calls that the model side was made to ask for
_MOST_HANGS: Final = 8  # each costs its deadline, and shrinking would ask for hundreds


@dataclass(frozen=True)
class Found:
    """A fault, the smallest case that shows it, and the calls of that case."""

    fault: Fault
    case: Case
    rows: tuple[Row, ...] = ()


@dataclass
class Result:
    """What came of fuzzing one loop on one scenario.

    Attributes:
        found: the faults, one for each rule.
        known: codes that were met and are known already.
        warnings: how often each rule was broken that is a warning.
        examples: cases that were played, those of shrinking counted.
        calls: calls the model asked for; `results` are those whose result was seen on the wire.
        after_failure: cases in which the model side went on after an injected failure as if nothing had happened.
        target: the loop.
        regressions: faults that were found before and are in the project still.
    """

    found: tuple[Found, ...] = ()
    known: frozenset[str] = frozenset()
    warnings: Counter[str] = field(default_factory=Counter)
    examples: int = 0
    calls: int = 0
    results: int = 0
    requests: int = 0
    after_failure: int = 0
    seconds: float = 0.0
    target: Target | None = None
    regressions: tuple[Known, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the loop has faults, new or known."""
        return bool(self.found or self.regressions)

    @property
    def checked(self) -> bool:
        """Whether tool calls were seen on the wire at all: a loop that flattens them to text was not checked."""
        return self.results > 0 or bool(self.found)


class _Broken(Exception):
    """An example that shows a fault. Each rule has a class of its own, by which Hypothesis tells faults apart."""

    def __init__(self, found: Found) -> None:
        super().__init__(found.fault.message)
        self.found = found


class _Stopped(Exception):
    """The harness cannot play the case at all."""


def fuzz_cases(
    player: Player,
    cases: SearchStrategy[Case],
    *,
    max_examples: int = 200,
    seed: int | None = None,
    known: Collection[str] = (),
    key: str = "",
) -> Result:
    """Play cases that are drawn, until there are enough or a fault is found and shrunk.

    Args:
        known: codes of rules that are known to be broken and stop nothing.
        key: what Hypothesis's database keeps failing examples under; with a seed nothing is kept.
    """
    search = _Search(player, frozenset(known))
    wanted: dict[str, Any] = {} if seed is None else {"database": None}
    decorate: Callable[[Any], Any] = settings(
        max_examples=max_examples,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.target, Phase.shrink],
        report_multiple_bugs=True,
        print_blob=False,
        verbosity=_quiet(),
        **wanted,
    )

    @decorate
    @given(case=cases)
    def example(case: Case) -> None:
        search.look_at(case)

    # Failing examples are kept by the text of the test function, which is the same for every scenario and loop.
    # Hypothesis's own pytest plugin tells parametrized tests apart in this way.
    vars(example.hypothesis.inner_test)["_hypothesis_internal_add_digest"] = key.encode()
    started = time.perf_counter()
    with dummy_credentials(), INTERCEPTOR.hold():
        search.warm_up()
        found = _run(seeded(seed)(example) if seed is not None else example)
        tidied = (replace(one, case=tidy(one.case, one.fault.code, search.play)) for one in found)
        search.result.found = tuple(search.in_full(one) for one in tidied if search.confirms(one))
    search.result.known = frozenset(search.met)
    search.result.seconds = time.perf_counter() - started
    return search.result


class _Search:
    def __init__(self, player: Player, known: frozenset[str]) -> None:
        self.result = Result()
        self.met: set[str] = set()
        self._player = player
        self._known = known
        self._hung: dict[str, Played] = {}

    def warm_up(self) -> None:
        """Play the plainest conversation without a limit: what the loop imports and builds once takes its time."""
        self._player.unlimited().here(Case({**plain_document(), "name": "warm-up"}))

    def confirms(self, found: Found) -> bool:
        """Whether a loop that did not end in time does not end in much more time either."""
        return found.case.key not in self._hung or self._player.patient().play(found.case).hung

    def in_full(self, found: Found) -> Found:
        """The fault as the smallest case shows it, with that case's calls."""
        played = replace(self._player, in_full=True).play(found.case)
        fault = next((one for one in played.faults if one.code == found.fault.code), found.fault)
        return replace(found, fault=fault, rows=played.rows)

    def look_at(self, case: Case) -> None:
        """Play a case and count it; raise what it shows."""
        played = self.play(case)
        result = self.result
        result.calls += played.calls
        result.results += played.results
        result.requests += played.requests
        result.after_failure += any("raise" in entry or "garbage" in entry for entry in case.entries())
        if played.trouble is not None:
            raise _Stopped(played.trouble)
        result.warnings.update(one.code for one in played.faults if _warns(one, case))
        for fault in played.faults:
            if not _counts(fault, case):
                continue
            if fault.code in self._known:
                self.met.add(fault.code)
                continue
            raise _broken(fault.code)(Found(fault, case))

    def play(self, case: Case) -> Played:
        """Play a case. One that hung is not played again, and after a few no further risky one is."""
        key = case.key if case.risky or self._hung else ""
        if key in self._hung:
            return self._hung[key]
        if case.risky and len(self._hung) >= _MOST_HANGS:
            return Played()
        self.result.examples += 1
        played = self._player.play(case)
        if played.hung:
            self._hung[case.key] = played
        return played


def _warns(fault: Fault, case: Case) -> bool:
    return fault.code not in _OF_THE_MODEL and (fault.severity is Severity.WARNING or (case.hostile and fault.is_error))


def _counts(fault: Fault, case: Case) -> bool:
    return fault.is_error and not case.hostile


def _run(example: Callable[[], None]) -> tuple[Found, ...]:
    try:
        example()
    except _Broken as broken:
        return (broken.found,)
    except BaseExceptionGroup as group:
        found, others = group.split(_Broken)
        if others is not None:
            raise others from None
        return tuple(one.found for one in _leaves(found))
    except _Stopped as stopped:
        raise LoopError(str(stopped)) from None
    return ()


def _leaves(group: Any) -> list[_Broken]:
    if isinstance(group, BaseExceptionGroup):
        return [leaf for one in group.exceptions for leaf in _leaves(one)]
    return [group] if isinstance(group, _Broken) else []


@cache
def _broken(code: str) -> type[_Broken]:
    return type(f"Broken{code}", (_Broken,), {})


def _quiet() -> Any:
    from hypothesis import Verbosity

    return Verbosity.quiet
