"""The tools that a request offers, analysed once for all requests that offer the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolreplay.wire.fields import mapping
from toolreplay.wire.model import Request, ToolDefinition, Wire

from .finding import Finding, Profile
from .fitting import misfit
from .lazy import lazy


class Toolset:
    """The tool definitions of a request; several requests share one, so what is found out here costs once.

    Attributes:
        wire: the wire whose names its findings use.
        raw: `tools` as sent, on Converse those of `toolConfig`; None where the request has none.
        definitions: the same, parsed.
    """

    def __init__(self, request: Request) -> None:
        self.wire: Final = request.wire
        self.raw: Final = raw_tools(request)
        self.definitions: Final = request.tools or ()
        self._findings: dict[Profile, tuple[Finding, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self.definitions)

    @lazy
    def names(self) -> frozenset[str]:
        """The names of all tools, server tools included."""
        return frozenset(self.by_name)

    @lazy
    def by_name(self) -> dict[str, ToolDefinition]:
        """The definitions by name; where two have one name, the first."""
        found: dict[str, ToolDefinition] = {}
        for definition in self.definitions:
            if definition.name is not None:
                found.setdefault(definition.name, definition)
        return found

    @property
    def root(self) -> str:
        """The place of the tools in a body: `tools`, `toolConfig`."""
        return "toolConfig" if self.wire is Wire.CONVERSE else "tools"

    @lazy
    def plain(self) -> list[object]:
        """The definitions without `cache_control`, which may move freely."""
        return [without_cache(definition.raw) for definition in self.definitions if definition.type != "cachePoint"]

    def misfit(self, name: str, given: object) -> str | None:
        """What in a call's input does not fit the schema of its tool; None where all does."""
        definition = self.by_name.get(name)
        return misfit(given, definition.input_schema) if definition is not None else None

    def remembered(self, profile: Profile) -> tuple[Finding, ...] | None:
        """What was found wrong with the definitions, if they were judged by this profile before."""
        return self._findings.get(profile)

    def remember(self, profile: Profile, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Keep what was found wrong with the definitions."""
        self._findings[profile] = tuple(findings)
        return self._findings[profile]


def raw_tools(request: Request) -> object:
    """The tools of a request as sent, which tells whether two requests offer the same."""
    body = mapping(request.body.get("toolConfig")) if request.wire is Wire.CONVERSE else request.body
    return body.get("tools")


def is_client_tool(definition: ToolDefinition) -> bool:
    """Whether it is a tool of the user's own, with a name and a schema."""
    return definition.type == "custom"


def without_cache(raw: object) -> object:
    """An object without its `cache_control`."""
    fields = mapping(raw)
    return {key: value for key, value in fields.items() if key != "cache_control"} if fields else raw
