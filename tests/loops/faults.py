"""Faults that real loops have, in words: each is the planted loop with one step gone wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from .planted import Abandoned, planted
from .wires import Answer, Json, Raw, Reading

Answers = list[Answer]


def _fails(error: Exception) -> str:
    raise error


def _abandons(_error: Exception) -> str:
    raise Abandoned


def _each(change: Callable[[Answer], Answer]) -> Callable[[Answers], Answers]:
    return lambda answers: [change(answer) for answer in answers]


def _valued(change: Callable[[Any], object]) -> Callable[[Answers], Answers]:
    """Change the values of the calls that went well."""
    return _each(lambda answer: answer if answer.failed else replace(answer, value=change(answer.value)))


def _ids_shifted(answers: Answers) -> Answers:
    return [replace(one, id=other.id) for one, other in zip(answers, answers[1:] + answers[:1], strict=True)]


def _until_a_failure(answers: Answers) -> Answers:
    failed = [index for index, answer in enumerate(answers) if answer.failed]
    return answers[: failed[0]] if failed else answers


def _blank_content(answer: Answer) -> Answer:
    return replace(answer, value=Raw([{"type": "text", "text": ""}])) if answer.value == "" else answer


def _with_text(blocks: list[Json], at: int) -> list[Json]:
    text = (
        {"text": "Here are the results."} if "toolResult" in blocks[0] else {"type": "text", "text": "Here they are."}
    )
    return [*blocks[:at], text, *blocks[at:]]


def _text_of_blocks(value: object) -> object:
    return str(value) if isinstance(value, list) else value


def _texts_alone(value: object) -> object:
    return [block for block in value if block["type"] == "text"] if isinstance(value, list) else value


def _without_tools(body: Json, number: int) -> Json:
    if number == 1:
        return body
    return {name: value for name, value in body.items() if name not in ("tools", "toolConfig")}


def _newest(count: int) -> Callable[[Json, int], Json]:
    return lambda body, _number: {**body, "messages": body["messages"][-count:]}


def _without_thinking(content: list[Json]) -> list[Json]:
    return [block for block in content if "thinking" not in block["type"]]


def _with_server_results(blocks: list[Json], reply: list[Json]) -> list[Json]:
    ids = [block["id"] for block in reply if block["type"] == "server_tool_use"]
    return [*blocks, *({"type": "tool_result", "tool_use_id": one, "content": "see above"} for one in ids)]


def _mended(text: str) -> Json:
    for end in ("", '"}', "}", '"}'):
        try:
            value: Json = json.loads((text or "{") + end)
        except ValueError:
            continue
        return value
    return {}


def _first_call(_index: int, calls: Sequence[int]) -> int:
    return calls[0]


def _first_read(content: list[Json], uncalled: list[Json]) -> list[Json]:
    return uncalled if content[0] else []


def _elsewhere(body: Json, number: int) -> Json:
    return body if number == 1 else {**body, "messages": [{"role": "user", "content": "Sum up what you know."}]}


def _impatient(client: Any) -> Any:
    return client.with_options(max_retries=0)


FAULTS: Final[Mapping[str, Callable[..., object]]] = {
    "answers the first call only": planted(answers=lambda answers: answers[:1]),
    "answers the last call only": planted(answers=lambda answers: answers[-1:]),
    "gives each result the id of the next call": planted(answers=_ids_shifted),
    "writes ids in lower case": planted(answers=_each(lambda answer: replace(answer, id=answer.id.lower()))),
    "passes arguments by position": planted(invoke=lambda function, given: function(*given.values())),
    "passes the input as one argument": planted(invoke=lambda function, given: function(given)),
    "stops answering at the first failure": planted(answers=_until_a_failure),
    "lets a tool's exception out": planted(told=_fails),
    "leaves the prompt when a tool fails": planted(told=_abandons),
    "sends failures as successes": planted(answers=_each(lambda answer: replace(answer, failed=False))),
    "sends failures without their message": planted(told=lambda _error: "the tool failed"),
    "sends an exception's text even if it is empty": planted(told=str),
    "sends the text that Python prints": planted(answers=_valued(str)),
    "sends values as they are": planted(answers=_valued(Raw)),
    "sends an empty text block": planted(answers=_each(_blank_content)),
    "sends blocks as text": planted(answers=_valued(_text_of_blocks)),
    "drops images": planted(answers=_valued(_texts_alone)),
    "cuts results to 80 characters": planted(
        answers=_each(lambda one: replace(one, value=one.value[:80]) if isinstance(one.value, str) else one)
    ),
    "sends objects as text": planted(
        answers=_valued(lambda value: json.dumps(value) if isinstance(value, dict) else value)
    ),
    "puts a text before the results": planted(blocks=lambda blocks, _reply: _with_text(blocks, 0)),
    "puts a text after the results": planted(blocks=lambda blocks, _reply: _with_text(blocks, len(blocks))),
    "answers the server's calls too": planted(blocks=_with_server_results),
    "sends the tools once": planted(request=_without_tools),
    "sends the newest message alone": planted(request=_newest(1)),
    "keeps the newest three messages": planted(request=_newest(3)),
    "begins a conversation of its own": planted(request=_elsewhere),
    "insists on a call": planted(goes_on="Use a tool."),
    "drops the thinking": planted(kept=_without_thinking),
    "gives all streamed input to the first call": planted(reading=Reading(place=_first_call)),
    "takes an empty input for broken JSON": planted(reading=Reading(parse=json.loads)),
    "mends a broken input and runs it": planted(reading=Reading(parse=_mended)),
    "keeps what a cut stream held": planted(whole=lambda _reason: True),
    "runs what a cut stream held": planted(
        whole=lambda _reason: True,
        runs=lambda reason: reason in ("tool_use", None),
        reading=Reading(parse=_mended),
    ),
    "does not ask the user": planted(asks=False),
    "leaves denied calls unanswered": planted(
        answers=lambda answers: [one for one in answers if "denied" not in str(one.value)]
    ),
    "takes a paused turn for the end": planted(resumes=lambda _reason: False),
    "runs calls before it looks at the stop reason": planted(eager=True),
    "keeps a call that it did not run": planted(last=lambda content, _uncalled: content),
    "keeps a refused turn": planted(
        refused=lambda history, content: [*history, {"role": "assistant", "content": content}]
    ),
    "forces the choice in every request": planted(forces_once=False),
    "looks at the limit after the tools": planted(limits_first=False),
    "keeps an empty reply": planted(last=lambda _content, uncalled: uncalled),
    "reads the first block of the last reply": planted(last=_first_read),
    "gives up on the first error of the API": planted(client=_impatient),
}
