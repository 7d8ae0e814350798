"""Loops with one fault each, named for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anthropic import Anthropic

from .drive import Functions, Json, answering, result, results


def _with_first(calls: Sequence[Json], functions: Functions, **changes: object) -> list[Json]:
    first, *others = results(calls, functions)
    return [{**first, **changes}, *others]


@answering
def loses_is_error(calls: Sequence[Json], functions: Functions) -> object:
    return [{name: value for name, value in one.items() if name != "is_error"} for one in results(calls, functions)]


@answering
def sets_is_error_on_good_results(calls: Sequence[Json], functions: Functions) -> object:
    return [{**one, "is_error": True} for one in results(calls, functions)]


@answering
def answers_the_first_only(calls: Sequence[Json], functions: Functions) -> object:
    return [result(calls[0], functions)]


@answering
def sends_the_first_only(calls: Sequence[Json], functions: Functions) -> object:
    return results(calls, functions)[:1]


@answering
def lets_the_exception_out(calls: Sequence[Json], functions: Functions) -> object:
    return [
        {
            "type": "tool_result",
            "tool_use_id": one["id"],
            "content": str(functions[one["name"]](**one["input"])),
        }
        for one in calls
    ]


@answering
def wraps_the_exception(calls: Sequence[Json], functions: Functions) -> object:
    try:
        return [str(functions[one["name"]](**one["input"])) for one in calls]
    except LookupError as error:
        raise RuntimeError("a tool failed") from error


@answering
def raises_of_its_own(calls: Sequence[Json], functions: Functions) -> object:
    results(calls, functions)
    raise ZeroDivisionError("a fault of the loop")


@answering
def swaps_ids(calls: Sequence[Json], functions: Functions) -> object:
    first, second, *others = results(calls, functions)
    ids = first["tool_use_id"], second["tool_use_id"]
    return [{**first, "tool_use_id": ids[1]}, {**second, "tool_use_id": ids[0]}, *others]


@answering
def drops_content(calls: Sequence[Json], functions: Functions) -> object:
    return _with_first(calls, functions, content="done")


@answering
def sends_no_content(calls: Sequence[Json], functions: Functions) -> object:
    first, *others = results(calls, functions)
    return [{"type": "tool_result", "tool_use_id": first["tool_use_id"]}, *others]


@answering
def stops_without_answering(calls: Sequence[Json], functions: Functions) -> object:
    return None


@answering
def stops_after_running(calls: Sequence[Json], functions: Functions) -> object:
    results(calls, functions)
    return None


@answering
def puts_text_before_results(calls: Sequence[Json], functions: Functions) -> object:
    return [{"type": "text", "text": "Here are the results."}, *results(calls, functions)]


@answering
def doubles_a_result(calls: Sequence[Json], functions: Functions) -> object:
    sent = results(calls, functions)
    return [*sent, sent[0]]


@answering
def changes_ids(calls: Sequence[Json], functions: Functions) -> object:
    return [{**one, "tool_use_id": f"call_{number}"} for number, one in enumerate(results(calls, functions))]


@answering
def sends_a_dict(calls: Sequence[Json], functions: Functions) -> object:
    return _with_first(calls, functions, content={"temp_c": 4, "sky": "rain"})


@answering
def sends_an_empty_error(calls: Sequence[Json], functions: Functions) -> object:
    return [{**one, "content": ""} if one.get("is_error") else one for one in results(calls, functions)]


@answering
def sends_an_empty_text_block(calls: Sequence[Json], functions: Functions) -> object:
    return _with_first(calls, functions, content=[{"type": "text", "text": ""}])


@answering
def says_the_same_for_every_error(calls: Sequence[Json], functions: Functions) -> object:
    return [{**one, "content": "Oops."} if one.get("is_error") else one for one in results(calls, functions)]


@answering
def runs_a_failing_tool_again(calls: Sequence[Json], functions: Functions) -> object:
    first = results(calls, functions)
    return [result(call, functions) if one.get("is_error") else one for call, one in zip(calls, first, strict=True)]


@answering
def splits_results(calls: Sequence[Json], functions: Functions) -> object:
    return [{"type": "text", "text": str(one["content"])} for one in results(calls, functions)]


def never_ends(
    client: Anthropic,
    model: str,
    max_tokens: int,
    messages: list[Json],
    tools: list[Json],
    functions: Mapping[str, Callable[..., object]],
) -> None:
    while True:
        fields: Any = {"messages": messages, "tools": tools}
        reply = client.messages.create(model=model, max_tokens=max_tokens, **fields).to_dict()
        content: Any = reply["content"]
        messages.append({"role": "assistant", "content": content})
        calls = [block for block in content if block["type"] == "tool_use"]
        messages.append({"role": "user", "content": results(calls, functions) or "Go on."})


def swallows_the_refusal(
    client: Anthropic, model: str, max_tokens: int, messages: list[Json], tools: list[Json]
) -> str:
    fields: Any = {"messages": messages, "tools": tools}
    reply = client.messages.create(model=model, max_tokens=max_tokens, **fields).to_dict()
    fields["messages"] = [*messages, {"role": "assistant", "content": reply["content"]}, messages[-1]]
    try:
        client.messages.create(model=model, max_tokens=max_tokens, **fields)
    except Exception:  # noqa: BLE001
        return "nothing happened"
    return "fine"


def asks_nothing(messages: list[Json]) -> list[Json]:
    return messages
