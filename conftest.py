"""What every test of the project shares: pytester for the plugin's tests, and Hypothesis profiles."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ["pytester"]

settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")

# A CI that runs this in the background has its children ignore Ctrl-C; tests send it to processes that must not.
signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = Path(__file__).resolve().parent.parent / "shared"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put first what forks: a fork costs what the process holds by then, and others read hundreds of recordings."""
    items.sort(key=lambda item: "fuzz" not in item.path.as_posix())


@pytest.fixture
def shared() -> Path:
    """The material beside the repository: public recordings and cases, which are not part of it."""
    if not SHARED.is_dir():
        pytest.skip(f"{SHARED.name}/ (public recordings and cases) is not beside the repository")
    return SHARED
