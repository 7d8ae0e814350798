# ruff: noqa: E501  (tables of one case a line)
from __future__ import annotations

import math
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from toolreplay.errors import ScenarioError
from toolreplay.scenario import outcomes
from toolreplay.scenario.exceptions import BUILTIN, build
from toolreplay.scenario.outcomes import Outcome, Raises, Returns, garbage_value
from toolreplay.scenario.stubs import NoStubError, StubBook, UnknownToolError
from toolreplay.scenario.targets import import_target

from .build import HEAD, HELLO, TOOL, scenario, stubbed

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Case:
    id: str
    stub: str
    outcome: Outcome


PLAYED = [
    Case("return", "{return: {temp_c: 4}}", outcomes.Returns({"temp_c": 4})),
    Case("return-null", "{return: null}", outcomes.Returns(None)),
    Case("nothing", "{}", outcomes.Returns(None)),
    Case("false", "{return: false}", outcomes.Returns(False)),
    Case("delay", "{return: x, delay: 2}", outcomes.Returns("x", delay=2)),
    Case("blocks", "{blocks: [{type: text, text: a}]}", outcomes.Blocks([{"type": "text", "text": "a"}])),
    Case("no-blocks", "{blocks: []}", outcomes.Blocks([])),
    Case("raise", "{raise: {type: KeyError, message: k}}", outcomes.Raises("KeyError", "k")),
    Case("raise-without-message", "{raise: {type: KeyError}}", outcomes.Raises("KeyError", "")),
    Case("error", "{error: no such city}", outcomes.ReturnsError("no such city")),
    Case("error-null", "{error: null}", outcomes.ReturnsError(None)),
    Case("deny", "{deny: not now}", outcomes.Denies("not now")),
    Case("hang", "{hang: 3, delay: 0.5}", outcomes.Hangs(3, delay=0.5)),
    Case("exit", "{exit: true}", outcomes.Exits()),
    Case("garbage", "{garbage: nan}", outcomes.Garbage("nan")),
    Case("call", "{call: 'a.b:c'}", outcomes.Calls("a.b:c")),
]


@pytest.mark.parametrize("case", PLAYED, ids=lambda case: case.id)
def test_outcomes(case: Case) -> None:
    assert StubBook(stubbed(case.stub).tools).outcome("get_weather", {"city": "Oslo"}, "toolu_1") == case.outcome


def _values(book: StubBook, *calls: tuple[Any, str | None]) -> list[object]:
    found = [book.outcome("get_weather", arguments, call_id) for arguments, call_id in calls]
    return [outcome.value if isinstance(outcome, Returns) else outcome for outcome in found]


def test_the_first_entry_that_matches_answers() -> None:
    stub = "[{id: t9, return: id}, {when: {city: Oslo, unit: c}, return: both}, {when: {city: {regex: ^O}}, return: O}, {}]"
    book = StubBook(stubbed(stub).tools)

    found = _values(
        book,
        ({"city": "Oslo", "unit": "c"}, "t9"),
        ({"city": "Oslo", "unit": "c"}, "t1"),
        ({"city": "Oslo"}, "t1"),
        ({"city": "Bonn"}, None),
        ("no mapping", None),
    )

    assert found == ["id", "both", "O", None, None]


def test_times_are_counted_for_each_entry() -> None:
    book = StubBook(stubbed("[{times: 2, return: 1}, {times: 1, return: 2}, {return: 3}]").tools)

    assert _values(book, *[({}, None)] * 5) == [1, 1, 2, 3, 3]


def test_times_are_counted_once_under_threads() -> None:
    book = StubBook(stubbed("[{times: 50, return: 1}, {return: 2}]").tools)
    found: list[object] = []

    def call() -> None:
        for _ in range(20):
            found.extend(_values(book, ({}, None)))

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(map(str, found)) == ["1"] * 50 + ["2"] * 110


def test_each_book_counts_for_itself() -> None:
    tools = stubbed("[{times: 1, return: 1}, {return: 2}]").tools

    assert [_values(StubBook(tools), ({}, None)) for _ in range(2)] == [[1], [1]]


def test_values_are_copies() -> None:
    book = StubBook(stubbed("{return: {a: []}}").tools)
    [first] = _values(book, ({}, None))
    assert isinstance(first, dict)

    first["a"].append(1)

    assert _values(book, ({}, None)) == [{"a": []}]


def test_members_of_a_toolset() -> None:
    tools = scenario(f"{HEAD}tools: [{{type: computer_toolset_20260801, stub: {{return: ok}}}}]\n{HELLO}").tools

    assert StubBook(tools).outcome("left_click", {}, "t1", toolset="computer") == Returns("ok")


@dataclass(frozen=True)
class Refusal:
    id: str
    stub: str
    call: tuple[str, object, str | None]
    error: type[Exception]
    text: str


REFUSALS = [
    Refusal("unknown", "{}", ("get_wether", {}, None), UnknownToolError, "no tool is named 'get_wether'; did you mean 'get_weather'?"),
    Refusal("quite-unknown", "{}", ("x", {}, None), UnknownToolError, "no tool is named 'x'; the tools are get_weather"),
    Refusal("no-stub", "[]", ("get_weather", {}, None), NoStubError, "get_weather: was called and has no stub; add one, stub: {return: ...}"),
    Refusal("no-entry", "{when: {city: Oslo}}", ("get_weather", {"city": "Bonn"}, None), NoStubError,
            'get_weather: no stub entry answers this call (stub[0]: input.city: expected "Oslo", got "Bonn"); add an entry for it'),
    Refusal("other-id", "[{when: {city: a}}, {id: t1}]", ("get_weather", {}, "t2"), NoStubError,
            "get_weather: no stub entry answers this call (stub[1]: id: expected 't1', got 't2'); add an entry for it"),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS, ids=lambda case: case.id)
