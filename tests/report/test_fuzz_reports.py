from __future__ import annotations

import io
import json
import sys
from collections import Counter
from dataclasses import replace
from typing import Any, Final

import pytest

from toolreplay.fuzzer.case import Case
from toolreplay.fuzzer.faults import THE_PROCESS, Fault
from toolreplay.fuzzer.regression import Written
from toolreplay.fuzzer.result import Found, Known, Result
from toolreplay.fuzzer.table import Row
from toolreplay.report.fuzz_json import fuzz_json
from toolreplay.report.fuzz_progress import fuzz_progress
from toolreplay.report.fuzz_text import fuzz_details, fuzz_summary, loop_line, loop_words, policy_line
from toolreplay.report.fuzzed import Fuzzed
from toolreplay.runner.loops import REFERENCE, Target

MINE: Final = Target("agent:run", print)
OURS: Final = Target(REFERENCE, print)
FAULT: Final = Fault("TR602", "wrong-status", "messages[2]", "toolu_1 raised", "set it", request=2, api="no")
CALL: Final = Row(1, 1, 1, "get_weather {}", "raised: no", "success: no")
DOCUMENT: Final[dict[str, Any]] = {"conversation": [{"user": "How is it?", "script": [{"content": []}]}]}
FOUND: Final = Found(FAULT, Case(DOCUMENT), example=3, rows=(CALL,))
PLAYED: Final = Result(MINE, examples=7, calls=5, requests=6, after_failure=2, seconds=1.25)
NASTY: Final = "a\x1b[31m\nb\u202e"


def test_a_fault_with_its_conversation() -> None:
    rows = (CALL, Row(1, 2, 0), Row(1, 3, 2), replace(CALL, prompt=2, turn=13, call="add " + "x" * 60))
    conversation = [
        {"user": NASTY, "script": [{"content": []}, {"http_error": 529}, {"text": "Bye.", "stop_reason": "refusal"}]},
        {"user": "And now?"},
    ]
    found = replace(FOUND, case=Case({"conversation": conversation}), rows=rows)
    assert fuzz_details(replace(PLAYED, found=(found,)), {"TR602": Written("regressions/1.yaml", named=True)}) == [
        "error TR602 wrong-status (fidelity): request 2, messages[2]",
        "  toolu_1 raised",
        "  the API answers 400: no",
        "  fix: set it",
        f"  | turn  call{' ' * 46}the tool    sent",
        r"  |       user: a\x1b[31m b\u202e",
        "  | 1     model: an empty reply",
        f"  | 1     get_weather {{}}{' ' * 36}raised: no  success: no",
        "  |       API: 529",
        "  | 2     model: stop_reason refusal",
        "  |       user: And now?",
        f"  | 13    add {'x' * 43}…  raised: no  success: no",
        "  written to regressions/1.yaml; play it: toolreplay run regressions/1.yaml",
    ]


def test_a_long_conversation_is_cut_and_says_so() -> None:
    rows = tuple(replace(CALL, reply=turn, turn=turn) for turn in range(2, 40))
    lines = fuzz_details(replace(PLAYED, found=(replace(FOUND, rows=rows),)))
    table = [line for line in lines if line.startswith("  | ")]
    assert (len(table), table[-1]) == (21, "  | ... 20 more lines; --format json shows all")


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (replace(PLAYED, unplayed=4), "4 more conversations were not played, because others like them did not end"),
        (replace(PLAYED, regressions=(Known("r/1.yaml", frozenset({"TR602"})),)), "still broken: TR602 in r/1.yaml"),
        (replace(PLAYED, notes=("all replies were made up: no cassette",)), "all replies were made up: no cassette"),
        (replace(PLAYED, again=frozenset({"TR602"})), "shown again, as told of a scenario before: TR602"),
        (
            replace(PLAYED, found=(replace(FOUND, repeats=False),)),
            "  played once more it did not show: it depends on time or on chance",
        ),
        (
            replace(PLAYED, found=(replace(FOUND, replays=False),)),
            "  not written down: under `toolreplay run` the API's refusal of an earlier request ends it before",
        ),
        (
            replace(PLAYED, found=(replace(FOUND, fault=replace(FAULT, where=THE_PROCESS)),)),
            "  not written down: whoever played it would end with the loop",
        ),
    ],
    ids=["unplayed", "known", "notes", "again", "by chance", "not replayed", "the process"],
)
def test_what_else_is_told(result: Result, line: str) -> None:
    assert fuzz_details(result)[-1] == line
    assert line not in fuzz_details(PLAYED) + fuzz_details(replace(PLAYED, found=(FOUND,)))


def test_the_result_names_the_loop() -> None:
    counts = "7 examples, 5 calls, 6 requests, 1.2 s"
    warned = replace(PLAYED, target=OURS, found=(FOUND,), warnings=Counter({"TR306": 2}))
    assert fuzz_summary("a.yaml::one", PLAYED) == f"PASS  a.yaml::one  (agent:run: {counts})"
    assert (
        fuzz_summary(NASTY, warned)
        == rf"FAIL  a\x1b[31m\nb\u202e  (toolreplay's own reference loop: {counts}; warnings: TR306 2x)"
    )
    assert loop_words(Target(NASTY, print)) == r"a\x1b[31m\nb\u202e"
    assert "--loop MODULE:FUNCTION" in loop_line([PLAYED, warned], named=False)
    assert (loop_line([PLAYED], named=False), loop_line([warned], named=True)) == ("", "")


