"""A fault as a scenario file that fails in the same way under `toolreplay run`, and passes once the loop is mended."""

from __future__ import annotations

import hashlib
from typing import Final

from toolreplay.errors import ToolreplayError
from toolreplay.files.atomic import write_text
from toolreplay.files.project import Project
from toolreplay.runner.loops import REFERENCE, Target, find_loop
from toolreplay.runner.replay import shown_path
from toolreplay.scenario.writing import scenario_text, schema_beside

from .engine import Found
from .known import folder_of

_DIGITS: Final = 8


def write_regression(found: Found, target: Target, project: Project) -> str:
    """Write the file of a fault, unless it is there already; gives its path as messages show it."""
    folder = folder_of(project)
    fields = {**found.case.document, "name": f"{found.fault.code} {found.fault.name}"}
    if target.name != REFERENCE and can_be_named(target, project):
        fields["loop"] = target.name
    comments = (f"Found by fuzzing {target.name}: {found.fault.message}",)
    schema = schema_beside(folder / "any.yaml", project.root)
    text = scenario_text(fields, schema, comments)
    path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}.yaml"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    return shown_path(path, project)


def can_be_named(target: Target, project: Project) -> bool:
    """Whether the loop can be found again by its name, by whoever plays the file."""
    try:
        return find_loop(target.name, project.root).function is target.function
    except ToolreplayError:
        return False
