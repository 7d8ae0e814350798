from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from toolreplay.contract.entry import check_run
from toolreplay.contract.facts import CallFacts, Did, Execution, RunFacts
from toolreplay.wire.converse import parse_messages
from toolreplay.wire.model import ToolResult, Wire

from .build import Json, c_result, run, text, user

OK: Json = {"content": "rain"}
RETURNED: Json = {"returned": "rain"}
RAISED: Json = {"raised": "no city"}
TOLD: Json = {"content": "no city", "is_error": True}
AT = "messages[2].content[0]"
AT_2 = "messages[2].content[1]"
CALL = "turn 1: weather (toolu_1)"


def call(tool: Any = None, sent: Json | None = None, number: int = 1, **more: Any) -> Json:
    return {"id": f"toolu_{number}", "name": "weather", "tool": tool or [], "sent": sent, **more}


def returned(value: Any, *telling: str) -> Json:
    return {"returned": value, "telling": telling}


@dataclass(frozen=True)
class Case:
    id: str
    calls: list[Json]
    found: list[str]
    more: Json

    def __str__(self) -> str:
        return self.id


def case(title: str, calls: list[Json], found: list[str], **more: Any) -> Case:
    return Case(title, calls, found, more)


IMAGE: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
CITIES = (
    returned({"temp_c": 4, "sky": "rain"}, "4", "rain"),
    returned({"temp_c": 7, "sky": "rain"}, "7", "rain"),
)

