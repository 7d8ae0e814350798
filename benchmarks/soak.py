"""Memory of a long search: `python -m benchmarks.soak [EXAMPLES ...]`, by default 1,000 and 10,000 examples.

Each search runs in a process of its own, since a process never tells how much less it needs later.
"""

from __future__ import annotations

import resource
import subprocess
import sys

from toolreplay.fuzzer.case import Case
from toolreplay.fuzzer.conversations import conversations
from toolreplay.fuzzer.document import plain_document
from toolreplay.fuzzer.engine import fuzz_cases
from toolreplay.fuzzer.ground import plain_ground
from toolreplay.fuzzer.playing import Player
from toolreplay.fuzzer.sweep import sweep
from toolreplay.loop import run
from toolreplay.runner.loops import REFERENCE, Target

EXAMPLES = (1_000, 10_000)


def search(examples: int) -> str:
    """One search with the reference loop, in this process."""
    ground = plain_ground()
    player = Player(Target(REFERENCE, run))
    plain = Case(plain_document(ground))
    result = fuzz_cases(player, conversations(ground), plain=plain, first=sweep(ground), max_examples=examples, seed=1)
    peaks = [resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    memory = f"peak memory {peaks[0]:.0f} MB, largest child {peaks[1]:.0f} MB"
    return f"{result.examples:>6} examples, {len(result.found)} faults: {memory}, {result.seconds:.0f} s"


def main() -> None:
    """Print a line for each search; with `--here N` run one in this process."""
    if sys.argv[1:2] == ["--here"]:
        print(search(int(sys.argv[2])))
        return
    for examples in map(int, sys.argv[1:] or EXAMPLES):
        command = [sys.executable, "-m", "benchmarks.soak", "--here", str(examples)]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout.rstrip(), flush=True)


if __name__ == "__main__":
    main()
