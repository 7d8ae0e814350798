"""`toolreplay check`: check recordings, request bodies and logs that exist."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from toolreplay import __version__
from toolreplay.contract.finding import Profile
from toolreplay.errors import UsageError
from toolreplay.files.atomic import write_text
from toolreplay.files.project import Project, find_project
from toolreplay.linter import FileResult, Options, Totals, check_files, check_stream
from toolreplay.linter.baseline import Baseline, Fingerprint, baseline_text, gather, read_baseline
from toolreplay.linter.files import Target, distinct, expand, find, is_pattern
from toolreplay.linter.selection import selection
from toolreplay.report.check_github import GithubReport
from toolreplay.report.check_json import JsonReport
from toolreplay.report.check_junit import JunitReport
from toolreplay.report.check_progress import with_progress
from toolreplay.report.check_report import CheckReport, summary
from toolreplay.report.check_sarif import SarifReport
from toolreplay.report.check_text import TextReport
from toolreplay.wire.model import Wire

_STDIN: Final = "-"
_FORMATS: Final = ("text", "json", "sarif", "github", "junit")
_FOUND, _NOT_CHECKED = 1, 3
_NO_FILE: Final = (-1, -1)
_OWN_INPUT: Final = "it is one of the files to check; name another"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="files, folders, quoted patterns (**); - for standard input")
    add("--format", choices=_FORMATS, default="text", help="default: text")
    add("--output", metavar="FILE", type=Path, help="write the report to a file, a summary to the terminal")
    add("--statistics", action="store_true", help="text: count the findings of each rule, show none")
    add("--select", metavar="RULES", action="append", help="only these: codes, their beginnings (TR1), names")
    add("--ignore", metavar="RULES", action="append", help="not these; the longer beginning wins")
    add("--profile", choices=[str(one) for one in Profile], help="whose contract (default: by the wire)")
    add("--wire", choices=[str(one) for one in Wire], help="of request bodies whose shape does not tell")
    add("--baseline", metavar="FILE", type=Path, help="known findings, which do not fail")
    add("--write-baseline", metavar="FILE", type=Path, help="write what is found as known, and do not fail")
    add("--jobs", metavar="N", default="1", help="processes (default: 1), or auto for one a core")
    add("--orphans", action="store_true", help="list the cassettes that no scenario plays: [SCENARIOS CASSETTES]")
    add("--skip-unrelated", action="store_true", help="pass over named files that hold no request (for hooks)")


def call(options: argparse.Namespace) -> int:
    """Check and print the report; 1 if there is a new error finding, 3 if something could not be checked."""
    project = find_project()
    if options.orphans:
        from .orphans import call_orphans  # which loads the SDK's room; checking does not need it

        return call_orphans(options, project)
    _refuse_baseline(options, project)
    report = _report(options)
    results, size = _results(options, _settings(options, project, report.keep))
    found: Counter[Fingerprint] = Counter()
    if options.write_baseline is not None:
        results = gather(results, options.write_baseline.parent, found)
    baseline = _baseline(options, project)
    if baseline is not None:
        results = baseline.take_out(results)
    totals = Totals()
    for result in with_progress(results, size):
        totals.add(result)
        report.add(result)
    totals.gone = baseline.gone if baseline is not None else 0
    _write(report.render(totals), options.output, totals)
    if options.write_baseline is not None:
        _replace(options.write_baseline, baseline_text(found), "--write-baseline")
        return _NOT_CHECKED if totals.unreadable else 0
    if totals.errors:
        return _FOUND
    empty = not totals.requests and not options.skip_unrelated
    return _NOT_CHECKED if totals.unreadable or empty else 0


def _baseline(options: argparse.Namespace, project: Project) -> Baseline | None:
    """The known findings; none where they are written anew."""
    path: Path | None = options.baseline or project.baseline
    return None if path is None or options.write_baseline is not None else read_baseline(path)


def _report(options: argparse.Namespace) -> CheckReport:
    root = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd())
    match options.format:
        case "json":
            return JsonReport()
        case "sarif":
            return SarifReport(root, __version__)
        case "github":
            return GithubReport(root)
        case "junit":
            return JunitReport()
    return TextReport(statistics=options.statistics)


def _settings(options: argparse.Namespace, project: Project, keep: int | None) -> Options:
    profile = options.profile or project.profile
    if profile is not None and profile not in list(Profile):
        raise UsageError(f"{project.root / 'pyproject.toml'}: profile: {profile!r} is unknown; {_choices()}")
    baselines = (options.baseline, options.write_baseline, project.baseline)
    return Options(
        profile=None if profile is None else Profile(profile),
        wire=None if options.wire is None else Wire(options.wire),
        selection=selection(options.select or project.select, options.ignore or project.ignore),
        keep=keep if baselines == (None, None, None) else None,
        named=not options.skip_unrelated,
        secrets=project.secrets,
    )


def _choices() -> str:
    return f"choose {' or '.join(Profile)}"


def _results(options: argparse.Namespace, settings: Options) -> tuple[Iterable[FileResult], int | None]:
    """The results, and how many bytes there are to read, if that is known."""
    paths = options.paths or ["."]
    jobs = _jobs(options.jobs)
    if paths == [_STDIN]:
        if sys.stdin is None:  # the shell's `<&-`
            raise UsageError("standard input (-) is closed; pipe something into it, or name a file")
        return check_stream(sys.stdin.buffer, _STDIN, settings), None
    if _STDIN in paths:
        raise UsageError("standard input (-) is checked alone; leave out the other paths")
    targets = list(distinct(_targets(paths)))
    written = _written(options, targets)
    results = _refuse_written(check_files(targets, settings, jobs=jobs), written)
    return results, sum(target.size for target in targets)


def _targets(paths: Iterable[str]) -> Iterator[Target]:
    for path in paths:
        if not is_pattern(path):
            _refuse_missing(path)
            yield from find([Path(path)])
            continue
        matched = expand(path)
        if not matched:
            raise UsageError(f"{path}: no file matches the pattern")
        yield from find(matched, named=False)


def _refuse_missing(path: str) -> None:
    try:
        os.lstat(path)  # a link that leads nowhere is a file that cannot be read
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{path}: no such file or folder") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}; check the path") from None


def _jobs(text: str) -> int:
    if text == "auto":
        return os.cpu_count() or 1
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise UsageError(f"--jobs: {text!r} is no number of processes; write 1 or more, or auto")
    return int(text)


def _refuse_baseline(options: argparse.Namespace, project: Project) -> None:
    """A report must not be written over the known findings."""
    # Not Path.resolve(), which raises over a circle of links.
    known = {os.path.realpath(path) for path in (options.baseline, options.write_baseline, project.baseline) if path}
    if options.output is not None and os.path.realpath(options.output) in known:
        raise UsageError(f"--output {options.output}: it is the baseline; name another file")


def _written(options: argparse.Namespace, targets: Iterable[Target]) -> dict[str, str]:
    """Those of the files to check that are to be written too, and by which option.

    Raises:
        UsageError: the user named one of them. One that a folder or a pattern holds may be the report of yesterday.
    """
    places: dict[tuple[int, int], str] = {}
    for option in ("--output", "--write-baseline"):
        path: Path | None = getattr(options, option[2:].replace("-", "_"))
        if path is not None and _identity(path) != _NO_FILE:
            places[_identity(path)] = f"{option} {path}"
    found: dict[str, str] = {}
    for target in targets if places else ():
        option = places.get(_identity(target.path), "")
        if option and target.named:
            raise UsageError(f"{option}: {_OWN_INPUT}")
        if option:
            found[str(target.path)] = option
    return found


def _refuse_written(results: Iterable[FileResult], written: Mapping[str, str]) -> Iterator[FileResult]:
    """The results; a report must not be written over what it is about."""
    for result in results:
        if result.file in written and (result.files or result.unreadable):
            raise UsageError(f"{written[result.file]}: {_OWN_INPUT}")
        yield result


def _identity(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return _NO_FILE
    return (found.st_dev, found.st_ino)


def _write(report: Iterable[str], output: Path | None, totals: Totals) -> None:
    if output is not None:
        _replace(output, report, "--output")
        report = [f"{summary(totals)}\n"]
    encoding = sys.stdout.encoding or "utf-8"
    for piece in report:
        sys.stdout.write(piece.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def _replace(path: Path, text: str | Iterable[str], option: str) -> None:
    try:
        write_text(path, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"{option} {path}: {error.strerror}; name a file that can be written") from None
