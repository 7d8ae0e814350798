"""`check` as JUnit XML, which every CI reads: a test case a file, which fails where there is an error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from xml.etree import ElementTree as ET

from toolreplay.contract.finding import Severity
from toolreplay.linter import FileResult, Located, Totals, Unreadable

from .check_report import notes, summary
from .lines import count
from .xml_text import xml_text

_OF_A_FILE: Final = 50
"""Findings of one file that are told."""

_DECLARATION: Final = "<?xml version='1.0' encoding='us-ascii'?>\n"


class JunitReport:
    """One test suite; plain ASCII, so that it can be printed anywhere."""

    keep: int | None = _OF_A_FILE

    def __init__(self) -> None:
        self._cases: list[str] = []
        self._failures = 0
        self._errors = 0
        self._file: str | None = None
        self._found: list[Located] = []
        self._unreadable: list[Unreadable] = []
        self._bad = 0

    def add(self, result: FileResult) -> None:
        """Take in the next result."""
        if result.skipped:
            return
        if result.file != self._file:
            self._end_file()
            self._file = result.file
        self._bad += sum(number for kind, number in result.counts.items() if kind.severity is Severity.ERROR)
        self._found += result.findings[: max(0, _OF_A_FILE - len(self._found))]
        self._unreadable += result.unreadable[: max(0, _OF_A_FILE - len(self._unreadable))]

    def render(self, totals: Totals) -> Iterator[str]:
        """The suite."""
        self._end_file()
        suite = ET.Element("testsuite", name="toolreplay check", tests=str(len(self._cases)))
        suite.set("failures", str(self._failures))
        suite.set("errors", str(self._errors))
        suite.set("skipped", "0")
        head = _xml(suite).removesuffix("/>").rstrip()
        yield f"{_DECLARATION}{head}>\n"
        yield from self._cases
        told = ET.Element("system-out")
        told.text = xml_text("\n".join((*notes(totals), summary(totals))))
        yield f"{_xml(told)}\n</testsuite>\n"

    def _end_file(self) -> None:
        if self._file is None:
            return
        case = ET.Element("testcase", classname="toolreplay.check", name=xml_text(self._file))
        errors = [one for one in self._found if one.finding.is_error]
        if self._bad:
            self._failures += 1
            codes = ", ".join(sorted({one.finding.code for one in errors}))
            _note(case, "failure", f"{count(self._bad, 'error')}: {codes}", map(_told, errors))
        elif self._unreadable:
            self._errors += 1
        if self._unreadable:
            lines = [f"{entry.file}:{entry.line}: {entry.reason}" for entry in self._unreadable]
            _note(case, "error", lines[0], lines)
        others = [_told(one) for one in self._found if not one.finding.is_error]
        if others:
            ET.SubElement(case, "system-out").text = xml_text("\n".join(others))
        self._cases.append(f"{_xml(case)}\n")
        self._found, self._unreadable, self._bad, self._file = [], [], 0, None


def _note(case: ET.Element, tag: str, message: str, lines: Iterable[str]) -> None:
    ET.SubElement(case, tag, message=xml_text(message)).text = xml_text("\n".join(lines))


def _told(located: Located) -> str:
    finding = located.finding
    where = f"{located.file}:{located.line}: exchange {located.exchange}"
    place = f"{where}, {finding.path}" if finding.path else where
    words = f"{finding.severity} {finding.code} {finding.name}: {finding.message}"
    return f"{place}: {words}\n    fix: {finding.fix}"


def _xml(element: ET.Element) -> str:
    text: bytes = ET.tostring(element, encoding="us-ascii")
    return text.decode("ascii").removeprefix(_DECLARATION)
