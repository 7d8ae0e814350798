"""`check`: the contract held against recordings, request bodies and logs. It runs and sends nothing."""

from __future__ import annotations

from .check import check_file, check_files, check_paths, check_stream, check_text
from .judging import Options
from .result import FileResult, Kind, Located, Report, Totals, Unreadable

__all__ = [
    "FileResult",
    "Kind",
    "Located",
    "Options",
    "Report",
    "Totals",
    "Unreadable",
    "check_file",
    "check_files",
    "check_paths",
    "check_stream",
    "check_text",
]
