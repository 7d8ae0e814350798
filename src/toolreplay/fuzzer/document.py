"""The document of one conversation: its tools with a stub for every call, and its steps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from .ground import Ground
from .outcomes import Entry

Json = dict[str, Any]

MOST_TURNS: Final = 12
_SPARE: Final = 4


class Stubs:
    """What the tools of a ground do for each input. Calls that are equal cannot be told apart by a loop, so they fare
    alike.
    """

    def __init__(self, ground: Ground) -> None:
        self._tools = ground.tools
        self._callable = frozenset(str(tool["name"]) for tool in ground.callable)
        self._entries: dict[tuple[str, str], Entry] = {}

    @property
    def marker(self) -> str:
        """The word for the next call's outcome to carry."""
        return f"mark-{len(self._entries) + 1:02d}"

    def lack(self, name: str, given: Json) -> bool:
        """Whether it is still open what a tool does for an input."""
        return name in self._callable and self._key(name, given) not in self._entries

    def add(self, name: str, given: Json, outcome: Entry) -> None:
        """Say what a tool does for an input."""
        self._entries[self._key(name, given)] = {"when": {"equals": given}, **outcome}

    def tools(self) -> list[Json]:
        """The tools, each with its stub: an entry for every call, and one for inputs that a loop changed."""
        return [{**tool, **self._stub(tool)} for tool in self._tools]

    def _stub(self, tool: Mapping[str, Any]) -> Json:
        name = str(tool.get("name"))
        if name not in self._callable:
            return {}
        entries = [entry for (named, _), entry in self._entries.items() if named == name]
        return {"stub": [*entries, {"return": "some other result"}]}

    @staticmethod
    def _key(name: str, given: Json) -> tuple[str, str]:
        return name, json.dumps(given, sort_keys=True)


def document(ground: Ground, stubs: Stubs, steps: Sequence[Json]) -> Json:
    """The scenario, as a file has it."""
    fields = {"version": 1, "name": "drawn", **ground.fields, "max_turns": _most_turns(ground)}
    return {**fields, "tools": stubs.tools(), "conversation": list(steps)}


def _most_turns(ground: Ground) -> int:
    """Enough for what is drawn and for what was recorded, with an error or two before it."""
    recorded = max(map(len, ground.recorded), default=0)
    return max(MOST_TURNS, recorded + _SPARE, ground.fields.get("max_turns") or 0)


def plain_document(ground: Ground) -> Json:
    """The plainest conversation on a ground: a prompt, and a reply without a call."""
    fields = {"version": 1, "name": "plain", **ground.fields}
    return {**fields, "tools": list(ground.tools), "conversation": [{"user": ground.prompts[0]}]}


def prompts_of(ground: Ground) -> tuple[Any, ...]:
    """The prompts of a ground, two at the least: a bad message poisons what comes after it."""
    return ground.prompts if len(ground.prompts) > 1 else (*ground.prompts, "And now?")
