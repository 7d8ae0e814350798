from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.contract.corpus import CORPUS, MISSING
from tests.projects import place
from toolreplay.cassette.reading import parse_recording, read_recording
from toolreplay.errors import CassetteError
from toolreplay.runner.router import INTERCEPTOR
from toolreplay.transcript.draft import Draft, draft
from toolreplay.wire.model import Wire

from .build import Json, assistant, body, call, exchange, loop, recording, reply, result, text, user
from .every_recording import Played, loops, play_draft, played

BEDROCK = "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude/converse"
SAMPLE = 8  # every so many of the corpus' recordings; `python -m tests.transcript.every_recording` plays all
NO_SCENARIO = "conversation 1 cannot be a scenario"
SENT = result("t1", "18")


def drafted(*exchanges: Json, **options: Any) -> Draft:
    return draft(parse_recording(recording(*exchanges), "a.json"), "x", **options)


def refused(status: int) -> Json:
    return {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}} if status else {}


def stub_of(*pairs: tuple[Json, Json]) -> Any:
    """The stub that is drafted for calls, each with its result."""
    calls = [call(f"t{number}", **given) for number, (given, _) in enumerate(pairs)]
    results = [{**result(f"t{number}", ""), **sent} for number, (_, sent) in enumerate(pairs)]
    asks = assistant(*calls)
    first = exchange(body(user("Weather?")), reply(asks, 1, "tool_use"))
    second = exchange(body(user("Weather?"), asks, user(results)), reply(assistant(text("Done.")), 2))
    return drafted(first, second).fields["tools"][0]["stub"]


def test_the_whole_of_a_draft() -> None:
    found = drafted(*loop(system="Be terse.", temperature=0, metadata={"user_id": "u"}, stream=False))
    assert found.fields == {
        "version": 1,
        "name": "x",
        "model": "m",
        "max_tokens": 9,
        "system": "Be terse.",
        "extra_body": {"metadata": {"user_id": "u"}},
        "tools": [
            {
                "name": "get_weather",
                "input_schema": {"type": "object"},
                "stub": [
                    {"when": {"city": "Oslo"}, "return": 18},
                    {"when": {"city": "Atlantis"}, "error": "no such city"},
                ],
            }
        ],
        "conversation": [
            {
                "user": "Weather?",
                "expect": {
                    "tool_calls": [
                        {
                            "tool": "get_weather",
                            "input": {"city": "Oslo"},
                            "result": {"status": "success", "content": 18},
                        },
                        {
                            "tool": "get_weather",
                            "input": {"city": "Atlantis"},
                            "result": {"status": "error", "content": "no such city"},
                        },
                    ],
                    "turns": 2,
                    "stop_reason": "end_turn",
                    "final_text": {"contains": "18 in Oslo."},
                },
            }
        ],
    }
    assert (found.conversation, found.exchanges, found.turns) == (1, (0, 1), 2)
    assert found.notes == ("left out: temperature, which the SDK's version of the API does not take",)


@dataclass(frozen=True)
class Stub:
    id: str
    pairs: list[tuple[Json, Json]]
    entries: list[Json]


OSLO, LONG = {"city": "Oslo"}, {"city": "Oslo", "unit": "c"}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
BLOCKS = json.dumps([text("a")])
STUBS = (
    Stub("an object", [(OSLO, {"content": '{"temp_c": 4}'})], [{"when": OSLO, "return": {"temp_c": 4}}]),
    Stub("JSON in another spelling", [(OSLO, {"content": '{"a":1}'})], [{"when": OSLO, "return": '{"a":1}'}]),
    Stub("words of JSON", [(OSLO, {"content": "null"})], [{"when": OSLO, "return": "null"}]),
    Stub("one text block", [(OSLO, {"content": [text("rain")]})], [{"when": OSLO, "return": "rain"}]),
    Stub("an image", [(OSLO, {"content": [IMAGE]})], [{"when": OSLO, "blocks": [IMAGE]}]),
    Stub("blocks in a text", [(OSLO, {"content": BLOCKS})], [{"when": OSLO, "return": BLOCKS}]),
    Stub("nothing", [(OSLO, {"content": ""})], [{"when": OSLO, "return": ""}]),
    Stub("no arguments", [({}, {"content": "a"})], [{"return": "a"}]),
    Stub("is_error spelled out", [(OSLO, {"content": "a", "is_error": False})], [{"when": OSLO, "return": "a"}]),
    Stub("the same twice", [(OSLO, {"content": "a"}), (OSLO, {"content": "a"})], [{"when": OSLO, "return": "a"}]),
    Stub(
        "the same input, other results",
        [(OSLO, {"content": "a"}), (OSLO, {"content": "b"})],
        [{"when": OSLO, "id": "t0", "return": "a"}, {"when": OSLO, "return": "b"}],
    ),
    Stub(
        "an input that another holds",
        [({}, {"content": "a"}), (OSLO, {"content": "b"}), (LONG, {"content": "c"})],
        [{"when": LONG, "return": "c"}, {"when": OSLO, "return": "b"}, {"return": "a"}],
    ),
    Stub(
        "an input that looks like a matcher",
        [({"where": {"contains": "x"}}, {"content": "a"}), ({"regex": "("}, {"content": "b"})],
        [
            {"when": {"equals": {"where": {"contains": "x"}}}, "return": "a"},
            {"when": {"equals": {"regex": "("}}, "return": "b"},
        ],
    ),
)


