"""Whether a project has anything to do with toolreplay, asked before anything is imported that costs time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_KEY = pytest.StashKey[bool]()


def is_configured(config: pytest.Config) -> bool:
    """Whether the ini option is set, or a pyproject.toml from pytest's root upwards names toolreplay at all.

    The plugin is loaded in projects that have nothing to do with it: there no TOML is parsed, and none that
    is broken, a template for instance, is complained about.
    """
    found = config.stash.get(_KEY, None)
    if found is None:
        found = bool(config.getini("toolreplay_scenarios")) or _is_named(config.rootpath)
        config.stash[_KEY] = found
    return found


def _is_named(root: Path) -> bool:
    for folder in (root, *root.parents):
        try:
            text = (folder / "pyproject.toml").read_bytes()
        except OSError:
            continue
        if b"toolreplay" in text:
            return True
    return False