CASES = [
    case("all is well", [call(RETURNED, OK), call(RAISED, TOLD, 2)], []),
    case("no calls", [], []),
    case("denied", [call(None, {"content": "denied", "is_error": True})], []),
    case("lost", [call(RETURNED)], [f"TR601 error {CALL}"]),
    case(
        "one of two lost",
        [call(RETURNED, OK), call(RETURNED, number=2)],
        ["TR601 error turn 1: weather (toolu_2)"],
    ),
    case("not run and not answered is a matter of the request", [call()], []),
    case("raised, sent as success", [call(RAISED, {"content": "no city"})], [f"TR602 error {AT}"]),
    case(
        "failed, sent as success",
        [call({"failed": "no city"}, {"content": "no city"})],
        [f"TR602 error {AT}"],
    ),
    case("returned, sent as an error", [call(RETURNED, {**OK, "is_error": True})], [f"TR602 warning {AT}"]),
    case(
        "returned, sent as an error with another text",
        [call(RETURNED, {"content": "too long", "is_error": True})],
        [f"TR602 warning {AT}"],
    ),
    case(
        "bytes may be told as an error",
        [call(returned(b"\x00"), {"content": "TypeError", "is_error": True})],
        [],
    ),
    case(
        "NaN may be told as an error",
        [call(returned(float("nan")), {"content": "NaN", "is_error": True})],
        [],
    ),
    case("raised, then returned", [call([RAISED, RETURNED], OK)], [f"TR608 error {AT}"]),
    case(
        "a programmatic call tells errors as content",
        [call(RAISED, {"content": "no city"}, use={"caller": {"type": "code_execution_20260120"}})],
        [],
    ),
    case("nothing of it", [call(RETURNED, {"content": "done"})], [f"TR603 error {AT}"]),
    case("empty", [call(RETURNED, {"content": ""})], [f"TR603 error {AT}"]),
    case("an image", [call(returned([IMAGE], "iVBORw0K"), {"content": [IMAGE]})], []),
    case("another image", [call(returned([IMAGE], "R0lGODdh"), {"content": [IMAGE]})], [f"TR603 error {AT}"]),
    case("wrapped", [call(RETURNED, {"content": "<out>rain</out>"})], []),
    case("in blocks", [call(RETURNED, {"content": [text("Result"), text("rain")]})], []),
    case("one token is enough", [call(CITIES[0], {"content": "temp: 4 (cut)"})], []),
    case("as JSON escapes it", [call({"returned": "blå\n"}, {"content": '"bl\\u00e5\\n"'})], []),
    case("as JSON text", [call({"returned": 'a "b"'}, {"content": '{"out": "a \\"b\\""}'})], []),
    case("nothing can be looked for", [call(returned(None), {"content": "done"})], []),
    case("blank tokens are none", [call(returned(" ", " "), {"content": "done"})], []),
    case("a fixed error text", [call(RAISED, {"content": "failed", "is_error": True})], [f"TR603 warning {AT}"]),
    case("an empty error is a matter of the request", [call(RAISED, {"content": "", "is_error": True})], []),
    case(
        "a failure that is not told at all",
        [call(RAISED, {"content": ""})],
        [f"TR602 error {AT}", f"TR603 error {AT}"],
    ),
    case(
        "a fixed text and a lost status",
        [call(RAISED, {"content": "An error occurred."})],
        [f"TR602 error {AT}", f"TR603 warning {AT}"],
    ),
    case(
        "swapped",
        [call(RETURNED, {"content": "fog"}), call({"returned": "fog"}, {"content": "rain"}, 2)],
        [f"TR604 error {AT}", f"TR604 error {AT_2}"],
    ),
    case(
        "swapped with its status",
        [call(RETURNED, TOLD), call(RAISED, OK, 2)],
        [f"TR604 error {AT}", f"TR604 error {AT_2}"],
    ),
    case(
        "swapped where both share a word",
        [call(CITIES[0], {"content": "7, rain"}), call(CITIES[1], {"content": "4, rain"}, 2)],
        [f"TR604 error {AT}", f"TR604 error {AT_2}"],
    ),
    case(
        "cut to the shared word",
        [call(CITIES[0], {"content": "rain"}), call(CITIES[1], {"content": "rain"}, 2)],
        [],
    ),
    case(
        "a number inside another proves nothing",
        [call(CITIES[0], {"content": "error 77"}), call(CITIES[1], {"content": "7, rain"}, 2)],
        [f"TR603 error {AT}"],
    ),
    case(
        "a word that both an own text and another outcome have proves nothing",
        [
            call(RETURNED, {"content": "ask the weather service"}),
            call(returned("weather: fog and hail", "weather: fog and hail", "weather", "hail"), {"content": "hail"}, 2),
        ],
        [f"TR603 error {AT}"],
    ),
    case(
        "equal outcomes cannot be swapped",
        [call(RETURNED, OK), call(RETURNED, OK, 2)],
        [],
    ),
    case(
        "the call of another turn is not the other one",
        [call(RETURNED, {"content": "fog"}), call({"returned": "fog"}, {"content": "fog"}, 2, turn=2)],
        [f"TR603 error {AT}"],
        turns=3,
    ),
    case("crashed", [call(RAISED)], [f"TR609 error {CALL}"], turns=1, crashed="LookupError: no city"),
    case(
        "crashed, the sibling had been answered",
        [call(RETURNED), call(RAISED, number=2)],
        ["TR609 error turn 1: weather (toolu_2)"],
        turns=1,
        crashed="LookupError: no city",
    ),
    case("crashed somewhere else", [call(RAISED, TOLD)], ["TR609 error turn 2"], crashed="LookupError: no city"),
    case("abandoned", [call(RETURNED)], [f"TR610 error {CALL}"], turns=1),
    case("abandoned before it ran", [call()], [f"TR610 error {CALL}"], turns=1),
    case(
        "abandoned after a whole turn",
        [call(RETURNED, OK), call(number=2, turn=2)],
        ["TR610 error turn 2: weather (toolu_2)"],
    ),
    case("the API refused", [call(RETURNED)], [], turns=1, refused=True),
    case("left open on purpose", [call()], [], turns=1, pending_expected=True),
    case("a cut call needs no answer", [call(stop_reason="max_tokens")], [], turns=1),
    case("endless", [call(RETURNED, OK), call(number=2, turn=2)], ["TR611 error turn 3"], over_limit=2),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_runs(case: Case) -> None:
    found = check_run(run({"calls": case.calls, **case.more}))
    assert [f"{finding.code} {finding.severity} {finding.path}" for finding in found] == case.found


WORDS = [
    (case("lost", [call(RETURNED)], []), "toolu_1 (weather) ran and its result was never sent"),
    (
        case("raised", [call(RAISED, {"content": "no city"})], []),
        "toolu_1 (weather) raised and its result says success",
    ),
    (
        case("failed", [call({"failed": "no"}, {"content": "no"})], []),
        "toolu_1 (weather) failed and its result says success",
    ),
    (
        case("returned", [call(RETURNED, {**OK, "is_error": True})], []),
        "toolu_1 (weather) returned a value and its result says error",
    ),
    (
        case("nothing of it", [call(RETURNED, {"content": "done"})], []),
        "the result of toolu_1 (weather) shows nothing of what the tool returned",
    ),
    (
        case("a fixed text", [call(RAISED, {"content": "failed", "is_error": True})], []),
        "the result of toolu_1 (weather) has a fixed text in place of the error's own",
    ),
    (
        case(
            "swapped",
            [call(RETURNED, {"content": "fog"}), call({"returned": "fog"}, {"content": "fog"}, 2)],
            [],
        ),
        "the result of toolu_1 (weather) carries what toolu_2 (weather) gave",
    ),
    (
        case("crashed", [call(RAISED)], [], turns=1, crashed="LookupError: no city"),
        "the loop ended because toolu_1 (weather) raised: LookupError: no city",
    ),
    (
        case("crashed, no culprit", [], [], crashed="KeyError: 'a'"),
        "the loop ended because a tool raised: KeyError: 'a'",
    ),
    (case("abandoned", [call()], [], turns=1), "the loop stopped without answering toolu_1 (weather)"),
    (
        case("abandoned after it ran", [call(RETURNED), call(number=2)], [], turns=1),
        "the loop stopped without answering toolu_1 (weather), toolu_2 (weather); a tool had run",
    ),
    (
        case("endless", [], [], over_limit=10),
        "the loop asked for another reply after 10, the most it is allowed",
    ),
]


@pytest.mark.parametrize(("case", "message"), WORDS, ids=str)
def test_words(case: Case, message: str) -> None:
    (finding,) = check_run(run({"calls": case.calls, **case.more}))
    assert (finding.message, finding.api) == (message, None)


def on_converse(block: Json, execution: Execution) -> RunFacts:
    (message,) = parse_messages([user(block)])
    (sent,) = message.blocks
    assert isinstance(sent, ToolResult)
    served = run({"calls": [call()]}).calls[0].use
    return RunFacts(calls=(CallFacts(served, 1, (execution,), sent, sent.place.path, True),), turns=2)


def test_converse_results_have_json_parts_and_a_status() -> None:
    rain = Execution(Did.RETURNED, {"sky": "rain"}, telling=("rain",))
    assert check_run(on_converse(c_result(content=[{"json": {"sky": "rain"}}]), rain), Wire.CONVERSE) == ()
    (finding,) = check_run(on_converse(c_result(content=[{"json": {}}]), rain), Wire.CONVERSE)
    assert finding.code == "TR603"
    failed = replace(rain, did=Did.FAILED)
    (finding,) = check_run(on_converse(c_result(), failed), Wire.CONVERSE)
    assert finding.code == "TR602"