def test_calls_without_an_answer(case: Refusal) -> None:
    with pytest.raises(case.error) as caught:
        StubBook(stubbed(case.stub).tools).outcome(*case.call)

    assert str(caught.value) == case.text
    assert isinstance(caught.value, ScenarioError) == (case.error is NoStubError)


def test_used_up() -> None:
    book = StubBook(stubbed("{times: 2, return: 1}").tools)
    _values(book, ({}, None), ({}, None))

    with pytest.raises(NoStubError) as caught:
        book.outcome("get_weather", {}, None)

    expected = "get_weather: no stub entry answers this call (stub[0]: it has answered 2 times); add an entry for it"
    assert str(caught.value) == expected


@pytest.mark.parametrize("name", sorted(BUILTIN))
def test_every_builtin_exception_can_be_made(name: str) -> None:
    with_message = build(name, "what went wrong")

    assert type(with_message) in {BUILTIN[name], ExceptionGroup}
    assert "what went wrong" in str(with_message)
    assert isinstance(build(name, ""), BUILTIN[name])


@dataclass(frozen=True)
class Made:
    id: str
    type: str
    kind: str
    text: str


MADE = [
    Made("dotted", "json.JSONDecodeError", "json.decoder.JSONDecodeError", "m"),
    Made("colon", "asyncio:CancelledError", "asyncio.exceptions.CancelledError", "m"),
    Made("deep", "urllib.error.URLError", "urllib.error.URLError", "<urlopen error m>"),
]


@pytest.mark.parametrize("case", MADE, ids=lambda case: case.id)
def test_exceptions_by_path(case: Made) -> None:
    made = Raises(case.type, "m").build()

    assert f"{type(made).__module__}.{type(made).__qualname__}" == case.kind
    assert str(made) == case.text


class NeedsMoreError(Exception):
    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class TextlessError(NeedsMoreError):
    def __str__(self) -> str:
        return f"code {self.code}"


def test_an_exception_that_asks_for_more_than_a_message() -> None:
    assert str(build(f"{__name__}:NeedsMoreError", "m")) == "m"


def test_an_exception_that_has_no_text_of_its_own() -> None:
    with pytest.raises(ScenarioError) as caught:
        build(f"{__name__}:TextlessError", "m")

    what = "cannot be made from a message alone (AttributeError: 'TextlessError' object has no attribute 'code')"
    assert str(caught.value) == f"'{__name__}:TextlessError' {what}; raise it in a function of yours, with call"


def test_each_exception_is_new() -> None:
    outcome = Raises("ValueError", "m")

    assert outcome.build() is not outcome.build()


@dataclass(frozen=True)
class BadTarget:
    id: str
    name: str
    text: str


BAD_TARGETS = [
    BadTarget("module", "no_such_module:f", "cannot import 'no_such_module' for 'no_such_module:f': ModuleNotFoundError: No module named 'no_such_module'; check the name, and that it is installed"),
    BadTarget("attribute", "json:lods", "'json' has no 'lods', which 'json:lods' asks for; check the name"),
    BadTarget("dotted", "json.decoder.Nothing", "'json.decoder' has no 'Nothing', which 'json.decoder.Nothing' asks for; check the name"),
    BadTarget("no-function", "sys:path", "'sys:path' is 'list', which cannot be called; name a function or class"),
    BadTarget("broken-module", "broken_on_import:f", "cannot import 'broken_on_import' for 'broken_on_import:f': RuntimeError: broken on purpose; check the name, and that it is installed"),
]  # fmt: skip


@pytest.mark.parametrize("case", BAD_TARGETS, ids=lambda case: case.id)
def test_targets_that_cannot_be_imported(case: BadTarget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_on_import.py").write_text("raise RuntimeError('broken on\\npurpose')")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ScenarioError) as caught:
        import_target(case.name)

    assert str(caught.value) == case.text


def test_a_target_may_be_nested() -> None:
    assert import_target("collections.abc:Mapping.get") is import_target("collections.abc.Mapping.get")


def test_what_is_no_exception_cannot_be_raised() -> None:
    with pytest.raises(ScenarioError) as caught:
        build("json.dumps", "m")

    assert str(caught.value).endswith("which cannot be raised; name an exception class")


def test_loading_a_scenario_imports_nothing() -> None:
    stubbed("[{call: 'antigravity:f', times: 1}, {raise: {type: antigravity.Error}}]")

    assert "antigravity" not in sys.modules


def test_garbage() -> None:
    cyclic = garbage_value("cyclic")
    nan = garbage_value("nan")
    huge = garbage_value("huge")

    assert garbage_value("none") is None
    assert isinstance(garbage_value("bytes"), bytes)
    assert isinstance(nan, float)
    assert math.isnan(nan)
    assert isinstance(huge, str)
    assert len(huge) == 2_000_000
    assert garbage_value("surrogate") == "\ud800"
    assert isinstance(cyclic, list)
    assert cyclic[0] is cyclic
    assert garbage_value("not_json") == {"when": 1 + 2j}


def test_a_tool_without_a_stub_is_legal() -> None:
    assert scenario(f"{HEAD}{TOOL}{HELLO}").tools[0].stub == ()
