"""Loops of other styles than the reference loop's, all of them right."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anthropic
import httpx

from .drive import Functions, Json, answering, result, results

URL = "https://api.anthropic.com/v1/messages"


@answering
def reverses_results(calls: Sequence[Json], functions: Functions) -> object:
    return results(calls, functions)[::-1]


@answering
def runs_tools_in_threads(calls: Sequence[Json], functions: Functions) -> object:
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda call: result(call, functions), calls))


@answering
def adds_text_after_results(calls: Sequence[Json], functions: Functions) -> object:
    return [*results(calls, functions), {"type": "text", "text": "Be brief."}]


@answering
def cuts_and_wraps_results(calls: Sequence[Json], functions: Functions) -> object:
    return [
        {**one, "content": [{"type": "text", "text": f"<result>\n{one['content'][:200]}\n</result>"}]}
        for one in results(calls, functions)
    ]


class Agent:
    """A loop that is a method, with a client of its own."""

    @classmethod
    def run(cls, messages: list[Json], tools: list[Json], functions: Functions) -> str:
        client = anthropic.Anthropic(max_retries=0)
        history: Any = list(messages)
        while True:
            reply = client.messages.create(
                model="claude-sonnet-5-5",
                max_tokens=1024,
                messages=history,
                tools=tools,  # type: ignore[arg-type]
            ).to_dict()
            content: Any = reply["content"]
            history.append({"role": "assistant", "content": content})
            calls = [block for block in content if block["type"] == "tool_use"]
            if not calls:
                return str(content[0]["text"])
            history.append({"role": "user", "content": results(calls, functions)})


def _turns(send: Any, model: str, messages: list[Json], tools: list[Json], functions: Functions) -> list[Json]:
    while True:
        reply = send({"model": model, "max_tokens": 1024, "messages": messages, "tools": tools})
        messages.append({"role": "assistant", "content": reply["content"]})
        calls = [block for block in reply["content"] if block["type"] == "tool_use"]
        if not calls:
            return messages
        messages.append({"role": "user", "content": results(calls, functions)})


def sends_through_httpx(model: str, messages: list[Json], tools: list[Json], functions: Functions) -> list[Json]:
    with httpx.Client() as client:
        return _turns(lambda body: client.post(URL, json=body).json(), model, messages, tools, functions)


def sends_through_urllib(model: str, messages: list[Json], tools: list[Json], functions: Functions) -> list[Json]:
    def send(body: Json) -> Any:
        data = json.dumps(body).encode()
        request = urllib.request.Request(URL, data, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    return _turns(send, model, messages, tools, functions)


def sends_through_a_gateway(model: str, messages: list[Json], tools: list[Json], functions: Functions) -> list[Json]:
    client = anthropic.Anthropic(base_url="https://gateway.example/anthropic", api_key="k")
    return _turns(lambda body: client.messages.create(**body).to_dict(), model, messages, tools, functions)


def is_async_inside(model: str, messages: list[Json], tools: list[Json], functions: Functions) -> list[Json]:
    async def turns() -> list[Json]:
        async with anthropic.AsyncAnthropic() as client:
            while True:
                fields: Any = {"messages": messages, "tools": tools}
                reply = await client.messages.create(model=model, max_tokens=1024, **fields)
                content: Any = reply.to_dict()["content"]
                messages.append({"role": "assistant", "content": content})
                calls = [block for block in content if block["type"] == "tool_use"]
                if not calls:
                    return messages
                messages.append({"role": "user", "content": results(calls, functions)})

    return asyncio.run(turns())


def forgets_the_tools(model: str, messages: list[Json], tools: list[Json], functions: Functions) -> list[Json]:
    client: Any = anthropic.Anthropic()

    def send(body: Json) -> Any:
        if len(body["messages"]) > 1:
            del body["tools"]
        return client.messages.create(**body).to_dict()

    return _turns(send, model, messages, tools, functions)
