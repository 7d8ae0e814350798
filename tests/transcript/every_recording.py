"""Draft a scenario from every recording of a tool loop in the corpus, and play it with the reference loop.

`python -m tests.transcript.every_recording` prints a line for each recording and the counts.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.contract.corpus import CORPUS, files
from toolreplay.cassette.reading import read_recording
from toolreplay.cassette.recording import Recording
from toolreplay.errors import ToolreplayError
from toolreplay.files.atomic import write_texts
from toolreplay.files.project import find_project
from toolreplay.runner.play import play_scenario
from toolreplay.runner.replay import cassette_of
from toolreplay.runner.router import INTERCEPTOR
from toolreplay.runner.run import Outcome, Run
from toolreplay.scenario.load import load_file, load_text
from toolreplay.scenario.writing import scenario_text
from toolreplay.transcript.draft import Draft, draft
from toolreplay.transcript.keeping import kept_text
from toolreplay.transcript.read import read_transcript


@dataclass(frozen=True)
class Played:
    """What came of a recording.

    Attributes:
        outcome: of the run; "REFUSED" where no scenario could be drafted.
        why: what went wrong; empty for a pass.
        whole: whether every turn of the conversation is played.
        notes: what the draft says of the recording.
    """

    file: str
    outcome: str
    why: str = ""
    whole: bool = False
    notes: tuple[str, ...] = ()


def loops() -> Iterator[Path]:
    """The recordings that hold a tool call and, in a later request, its result."""
    for path in files():
        try:
            transcript = read_transcript(path)
        except ToolreplayError:
            continue
        if any(call.result is not None for one in transcript.conversations for call in one.calls):
            yield path


def played(path: Path) -> Played:
    """Draft, write and play one recording, in a project of its own."""
    name = path.relative_to(CORPUS).as_posix()
    try:
        recording = read_recording(path)
        drafted = draft(recording, "drafted")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "pyproject.toml").write_text("[tool.toolreplay]\n")
            run = play_draft(recording, drafted, Path(folder))
    except ToolreplayError as error:
        return Played(name, "REFUSED", str(error).partition("\n")[0].removeprefix(f"{path}: "))
    failures = [failure.message for failure in run.failures]
    found = [f"{one.finding.code} {one.finding.message}" for one in run.findings if one.finding.is_error]
    why = "" if run.outcome is Outcome.PASS else "; ".join([*failures, *found])
    return Played(name, str(run.outcome), why, len(drafted.exchanges) == drafted.turns, drafted.notes)


def play_draft(recording: Recording, drafted: Draft, root: Path) -> Run:
    """Write a draft and its cassette into a project that has neither, as `toolreplay new` does, and play it."""
    project = find_project(root)
    file = root / "scenarios" / "drafted.yaml"
    text = scenario_text(drafted.fields, "../schema/scenario.json")
    [scenario] = load_text(text, "scenarios/drafted.yaml", root)
    cassette = cassette_of(scenario, project)
    kept = kept_text(recording, drafted, scenario, cassette)
    write_texts({file: text} if kept is None else {file: text, cassette: kept})
    return play_scenario(load_file(file, root)[0], project)


def main(words: Sequence[str]) -> int:
    """Print the table, of all recordings or of those whose path holds a word."""
    results = []
    with INTERCEPTOR.hold():
        for path in loops():
            if not words or any(word in str(path) for word in words):
                results.append(played(path))
                _print(f"{results[-1].outcome:8}{results[-1].file}")
                for line in filter(None, (results[-1].why, *results[-1].notes)):
                    _print(f"          {line}")
    whole = sum(one.outcome == "PASS" and one.whole for one in results)
    _print(f"\n{len(results)} recordings: {whole} play whole, {_counts([one.outcome for one in results])}")
    _print(_counts([_reason(line) for one in results for line in (one.why, *one.notes) if line], "\n"))
    return 0


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def _counts(words: Sequence[str], between: str = ", ") -> str:
    return between.join(f"{number} {word}" for word, number in Counter(words).most_common())


def _reason(line: str) -> str:
    return re.sub(r"\d+", "N", line)[:110]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
