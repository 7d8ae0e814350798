# ruff: noqa: E501  (tables of one case a line)
from __future__ import annotations

from dataclasses import dataclass

import pytest

from toolreplay.scenario.digests import digest, digests

from .build import FULL, scenario

PARTS = ["tools", "system", "model", "parameters", "prompts", "stubs"]


@dataclass(frozen=True)
class Case:
    id: str
    old: str
    new: str
    changes: tuple[str, ...] = ()


CASES = [
    Case("name", "name: everything", "name: something"),
    Case("comment", "version: 1", "version: 1  # new"),
    Case("key-order", "{type: object, properties: {city: {type: string}}}", "{properties: {city: {type: string}}, type: object}"),
    Case("order", "order: in_order", "order: exact"),
    Case("expected", "never: [delete_file]", "never: [delete_all]"),
    Case("turns", "turns: {min: 1, max: 3}", "turns: 2"),
    Case("loop", "loop: my_agent.loop:run", "loop: other:run"),
    Case("match", "match: conversation", "match: exact"),
    Case("limits", "max_turns: 6", "max_turns: 7"),
    Case("deadline", "deadline: 2", "deadline: 3"),
    Case("allow", "the framework splits results", "we like it so"),
    Case("script", "message: busy", "message: later"),
    Case("subagents", "contains: helper", "contains: assistant"),
    Case("delay", "delay: 0.5", "delay: 1"),
    Case("description", "Weather of a city.", "The weather.", ("tools",)),
    Case("schema", "{city: {type: string}}", "{city: {type: number}}", ("tools",)),
    Case("system", "Be terse.", "Be kind.", ("system",)),
    Case("model", "model: claude-test", "model: claude-other", ("model",)),
    Case("max_tokens", "max_tokens: 512", "max_tokens: 513", ("parameters",)),
    Case("stream", "stream: true", "stream: false", ("parameters",)),
    Case("wire", "wire: messages", "wire: converse", ("parameters",)),
    Case("thinking", "budget_tokens: 1024", "budget_tokens: 2048", ("parameters",)),
    Case("betas", "some-beta-2026-01-01", "some-beta-2026-02-02", ("parameters",)),
    Case("tool_choice", "{type: tool, name: get_weather}", "{type: auto}", ("parameters",)),
    Case("extra_body", "temperature: 0", "temperature: 1", ("parameters",)),
    Case("prompt", "text: Weather?", "text: Weather!", ("prompts",)),
    Case("history", "content: earlier", "content: before", ("prompts",)),
    Case("decision", "approve: {bash: deny}", "approve: {bash: allow}", ("prompts",)),
    Case("return", "return: {temp_c: 4}", "return: {temp_c: 5}", ("stubs",)),
    Case("return-null", "      - {}", "      - {error: null}", ("stubs",)),
    Case("times", "times: 1", "times: 2", ("stubs",)),
    Case("when", "city: {regex: ^A}", "city: {regex: ^B}", ("stubs",)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_changes_a_digest(case: Case) -> None:
    assert FULL.count(case.old) == 1
    before = digests(scenario(FULL))
    after = digests(scenario(FULL.replace(case.old, case.new)))

    assert list(before) == PARTS
    assert tuple(part for part in PARTS if before[part] != after[part]) == case.changes


def test_a_single_entry_is_a_list_of_one() -> None:
    listed = FULL.replace("stub: {return: ok}", "stub: [{return: ok}]")

    assert digests(scenario(listed)) == digests(scenario(FULL))


def test_digests_never_change() -> None:
    # They stand in cassettes: another value here makes every recording stale.
    assert digest({"b": [1, "é", None], "a": 0.5}) == "602a2bbd2d31229e"
