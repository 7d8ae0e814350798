"""What a loop may ask for by parameter name, in the shape of the scenario's wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolreplay.scenario.model import Scenario
from toolreplay.scenario.request import request_fields
from toolreplay.wire import mapping
from toolreplay.wire.model import Wire

from .clients import Clients
from .toolbox import Toolbox

if TYPE_CHECKING:
    from .session import Session

Message = Mapping[str, Any]
NAMES: Final = frozenset(
    {
        "approve",
        "async_functions",
        "base_url",
        "call_tool",
        "client",
        "functions",
        "max_tokens",
        "max_turns",
        "messages",
        "model",
        "parameters",
        "prompt",
        "session",
        "stream",
        "system",
        "tools",
    }
)
_OWN_PLACE: Final = ("model", "max_tokens", "system", "tools")


class Offer:
    """The values for one run. Those that a loop could change are made anew for each prompt."""

    def __init__(
        self,
        scenario: Scenario,
        session: Session,
        toolbox: Toolbox,
        clients: Clients,
        base_url: str | None,
        client: str,
    ) -> None:
        self._scenario = scenario
        self._session = session
        self._toolbox = toolbox
        self._clients = clients
        self._base_url = base_url
        self._client = client
        self._converse = scenario.wire is Wire.CONVERSE

    def fill(self, names: tuple[str, ...], messages: list[Message], approve: Callable[..., object]) -> dict[str, Any]:
        """The values that a loop asked for."""
        fields = request_fields(self._scenario)
        makers: dict[str, Callable[[], Any]] = {
            "approve": lambda: approve,
            "async_functions": lambda: self._toolbox.async_functions,
            "base_url": lambda: self._base_url,
            "call_tool": lambda: self._toolbox.call_tool,
            "client": lambda: self._clients.get(self._client),
            "functions": lambda: self._toolbox.functions,
            "max_tokens": lambda: fields["max_tokens"],
            "max_turns": lambda: self._scenario.max_turns,
            "messages": lambda: messages,
            "model": lambda: fields["model"],
            "parameters": lambda: self._parameters(fields),
            "prompt": lambda: messages[-1]["content"] if messages else "",
            "session": lambda: self._session,
            "stream": lambda: self._scenario.stream,
            "system": lambda: self._system(fields.get("system")),
            "tools": lambda: self._tools(fields.get("tools", [])),
        }
        assert makers.keys() == NAMES
        return {name: makers[name]() for name in names}

    def _system(self, system: Any) -> Any:
        return mapping.system(system) if self._converse and system is not None else system

    def _tools(self, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return mapping.tools(tools) if self._converse else tools

    def _parameters(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields that have no parameter of their own, as arguments of the client's method."""
        rest = {name: value for name, value in fields.items() if name not in _OWN_PLACE}
        if self._converse:
            return _converse_parameters(rest, self._scenario.betas)
        extra = {name: rest.pop(name) for name in self._scenario.extra_body if name in rest}
        if extra:
            rest["extra_body"] = extra
        if self._scenario.betas:
            rest["extra_headers"] = {"anthropic-beta": ",".join(self._scenario.betas)}
        return rest


def _converse_parameters(fields: Mapping[str, Any], betas: Sequence[str]) -> dict[str, Any]:
    rest = dict(fields)
    found: dict[str, Any] = {}
    choice = rest.pop("tool_choice", None)
    if choice is not None:
        found["toolConfig"] = {"toolChoice": mapping.tool_choice(choice)}
    if betas:
        rest["anthropic_beta"] = list(betas)
    if rest:
        found["additionalModelRequestFields"] = rest
    return found
