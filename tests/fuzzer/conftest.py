from __future__ import annotations

from collections.abc import Iterator

import pytest

from toolreplay.runner.clients import dummy_credentials
from toolreplay.runner.router import INTERCEPTOR


@pytest.fixture(autouse=True, scope="package")
def _held() -> Iterator[None]:
    with dummy_credentials(), INTERCEPTOR.hold():
        yield
