"""Whether a project has anything to do with toolreplay, asked before anything is imported that costs time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def is_configured(config: pytest.Config) -> bool:
    """Whether the ini option is set, or a pyproject.toml from pytest's root upwards names toolreplay at all.

    The plugin is loaded in projects that have nothing to do with it: there no TOML is parsed, and none that
    is broken, a template for instance, is complained about.
    """
    if config.getini("toolreplay_scenarios"):
        return True
    for folder in (config.rootpath, *config.rootpath.parents):
        try:
            text = (folder / "pyproject.toml").read_bytes()
        except OSError:
            continue
        if b"toolreplay" in text:
            return True
    return False
