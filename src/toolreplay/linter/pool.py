"""Sharing tasks among processes, with the results in the order of the tasks and few of them waiting."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final, TypeVar

from toolreplay.errors import ToolreplayError

Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD: Final = 8
"""Tasks for each process that are given out ahead: so many results may wait for the oldest one."""


def in_order(judge: Callable[[Task], Result], tasks: Iterable[Task], jobs: int) -> Iterator[Result]:
    """The results of a function that can be pickled, run in processes.

    Raises:
        ToolreplayError: a process died, of a lack of memory for one.
    """
    # A fresh interpreter: a copy of this one would hold its threads' locks (a progress bar has a thread).
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for task in tasks:
                waiting.append(pool.submit(judge, task))
                if len(waiting) >= jobs * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise ToolreplayError(
                "a process that checked files died, perhaps for lack of memory; check again with --jobs 1"
            ) from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