def test_the_policy_after_a_failure() -> None:
    went_on = "in 4 examples a tool failed; the model side went on with the replies it had, "
    two, calm = [PLAYED, PLAYED], replace(PLAYED, after_failure=0)
    assert policy_line(two, strict=True) == f"{went_on}and a broken request was answered with the API's own 400"
    assert (
        policy_line(two, strict=False)
        == f"{went_on}after a broken request too (--strict answers those with the API's 400)"
    )
    assert (policy_line([calm], strict=True), policy_line([calm], strict=False)) == ("", "")


def test_everything_for_machines() -> None:
    failed = replace(
        PLAYED,
        found=(FOUND,),
        regressions=(Known("r/1.yaml", frozenset({"TR609 a tool"})),),
        again=frozenset({"TR101"}),
        warnings=Counter({"TR306": 2}),
        unplayed=1,
    )
    fuzzed = (
        Fuzzed("a.yaml::one", failed, {"TR602": Written("r/2.yaml", named=True)}),
        Fuzzed("a.yaml::two", PLAYED),
        Fuzzed("b.yaml", errors=("b.yaml:1: name: missing; add it",)),
        Fuzzed("a.yaml::three", PLAYED, errors=("r: cannot be written: File exists",)),
    )
    played = {"loop": "agent:run", "examples": 7, "tool_calls": 5, "requests": 6, "after_failure": 2, "seconds": 1.25}
    empty: dict[str, list[str]] = {name: [] for name in ("notes", "errors", "known", "again", "faults")}
    clean: dict[str, object] = {**empty, "skipped": None, "unplayed": 0, "warnings": {}}
    assert json.loads(json.dumps(fuzz_json(fuzzed))) == {
        "scenarios": [
            {
                "id": "a.yaml::one",
                "outcome": "FAIL",
                "errors": [],
                "skipped": None,
                "notes": [],
                **played,
                "unplayed": 1,
                "known": [{"path": "r/1.yaml", "codes": ["TR609"]}],
                "again": ["TR101"],
                "warnings": {"TR306": 2},
                "faults": [
                    {
                        "code": "TR602",
                        "cause": None,
                        "name": "wrong-status",
                        "severity": "error",
                        "layer": "fidelity",
                        "where": "messages[2]",
                        "message": "toolu_1 raised",
                        "fix": "set it",
                        "api": "no",
                        "request": 2,
                        "example": 3,
                        "repeats": True,
                        "replays": True,
                        "calls": [
                            {
                                "prompt": 1,
                                "turn": 1,
                                "call": "get_weather {}",
                                "did": "raised: no",
                                "sent": "success: no",
                            }
                        ],
                        "scenario": DOCUMENT,
                        "file": "r/2.yaml",
                    }
                ],
            },
            {"id": "a.yaml::two", "outcome": "PASS", **clean, **played},
            {
                "id": "b.yaml",
                "outcome": "ERROR",
                "errors": ["b.yaml:1: name: missing; add it"],
                "skipped": None,
                "faults": [],
            },
            {
                "id": "a.yaml::three",
                "outcome": "ERROR",
                **clean,
                **played,
                "errors": ["r: cannot be written: File exists"],
            },
        ],
        "counts": {"pass": 1, "fail": 1, "stale": 0, "skip": 0, "error": 2},
    }


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with fuzz_progress(f"[red]{NASTY}.yaml", 2, 3) as tell:
        tell(17)
        sys.stdout.write("said by a loop\n")
    shown = terminal.getvalue()
    assert r"fuzzing 2 of 3: [red]a\x1b[31m\nb\u202e.yaml" in shown
    assert "17 examples" in shown
    assert "\u202e" not in shown
    assert capsys.readouterr().out == "said by a loop\n"


def test_no_progress_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with fuzz_progress("a.yaml", 1, 1) as tell:
        tell(17)
    assert capsys.readouterr() == ("", "")


def test_a_file_without_the_loop_s_name_is_played_by_hand() -> None:
    lines = fuzz_details(replace(PLAYED, found=(FOUND,)), {"TR602": Written("r/1.yaml", named=False)})
    hint = 'toolreplay.play("r/1.yaml", loop=...), since the loop cannot be imported by name'
    assert lines[-1] == f"  written to r/1.yaml; play it: {hint}"


def test_a_scenario_with_nothing_to_fuzz_is_skipped() -> None:
    fuzzed = Fuzzed("a.yaml::one", skipped="it has no tool")
    assert fuzzed.outcome == "SKIP"
    assert fuzz_json([fuzzed])["scenarios"] == [
        {"id": "a.yaml::one", "outcome": "SKIP", "errors": [], "skipped": "it has no tool", "faults": []}
    ]
