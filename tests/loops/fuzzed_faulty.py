"""Loops with one fault each, right in all else whatever tools and the model do."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any, Final

from anthropic import Anthropic, APIConnectionError

from toolreplay.loop.results import message_of

from .faults import FAULTS
from .planted import planted
from .sound import (
    Functions,
    Json,
    Said,
    answering,
    awaiting,
    awaiting_functions,
    called,
    calls_of,
    failed,
    goes_on,
    pair,
    result,
    results,
    sends,
    told,
    turns,
)
from .wires import Answer, Raw, is_json


def _without(call: Json, name: str) -> Json:
    return {key: value for key, value in call.items() if key != name}


@answering
def loses_the_flag(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    return [_without(one, "is_error") for one in results(calls, functions)]


@answering
def doubles_on_error(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    sent = results(calls, functions)
    return [*sent, *(one for one in sent if "is_error" in one)]


@answering
def tries_a_tool_again(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    first = results(calls, functions)
    return [result(call, functions) if "is_error" in one else one for call, one in zip(calls, first, strict=True)]


@answering
def looks_unknown_tools_up(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    table = {call["name"]: functions[call["name"]] for call in calls}
    return results(calls, table)


@answering
def spoils_inputs(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    sent = results(calls, functions)
    for call in calls:
        call["input"]["seen"] = True
    return sent


@answering
def lets_tools_spoil_inputs(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    """Gives functions the very input that stands in its history."""
    return [_with_its_own_input(call, functions) for call in calls]


def _with_its_own_input(call: Json, functions: Functions) -> Json:
    if call["name"] not in functions:
        return result(call, functions)
    try:
        return told(call, functions[call["name"]](**call["input"]))
    except Exception as error:  # noqa: BLE001  (a tool may raise anything)
        return failed(call, error)


@answering
def takes_a_tools_failure_for_the_apis(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    """Lets whoever asked it try again when the API cannot be reached, wherever that was said."""
    return [_unless_the_api_fails(call, functions) for call in calls]


def _unless_the_api_fails(call: Json, functions: Functions) -> Json:
    try:
        return told(call, called(call, functions))
    except APIConnectionError:
        raise
    except Exception as error:  # noqa: BLE001  (as above)
        return failed(call, error)


@answering
def leaves_slow_tools_behind(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    """Waits a tenth of a second, and sends what there is."""
    pool = ThreadPoolExecutor()
    running = {call["id"]: pool.submit(result, call, functions) for call in calls}
    ended, _ = wait(running.values(), timeout=0.1)
    pool.shutdown(wait=False)
    return [one.result() for one in running.values() if one in ended]


@answering
def pairs_by_position(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    finished = sorted(results(calls, functions), key=lambda one: "is_error" in one)
    return [{**one, "tool_use_id": call["id"]} for call, one in zip(calls, finished, strict=True)]


def rebuilds_the_turn_from_text(
    client: Anthropic, model: str, max_tokens: int, messages: list[Json], tools: list[Json], functions: Functions
) -> list[Json]:
    send = sends(client, {"model": model, "max_tokens": max_tokens, "tools": tools})
    while True:
        said = send(messages)
        calls = calls_of(said)
        if calls:
            texts = [block["text"] for block in said[0] if block["type"] == "text"]
            content = [{"type": "text", "text": "\n".join(texts) or "Let me look."}]
            messages += pair(content, results(calls, functions))
        elif not goes_on(messages, said):
            return messages


def asks_again_when_cut(
    client: Anthropic, model: str, max_tokens: int, messages: list[Json], tools: list[Json], functions: Functions
) -> list[Json]:
    """Takes a cut reply for a call of the tool that it holds, and its input for whole."""

    def send(history: list[Json]) -> Said:
        content, stop_reason = sends(client, {"model": model, "max_tokens": max_tokens, "tools": tools})(history)
        return content, "tool_use" if stop_reason == "max_tokens" else stop_reason

    return turns(send, messages, functions, results)


def parses_each_fragment_alone(
    client: Anthropic, model: str, max_tokens: int, messages: list[Json], tools: list[Json], functions: Functions
) -> list[Json]:
    def send(history: list[Json]) -> Said:
        blocks: dict[int, Json] = {}
        stop_reason = None
        body: Any = {"model": model, "max_tokens": max_tokens, "tools": tools, "messages": history}
        with client.messages.create(**body, stream=True) as events:
            for event in events:
                match event.to_dict():
                    case {"type": "content_block_start", "index": int(index), "content_block": dict(block)}:
                        blocks[index] = block
                    case {"type": "content_block_delta", "index": int(index), "delta": {"text": str(piece)}}:
                        blocks[index]["text"] += piece
                    case {"type": "content_block_delta", "index": int(index), "delta": {"partial_json": str(piece)}}:
                        blocks[index]["input"] = _parsed(piece) or blocks[index]["input"]
                    case {"type": "message_delta", "delta": {"stop_reason": reason}}:
                        stop_reason = str(reason)
        if stop_reason is None:
            raise ConnectionError("the reply broke off")
        return list(blocks.values()), stop_reason

    return turns(send, messages, functions, results)


def _parsed(piece: str) -> Any:
    try:
        return json.loads(piece)
    except ValueError:
        return None


def ignores_how_a_stream_ends(
    client: Anthropic, model: str, max_tokens: int, messages: list[Json], tools: list[Json], functions: Functions
) -> list[Json]:
    """Reads the SDK's streaming helper and runs whatever calls the message holds."""

    def send(history: list[Json]) -> Said:
        body: Any = {"model": model, "max_tokens": max_tokens, "tools": tools, "messages": history}
        with client.messages.stream(**body) as stream:
            content = [block.to_dict() for block in stream.get_final_message().content]
        return content, "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"

    return turns(send, messages, functions, results)


