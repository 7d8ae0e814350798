"""`make docs`: write what is generated from code, the rule pages and the JSON Schema of scenario files.

It works on this repository and is no command of `toolreplay`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from toolreplay.contract.page import pages
from toolreplay.files.atomic import write_text
from toolreplay.scenario.schema import schema_text

from . import USAGE_ERROR

RULES: Final = "docs/rules"
SCHEMA: Final = "schema/scenario.json"


def generated() -> dict[str, str]:
    """The text of every generated file, by its path from the repository's root."""
    return {**{f"{RULES}/{name}": text for name, text in pages().items()}, SCHEMA: schema_text()}


def outdated(root: Path) -> list[str]:
    """The generated files that are missing or differ, and pages of rules that are gone, sorted."""
    wanted = generated()
    written = {path.relative_to(root).as_posix() for path in (root / RULES).glob("*.md")}
    differing = {path for path, text in wanted.items() if _text(root / path) != text}
    return sorted(differing | (written - wanted.keys()))


def generate(root: Path) -> list[str]:
    """Write what is out of date and remove the pages of rules that are gone; the paths, sorted."""
    wanted = generated()
    changed = outdated(root)
    for path in changed:
        if path in wanted:
            write_text(root / path, wanted[path])
        else:
            (root / path).unlink()
    return changed


def main(arguments: Sequence[str] | None = None, root: Path | None = None) -> int:
    """Bring the repository in the current folder up to date; with `--check` only tell, 1 if it is not."""
    summary = "Write the rule pages and the JSON Schema of scenario files."
    parser = argparse.ArgumentParser(prog="python -m toolreplay.cli.generate", description=summary)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    options = parser.parse_args(arguments)
    here = root or Path.cwd()
    if not (here / RULES).is_dir():
        print(f"{here}: there is no {RULES} here; run it in the repository of toolreplay", file=sys.stderr)
        return USAGE_ERROR
    if options.check:
        paths = outdated(here)
        for path in paths:
            print(f"{path}: out of date; write it again with: make docs")
        return 1 if paths else 0
    for path in generate(here):
        print(f"{path}: written")
    return 0


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main())
