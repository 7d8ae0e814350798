"""A fault as a scenario file that fails in the same way under `toolreplay run`, and passes once the loop is mended."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from itertools import count
from typing import Final

from toolreplay.errors import RecordingError
from toolreplay.files.atomic import write_text
from toolreplay.files.project import Project
from toolreplay.runner.loops import Target, is_importable
from toolreplay.runner.replay import shown_path
from toolreplay.scenario.writing import scenario_text, schema_beside

from .faults import ENDLESS, THE_PROCESS
from .known import folder_of
from .result import Found, Result

_DIGITS: Final = 8
_PATIENCE: Final = 10  # seconds, as long as the fuzzer itself waits before it says that a loop does not end


@dataclass(frozen=True)
class Written:
    """A regression's file.

    Attributes:
        path: as messages show it.
        named: whether it names the loop; else whoever plays it has to.
    """

    path: str
    named: bool


def write_regressions(result: Result, project: Project) -> dict[str, Written]:
    """Write a file for each fault that was found, unless it is there; gives them by the faults' kinds.

    Left out are a loop that ends its process, since whoever played the file would go with it, and what does not show
    when it is played again, or not under `toolreplay run`.

    Raises:
        RecordingError: a file cannot be written.
    """
    kept = (found for found in result.found if found.replays and found.fault.where != THE_PROCESS)
    return {found.fault.kind: _write(found, result.target, project) for found in kept}


def _write(found: Found, target: Target, project: Project) -> Written:
    folder = folder_of(project)
    fields = {**found.case.document, "name": f"{found.fault.code} {found.fault.name}"}
    named = target.is_reference or is_importable(target, project.root)
    if named and not target.is_reference:
        fields["loop"] = target.name
    if found.fault.code == ENDLESS:
        fields["time_limit"] = _PATIENCE
    # The name is that of what is played: another wording of the message is no other fault.
    digest = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:_DIGITS]
    path = folder / f"{digest}.yaml"
    comments = (f"Found by fuzzing {target.name}: {found.fault.message}",)
    text = scenario_text(fields, schema_beside(path, project.root), comments)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # A file of the name that says something else was changed by somebody, and stays.
        others = (folder / f"{digest}-{number}.yaml" for number in count(2))
        while path.exists() and path.read_bytes() != text.encode():
            path = next(others)
        if not path.exists():
            write_text(path, text)
    except OSError as error:
        raise RecordingError(f"{shown_path(path, project)}: cannot be written: {error.strerror or error}") from None
    return Written(shown_path(path, project), named)