@pytest.mark.parametrize("case", STUBS, ids=lambda case: case.id)
def test_a_stub_returns_what_was_recorded(case: Stub) -> None:
    assert stub_of(*case.pairs) == case.entries


def _refused_in_between() -> Iterator[Json]:
    first, second = loop()
    yield first
    yield exchange(second["request"]["body"], refused(529), status=529)
    yield second


def _two_prompts(between: str = "And in Rome?") -> list[Json]:
    first, second = loop()
    said = [*second["request"]["body"]["messages"], assistant(text("18 in Oslo.")), user(between)]
    return [first, second, exchange(body(*said), reply(assistant(text("20 in Rome.")), 3))]


def _cut_history() -> list[Json]:
    first, second = loop()
    return [first, second, exchange(body(*second["request"]["body"]["messages"][1:]), reply(assistant(text("a")), 3))]


def _beside_results() -> list[Json]:
    first, second = loop()
    asked = second["request"]["body"]["messages"]
    return [first, exchange(body(*asked, user("And in Rome?")), second["response"]["body"])]


def _asked_again() -> list[Json]:
    first, second = loop()
    return [first, second, second]


@dataclass(frozen=True)
class Part:
    id: str
    exchanges: list[Json]
    played: tuple[int, ...]
    prompts: int
    notes: tuple[str, ...]


OVERLOADED = "exchange 1: was answered 529 invalid_request_error"
OPEN = "exchange 0: its calls were never answered; the loop stops there"
PARTS = (
    Part("two prompts", _two_prompts(), (0, 1, 2), 2, ()),
    Part("an error in between", list(_refused_in_between()), (0, 2), 1, (OVERLOADED,)),
    Part("calls without an answer", loop()[:1], (0,), 1, (OPEN,)),
    Part(
        "a history that was cut",
        _cut_history(),
        (0, 1),
        1,
        ("exchange 2: the request changed or dropped earlier messages, which the reference loop never does",),
    ),
    Part(
        "a prompt beside results",
        _beside_results(),
        (0,),
        1,
        (
            "exchange 1: a prompt stands beside results, which the reference loop sends alone",
            OPEN,
        ),
    ),
    Part("the same again", _asked_again(), (0, 1), 1, ("exchange 2: the same was asked again",)),
)


@pytest.mark.parametrize("case", PARTS, ids=lambda case: case.id)
def test_what_can_be_played_is_drafted_and_the_rest_is_told(case: Part, tmp_path: Path) -> None:
    found = drafted(*case.exchanges)
    assert (found.exchanges, len(found.fields["conversation"]), found.notes) == (case.played, case.prompts, case.notes)
    place(tmp_path)
    given = tmp_path / "a.json"
    given.write_bytes(recording(*case.exchanges))
    run = play_draft(read_recording(given), found, tmp_path)
    assert (str(run.outcome), run.failures) == ("PASS", ())


def test_a_recording_that_begins_with_results_approves_the_calls(tmp_path: Path) -> None:
    _, second = loop()
    found = drafted(second)
    [step] = found.fields["conversation"]
    assert step["approve"] == {"get_weather": "allow"}
    assert [message["role"] for message in found.fields["history"]] == ["user", "assistant"]
    assert len(found.fields["tools"][0]["stub"]) == 2
    given = tmp_path / "a.json"
    given.write_bytes(recording(second))
    place(tmp_path)
    assert str(play_draft(read_recording(given), found, tmp_path).outcome) == "PASS"


def test_messages_before_the_first_prompt_are_its_history() -> None:
    first, second = loop()
    before = [user("Hello."), assistant(text("Hello."))]
    for one in (first, second):
        one["request"]["body"]["messages"][:0] = before
    assert drafted(first, second).fields["history"] == before


def test_prompts_that_stand_together_are_one() -> None:
    sent = body(user("Hello."), user([text("Weather?")]))
    [step] = drafted(exchange(sent, reply(assistant(text("Rain."))))).fields["conversation"]
    assert step["user"] == [text("Hello."), text("Weather?")]


def _alone(number: int) -> Json:
    return exchange(body(user(f"Hello {number}.")), reply(assistant(text("Hello.")), number))


def test_the_longest_conversation_with_tools_is_taken() -> None:
    exchanges = [_alone(7), *loop(), _alone(8)]
    found = drafted(*exchanges)
    assert (found.conversation, found.exchanges) == (2, (1, 2))
    assert found.notes == ("left out: 2 other conversations; take one with --conversation",)
    assert drafted(*exchanges, number=3).exchanges == (3,)


