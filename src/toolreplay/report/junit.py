"""Runs as JUnit XML, which every CI reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from toolreplay.runner.run import Outcome, Run

from .run_text import details, headline
from .xml_text import xml_text

if TYPE_CHECKING:
    from collections.abc import Sequence

_TAGS: Final = {
    Outcome.FAIL: "failure",
    Outcome.STALE: "failure",
    Outcome.ERROR: "error",
    Outcome.SKIP: "skipped",
}


def runs_junit(runs: Sequence[Run]) -> str:
    """One testsuite with a testcase for each scenario; plain ASCII, so that it can be printed anywhere."""
    suite = ET.Element("testsuite", name="toolreplay", tests=str(len(runs)))
    suite.set("failures", str(sum(_TAGS.get(run.outcome) == "failure" for run in runs)))
    suite.set("errors", str(sum(run.outcome is Outcome.ERROR for run in runs)))
    suite.set("skipped", str(sum(run.outcome is Outcome.SKIP for run in runs)))
    suite.set("time", f"{sum(run.seconds for run in runs):.3f}")
    for run in runs:
        _add(suite, run)
    document: bytes = ET.tostring(suite, encoding="us-ascii", xml_declaration=True)
    return document.decode("ascii")


def _add(suite: ET.Element, run: Run) -> None:
    file, _, name = run.id.partition("::")
    case = ET.SubElement(suite, "testcase", classname=xml_text(file), name=xml_text(name), time=f"{run.seconds:.3f}")
    properties = ET.SubElement(case, "properties")
    numbers = {"requests": run.requests, "tool_calls": len(run.calls), "findings": len(run.findings)}
    for key, value in {"outcome": run.outcome, **numbers}.items():
        ET.SubElement(properties, "property", name=f"toolreplay_{key}", value=str(value))
    tag = _TAGS.get(run.outcome)
    if tag is not None:
        message = xml_text(f"{run.outcome}: {headline(run)}")
        ET.SubElement(case, tag, message=message).text = xml_text("\n".join(details(run)))
