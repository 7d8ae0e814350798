"""`toolreplay new`: write a scenario, an empty one or one drafted from a recording."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping
from pathlib import Path

from toolreplay.cassette.reading import read_recording
from toolreplay.errors import RecordingError, UsageError
from toolreplay.files.atomic import write_texts
from toolreplay.files.opening import is_there
from toolreplay.files.project import Project, find_project
from toolreplay.report.lines import count
from toolreplay.runner.replay import cassette_of, shown_path
from toolreplay.scenario.blank import blank_text
from toolreplay.scenario.head import looks_like_scenario
from toolreplay.scenario.load import load_text, path_in
from toolreplay.scenario.neighbours import SUFFIXES, shared_cassettes
from toolreplay.scenario.writing import scenario_text, schema_beside
from toolreplay.transcript.draft import Draft, draft
from toolreplay.transcript.keeping import kept_text
from toolreplay.wire.model import Wire


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("path", metavar="PATH", help="the scenario file to write, ending in .yaml or .yml")
    parser.add_argument("--from", dest="recording", metavar="CASSETTE", help="draft it from a recording")
    parser.add_argument(
        "--conversation",
        type=int,
        metavar="N",
        help="which conversation of the recording, from 1 (default: the longest with tools)",
    )
    parser.add_argument("--wire", choices=[wire.value for wire in Wire], help="the scenario's wire")
    parser.add_argument("--force", action="store_true", help="replace files that exist")


def call(options: argparse.Namespace) -> int:
    """Write the scenario, and with `--from` its cassette; nothing is written if one of the two cannot be."""
    if options.conversation is not None and options.recording is None:
        raise UsageError("--conversation chooses from a recording; name one with --from")
    project = find_project()
    path = _absolute(options.path)
    if path.suffix not in SUFFIXES:
        raise UsageError(f"{options.path}: a scenario file ends in .yaml or .yml; name it so")
    if os.path.lexists(path) and not options.force:
        raise UsageError(
            f"{shown_path(path, project)}: is there already; name another file, or replace it with --force"
        )
    if options.recording is None:
        wire = Wire(options.wire or Wire.MESSAGES)
        _write({path: blank_text(_name(path), schema_beside(path, project.root), wire)}, project)
        print(f"{shown_path(path, project)}: written; play it with: toolreplay run {shown_path(path, project)}")
        return 0
    return _from_recording(options, path, project)


def _from_recording(options: argparse.Namespace, path: Path, project: Project) -> int:
    given = Path(options.recording)
    recording = read_recording(given)
    if _is_same(path, given):
        raise UsageError(f"{shown_path(path, project)}: is the recording itself; name another file for the scenario")
    wire = None if options.wire is None else Wire(options.wire)
    drafted = draft(recording, _name(path), number=options.conversation, wire=wire)
    shown = shown_path(path, project)
    comment = f"Drafted from {given.name}, conversation {drafted.conversation}."
    text = scenario_text(drafted.fields, schema_beside(path, project.root), [comment])
    [scenario] = load_text(text, path_in(path, project.root), project.root)
    for problem in shared_cassettes(path, [scenario]):
        raise UsageError(problem)
    cassette = cassette_of(scenario, project)
    kept = shown_path(cassette, project)
    if cassette == path or looks_like_scenario(cassette):
        what = "would be the scenario and its cassette" if cassette == path else "is a scenario"
        raise UsageError(f"{kept}: {what}; set cassettes in pyproject.toml to a folder of its own")
    try:
        is_there(cassette)
    except OSError as error:
        raise RecordingError(f"{kept}: cannot be written: {error.strerror}; nothing was written") from None
    own = kept_text(recording, drafted, scenario, cassette, shown=kept, force=options.force, secrets=project.secrets)
    _write({path: text} if own is None else {path: text, cassette: own}, project)
    print(f"{shown}: written; {_summary(drafted)}")
    print(f"{kept}: {'is its cassette as it is' if own is None else 'written'}")
    for line in drafted.notes:
        print(f"      {line}")
    return 0


def _absolute(path: str) -> Path:
    """A path without `..`, its last part as it was given: a link that is replaced stays one."""
    given = Path(path)
    try:
        return given.parent.resolve() / given.name
    except (OSError, RuntimeError):
        return given.absolute()  # a circle of links, which the writing tells


def _is_same(path: Path, given: Path) -> bool:
    try:
        return path.samefile(given)
    except OSError:
        return False  # one of them is not there, or cannot be looked at


def _summary(drafted: Draft) -> str:
    steps = drafted.fields["conversation"]
    calls = sum(len(step["expect"]["tool_calls"]) for step in steps)
    counts = ((len(steps), "prompt"), (calls, "call"), (len(drafted.exchanges), "exchange"))
    words = ", ".join(count(number, word) for number, word in counts)
    return words if len(drafted.exchanges) == drafted.turns else f"{words} of {drafted.turns}"


def _name(path: Path) -> str:
    """A name for the scenario, from its file's: letters, digits and spaces."""
    return " ".join(re.findall(r"\w+", path.stem.replace("_", " "))) or "scenario"


def _write(texts: Mapping[Path, str], project: Project) -> None:
    try:
        write_texts(texts)
    except OSError as error:
        where = shown_path(Path(error.filename), project)
        raise RecordingError(f"{where}: cannot be written: {error.strerror}; nothing was written") from None
