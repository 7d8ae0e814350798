"""`check`: the contract held against recordings, request bodies and logs. It runs and sends nothing."""

from __future__ import annotations

from .check import check_file, check_paths, check_text
from .result import FileResult, Located, Report, Unreadable

__all__ = ["FileResult", "Located", "Report", "Unreadable", "check_file", "check_paths", "check_text"]
