"""The engine: Hypothesis draws cases, a loop plays them, and each kind of fault is shrunk to its smallest case."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, Final

from hypothesis import HealthCheck, Phase, Verbosity, currently_in_test_context, given, settings
from hypothesis import seed as seeded
from hypothesis.strategies import SearchStrategy

from toolreplay.errors import LoopError
from toolreplay.runner.clients import dummy_credentials
from toolreplay.runner.router import INTERCEPTOR

from .case import Case
from .document import plain_document
from .ground import plain_ground
from .known import Baseline
from .playing import Player, silence
from .result import Found, Known, Result
from .search import Broken, Search, Stopped
from .smallest import smallest
from .warming import warm_up
from .worker import Worker

_BATCH: Final = 1_000  # examples


def fuzz_cases(
    player: Player,
    cases: SearchStrategy[Case],
    *,
    plain: Case | None = None,
    first: Iterable[Case] = (),
    max_examples: int = 200,
    seed: int | None = None,
    ignored: Collection[str] = (),
    baseline: Baseline | None = None,
    key: str = "",
    watch: Callable[[int], None] | None = None,
) -> Result:
    """Play cases that are drawn, until there are enough or a fault is found and shrunk.

    Args:
        plain: the plainest case, by which the loop warms up; by default one on two small tools.
        first: cases that are played before any is drawn, as many as leave a third of the examples for those.
        ignored: codes of rules that stop nothing.
        baseline: what is known, and stops nothing either.
        key: what Hypothesis's database keeps failing examples under; with a seed nothing is kept.
        watch: is told how many examples were played so far.

    Raises:
        LoopError: the loop cannot be played.
    """
    started = time.perf_counter()
    plain = plain or Case(plain_document(plain_ground()))
    regressions: tuple[Known, ...] = ()
    told = baseline.told(player.target) if baseline is not None else frozenset()
    with dummy_credentials(), INTERCEPTOR.hold(), silence(), Worker(player) as worker:
        fatal = warm_up(player, plain)
        if fatal is None and baseline is not None:
            regressions = baseline.regressions(player)
        known = told.union(*(one.kinds for one in regressions))
        search = Search(worker, frozenset(ignored), known, watch)
        if fatal is None:
            seen = _seen(search, cases, islice(first, max_examples * 2 // 3), max_examples, seed, key)
            found = tuple(smallest(player, search, seen))
        else:
            found = (Found(fatal, plain),)
    return Result(
        target=player.target,
        found=found,
        regressions=tuple(one for one in regressions if not one.codes <= frozenset(ignored)),
        known=frozenset(fault.code for fault in search.met.values()),
        again=frozenset(fault.code for kind, fault in search.met.items() if kind in told and fault.code not in ignored),
        warnings=search.warnings,
        examples=search.examples,
        calls=search.calls,
        results=search.results,
        requests=search.requests,
        after_failure=search.after_failure,
        unplayed=search.unplayed,
        seconds=time.perf_counter() - started,
    )


def _seen(
    search: Search,
    cases: SearchStrategy[Case],
    first: Iterable[Case],
    max_examples: int,
    seed: int | None,
    key: str,
) -> tuple[Found, ...]:
    """The faults that show, each in a case as Hypothesis shrinks it."""
    try:
        found = list(search.sweep(first))
        for batch, count in enumerate(_batches(max_examples - search.examples)):
            # Each run draws otherwise, by its seed or, where a profile derandomizes, by its key.
            further = f" {batch}" if batch else ""
            run_seed = f"{seed}{further}" if seed is not None and further else seed
            drawn = _drawn(search, cases, count, run_seed, f"{key}{further}")
            found += drawn
            if drawn:
                break
        return tuple(found)
    except Stopped as stopped:
        raise LoopError(str(stopped)) from None


def _drawn(
    search: Search, cases: SearchStrategy[Case], count: int, seed: int | str | None, key: str
) -> tuple[Found, ...]:
    return _apart(lambda: _run(_example(search, cases, count, seed, key)))


def _batches(examples: int) -> Iterator[int]:
    """Hypothesis remembers every example of a run, some 20 kB each; a long search is several runs."""
    while examples > 0:
        yield min(examples, _BATCH)
        examples -= _BATCH


def _apart(look: Callable[[], tuple[Found, ...]]) -> tuple[Found, ...]:
    """Look, in a thread within a Hypothesis test of the user's own: Hypothesis would take ours for a part of it."""
    if not currently_in_test_context():
        return look()
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(look).result()


def _example(
    search: Search, cases: SearchStrategy[Case], max_examples: int, seed: int | str | None, key: str
) -> Callable[[], None]:
    """The test that Hypothesis runs."""
    database: dict[str, Any] = {} if seed is None else {"database": None}
    decorate: Callable[[Any], Any] = settings(
        max_examples=max_examples,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.reuse, Phase.generate, Phase.shrink],
        report_multiple_bugs=True,
        print_blob=False,
        verbosity=Verbosity.quiet,
        **database,
    )

    @decorate
    @given(case=cases)
    def example(case: Case) -> None:
        search.look_at(case)

    # Failing examples are kept by the text of the test function, which is the same for every scenario and loop.
    # Hypothesis's own pytest plugin tells parametrized tests apart in this way.
    vars(example.hypothesis.inner_test)["_hypothesis_internal_add_digest"] = key.encode()
    found: Callable[[], None] = seeded(seed)(example) if seed is not None else example
    return found


def _run(example: Callable[[], None]) -> tuple[Found, ...]:
    try:
        example()
    except Broken as broken:
        return (broken.found,)
    except BaseExceptionGroup as group:
        found, others = group.split(Broken)
        if others is not None:
            stops = _leaves(others, Stopped)
            raise (stops[0] if stops else others) from None
        return tuple(one.found for one in _leaves(found, Broken))
    return ()


def _leaves(group: BaseException | None, kind: type[Any]) -> list[Any]:
    if isinstance(group, BaseExceptionGroup):
        return [leaf for one in group.exceptions for leaf in _leaves(one, kind)]
    return [group] if isinstance(group, kind) else []
