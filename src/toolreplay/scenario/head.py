"""Recognising a scenario file by its first lines, cheaply enough to ask of every YAML file of a project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_HEAD: Final = 65_536  # bytes: tool schemas may stand between `version` and `conversation`
_SCHEMA = re.compile(rb"^#\s*yaml-language-server:\s*\$schema=\S*\bscenario\.json\s*$", re.MULTILINE)
_VERSION = re.compile(rb"^version:[ \t]+1\s*(#.*)?$", re.MULTILINE)
_CONVERSATION = re.compile(rb"^conversation:", re.MULTILINE)


def looks_like_scenario(path: Path) -> bool:
    """Whether a file says that it is a scenario: our schema line, or `version: 1` and a `conversation`.

    Reads at most 64 KB; a file that cannot be read is none.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD).removeprefix(b"\xef\xbb\xbf")
    except OSError:
        return False
    return bool(_SCHEMA.search(head) or (_VERSION.search(head) and _CONVERSATION.search(head)))