@pytest.mark.parametrize(
    ("exchanges", "options", "message"),
    [
        (loop(), {"number": 2}, "holds no conversation 2 to draft a scenario from; it has: 1 (messages, 2 turns)"),
        (loop(), {"wire": Wire.CONVERSE}, "holds no conversation to draft a scenario from; it has: none"),
        (
            [exchange(body(user("Hello.")), refused(400), status=400)],
            {},
            "conversation 1 cannot be played (exchange 0: was answered 400 invalid_request_error); record it anew",
        ),
        (
            [exchange(body(user("a"), assistant(call("t1", "gone")), user([SENT])), reply(assistant(text("b"))))],
            {},
            f"{NO_SCENARIO} (it begins with the results of gone, which is none of its tools); record it anew",
        ),
        (
            [exchange(body(user("a"), assistant(call("t2")), user([SENT])), reply(assistant(text("b"))))],
            {},
            f"{NO_SCENARIO} (it begins with results, and none is that of t2); record it anew",
        ),
        (
            [exchange({"messages": [{"role": "user", "content": [{"video": {}}]}]}, {}, url=BEDROCK)],
            {},
            "conversation 1 cannot be played (exchange 0: has no whole reply); record it anew",
        ),
    ],
    ids=["number", "wire", "refused", "unknown tool", "other results", "no reply"],
)
def test_what_cannot_be_drafted_is_told(exchanges: list[Json], options: Json, message: str) -> None:
    with pytest.raises(CassetteError) as caught:
        drafted(*exchanges, **options)
    assert str(caught.value) == f"a.json: {message}"


def _converse(messages: list[Json], content: list[Json], stop: str, **fields: object) -> Json:
    sent = {"messages": messages, "inferenceConfig": {"maxTokens": 50, "temperature": 0.5}, **fields}
    turn = {"role": "assistant", "content": content}
    return exchange(sent, {"output": {"message": turn}, "stopReason": stop, "usage": {}}, url=BEDROCK)


def test_converse_is_drafted_in_the_shape_of_messages() -> None:
    ask = [{"toolUse": {"toolUseId": "u1", "name": "get_weather", "input": {"city": "Oslo"}}}]
    answers: list[Json] = [{"json": {"temp_c": 4}}]
    video = {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://a/b"}}}}
    config = {
        "tools": [
            {"toolSpec": {"name": "get_weather", "inputSchema": {"json": {"type": "object"}}}},
            {"systemTool": {"name": "code"}},
        ]
    }
    hello: Json = {"role": "user", "content": [{"text": "Weather?"}]}
    fields: Json = {"toolConfig": config, "system": [{"text": "Be terse."}]}

    def second(content: list[Json]) -> Json:
        sent = {"toolResult": {"toolUseId": "u1", "content": content, "status": "success"}}
        messages = [hello, {"role": "assistant", "content": ask}, {"role": "user", "content": [sent]}]
        return _converse(messages, [{"text": "4 degrees."}], "end_turn", **fields)

    found = drafted(_converse([hello], ask, "tool_use", **fields), second(answers))
    assert {name: found.fields[name] for name in ("wire", "model", "max_tokens", "system", "extra_body")} == {
        "wire": "converse",
        "model": "anthropic.claude",
        "max_tokens": 50,
        "system": "Be terse.",
        "extra_body": {"temperature": 0.5},
    }
    assert found.fields["tools"] == [
        {
            "name": "get_weather",
            "input_schema": {"type": "object"},
            "stub": [{"when": {"city": "Oslo"}, "return": {"temp_c": 4}}],
        }
    ]
    assert found.fields["conversation"][0]["user"] == "Weather?"
    assert found.notes == ("left out: systemTool, a tool that Bedrock runs itself",)
    with_video = drafted(_converse([hello], ask, "tool_use", **fields), second([video, {"text": "a"}]))
    [entry] = with_video.fields["tools"][0]["stub"]
    assert entry["blocks"] == [text(json.dumps(video)), text("a")]
    assert with_video.notes[1:] == (
        "the result of get_weather holds a video, for which the stub returns its JSON as text",
    )


def test_a_forced_choice_that_a_later_prompt_contradicts_is_left_out() -> None:
    exchanges = _two_prompts()
    for one in exchanges:
        one["request"]["body"]["tool_choice"] = {"type": "any"}
    assert "tool_choice" not in drafted(*exchanges).fields
    assert drafted(*exchanges[:2]).fields["tool_choice"] == {"type": "any"}


def test_a_reply_too_long_to_be_sent_whole_is_streamed() -> None:
    assert drafted(*loop(max_tokens=64_000)).fields["stream"] is True
    assert "stream" not in drafted(*loop(max_tokens=20_000)).fields
    assert drafted(*loop(stream=True)).fields["stream"] is True


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the SDK's, of the models that were recorded
@pytest.mark.skipif(not CORPUS.is_dir(), reason=MISSING)
def test_recordings_of_real_loops_play_at_once() -> None:
    with INTERCEPTOR.hold():
        found = [played(path) for path in list(loops())[::SAMPLE]]
    assert found
    assert [one for one in found if one.outcome != "PASS"] == list[Played]()
