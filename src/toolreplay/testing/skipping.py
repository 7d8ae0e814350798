"""Telling a test that was skipped from within from one that failed."""

from __future__ import annotations

import sys
from typing import Final

_SKIPS: Final = (("_pytest.outcomes", "Skipped"), ("unittest.case", "SkipTest"))


def is_skip(error: BaseException) -> bool:
    """Whether an exception skips the test: pytest's, which need not be installed here, or unittest's."""
    # What raises such an exception has loaded its module.
    kinds = (getattr(sys.modules.get(module), name, None) for module, name in _SKIPS)
    return any(isinstance(kind, type) and isinstance(error, kind) for kind in kinds)