class Forgetful:
    """Keeps its own history, and puts a reply into it before its calls are answered."""

    def __init__(self, client: Anthropic, body: Json, functions: Functions) -> None:
        self._send = sends(client, body)
        self._functions = functions
        self._history: list[Json] = []

    def say(self, prompt: Any) -> None:
        """Answer a prompt."""
        self._history.append({"role": "user", "content": prompt})
        while True:
            said = self._send(self._history)
            calls = calls_of(said)
            if calls:
                self._history.append({"role": "assistant", "content": said[0]})
                self._history.append({"role": "user", "content": results(calls, self._functions)})
            elif not goes_on(self._history, said):
                return


def keeps_a_call_for_the_next_prompt(
    client: Anthropic, model: str, max_tokens: int, tools: list[Json], functions: Functions
) -> Forgetful:
    return Forgetful(client, {"model": model, "max_tokens": max_tokens, "tools": tools}, functions)


@awaiting
async def gathers_without_exceptions(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    values = await asyncio.gather(*(called(call, functions) for call in calls))
    return [told(call, value) for call, value in zip(calls, values, strict=True)]


@awaiting_functions
async def cancels_siblings(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    async def one(number: int, call: Json) -> Json:
        for _ in range(3 * number):  # one after the other, so that a failure finds the later ones at work
            await asyncio.sleep(0)
        return told(call, called(call, functions))

    tasks: list[asyncio.Task[Json]] = []
    try:
        async with asyncio.TaskGroup() as group:
            tasks += [group.create_task(one(number, call)) for number, call in enumerate(calls)]
    except* Exception:  # noqa: BLE001  (a tool may raise anything)
        pass
    ended = [(call, task) for call, task in zip(calls, tasks, strict=True) if not task.cancelled()]
    return [failed(call, error) if (error := task.exception()) else task.result() for call, task in ended]


@awaiting_functions
async def waits_for_futures(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    """Runs tools in an executor. A StopIteration cannot be set on a future, so whoever waits for it waits for ever."""
    loop = asyncio.get_running_loop()

    async def one(call: Json) -> Json:
        try:
            return told(call, await loop.run_in_executor(None, lambda: called(call, functions)))
        except Exception as error:  # noqa: BLE001  (a tool may raise anything)
            return failed(call, error)

    return [await one(call) for call in calls]


@awaiting_functions
async def waits_and_loses_the_flag(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    loop = asyncio.get_running_loop()
    return [_without(await loop.run_in_executor(None, _raising_stops, call, functions), "is_error") for call in calls]


def _raising_stops(call: Json, functions: Functions) -> Json:
    try:
        return told(call, called(call, functions))
    except StopIteration:
        raise
    except Exception as error:  # noqa: BLE001  (as above)
        return failed(call, error)


@answering
def ends_the_process(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    try:
        return results(calls, functions)
    except (KeyboardInterrupt, SystemExit):
        os._exit(3)


@answering
def hoards_memory(calls: Sequence[Json], functions: Functions) -> Sequence[Json]:
    """Takes an interrupt for a reason to gather what there is."""
    try:
        return results(calls, functions)
    except BaseException:  # noqa: BLE001  (its one fault)
        hoard = []
        while True:
            hoard.append(bytes(1 << 28))


def _told_empty(error: Exception) -> str:
    return "" if not error.args or not str(error.args[0]).strip() else message_of(error)


def _raw(fits: Callable[[object], bool]) -> Callable[[list[Answer]], list[Answer]]:
    """Some values go on the wire as they are."""
    return lambda answers: [
        replace(one, value=Raw(one.value)) if fits(one.value) and not one.failed else one for one in answers
    ]


def _is_object(value: object) -> bool:
    return isinstance(value, dict) and is_json(value)


def _is_bytes(value: object) -> bool:
    return isinstance(value, bytes)


def _is_nothing(value: object) -> bool:
    return value is None


def _as_json(answer: Answer) -> Answer:
    plain = isinstance(answer.value, list | int | float) and is_json(answer.value) and not answer.failed
    return replace(answer, value=Raw([{"json": answer.value}])) if plain else answer


PLANTED: Final[Mapping[str, Callable[..., object]]] = {
    **{
        name: FAULTS[name]
        for name in (
            "answers the first call only",
            "gives each result the id of the next call",
            "stops answering at the first failure",
            "lets a tool's exception out",
            "leaves the prompt when a tool fails",
            "sends failures as successes",
            "sends failures without their message",
            "puts a text before the results",
            "sends the tools once",
            "sends the newest message alone",
            "keeps the newest three messages",
            "drops the thinking",
            "takes a paused turn for the end",
            "gives all streamed input to the first call",
            "begins a conversation of its own",
        )
    },
    "drops the redacted thinking": planted(
        kept=lambda content: [block for block in content if block["type"] != "redacted_thinking"]
    ),
    "sends an empty error message": planted(told=_told_empty),
    "sends dicts as they are": planted(answers=_raw(_is_object)),
    "sends bytes as they are": planted(answers=_raw(_is_bytes)),
    "sends nothing as null": planted(answers=_raw(_is_nothing)),
    "sends texts as they are": planted(answers=lambda answers: [_unsafe(one) for one in answers]),
    "sends lists as json": planted(answers=lambda answers: [_as_json(one) for one in answers]),
    "keeps a call that it did not run": planted(last=lambda content, _uncalled: content or None),
    "appends an empty assistant message": planted(last=lambda content, uncalled: uncalled if content else []),
}


def _unsafe(answer: Answer) -> Answer:
    if not isinstance(answer.value, str) or answer.failed or not answer.value.strip():
        return answer
    return replace(answer, value=Raw([{"text": answer.value}]))
