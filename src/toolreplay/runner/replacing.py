"""What a new cassette may replace: the scenario's own recording, and nothing else that happens to lie in its place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from toolreplay.cassette.reading import UnreadableError, load, parse_recording, read_bytes
from toolreplay.errors import CassetteError, ScenarioError, UsageError
from toolreplay.files.opening import is_there
from toolreplay.files.project import Project
from toolreplay.scenario.head import looks_like_scenario
from toolreplay.scenario.load import load_file
from toolreplay.scenario.model import Scenario

from .replay import cassette_of, shown_path

# A cassette as it begins a line, be it ever so damaged: half a merge is in it, or its end is lost.
_CASSETTE: Final = re.compile(rb"^(?:interactions|http_interactions|toolreplay):", re.MULTILINE)
_MOVE: Final = "move it away, a cassette is to be written there"
_SET: Final = "set cassettes in pyproject.toml to a folder of its own"


def refuse_place(path: Path, scenario: Scenario, project: Project) -> None:
    """Raise, before a model is asked, where the cassette of a scenario would replace what it must not.

    Raises:
        UsageError: what lies there is no recording, or that of another scenario, which would lose it.
        CassetteError: what lies there cannot be read: it is a folder, a pipe, somebody else's.
    """
    shown = shown_path(path, project)
    data = refuse_replacing(path, shown)
    file, loop = _recorded_by(data, shown)
    if not file or file == scenario.path:
        return
    try:
        others = load_file(project.root / file, project.root)
    except ScenarioError:  # most often it is gone: the scenario was renamed
        return
    for other in others:
        if not other.scripted and path in (cassette_of(other, project), cassette_of(other, project, loop)):
            raise UsageError(f"{shown}: is the cassette of {other.id} too; rename one of the scenario files")


def refuse_replacing(path: Path, shown: str) -> bytes:
    """Raise where a recording would replace something else; gives what it may replace.

    A damaged cassette may be replaced: to record again is what mends it. So may an empty file.

    Args:
        shown: how messages call the path.

    Raises:
        UsageError, CassetteError: as `refuse_place` does.
    """
    try:
        if not is_there(path):
            return b""  # what else is in the way is told by the writing
        data = read_bytes(path)
    except OSError as error:
        raise CassetteError(f"{shown}: cannot be read: {error.strerror}; mend the path or its permissions") from None
    except UnreadableError as error:
        raise CassetteError(f"{shown}: {error.reason}; {_MOVE}") from None
    if looks_like_scenario(path):
        raise UsageError(f"{shown}: is a scenario, and a cassette would replace it; {_SET}")
    if data and not _CASSETTE.search(data):
        try:
            parse_recording(data, shown)
        except CassetteError:
            what = "is no recording, and a cassette would replace it"
            raise UsageError(f"{shown}: {what}; move it, or {_SET}") from None
    return data


def _recorded_by(data: bytes, shown: str) -> tuple[str, str]:
    """The scenario file and the loop that a cassette of ours names at its top; empty where it names none."""
    top = data.partition(b"\ninteractions:")[0]
    try:
        loaded, _ = load(top, shown) if b"\ntoolreplay:" in top else ({}, {})
    except CassetteError:
        return "", ""
    head = loaded.get("toolreplay") if isinstance(loaded, dict) else None
    found = [head.get(name) if isinstance(head, dict) else None for name in ("scenario", "loop")]
    scenario, loop = (value if isinstance(value, str) else "" for value in found)
    return scenario.partition("::")[0], loop
