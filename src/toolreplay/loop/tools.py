"""Running the tools of one reply: every call gets exactly one result, whatever its tool does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .results import ErrorResult, content_of, error_content, message_of

Functions = Mapping[str, Callable[..., object]]


class UnknownTool(LookupError):
    """The model asked for a tool that does not exist. The model is told so and goes on."""


def run_tools(parts: Iterable[Mapping[str, Any]], functions: Functions) -> list[dict[str, Any]]:
    """Run every tool_use among the parts of a reply and give one tool_result for each, in order.

    Args:
        parts: the content blocks of an assistant message; other blocks than tool_use are passed over.
        functions: the tools by name.

    KeyboardInterrupt, SystemExit and cancellation are no failures of a tool and pass through.
    """
    return [_run_one(part, functions) for part in parts if part.get("type") == "tool_use"]


def run_tool(name: str, tool_input: Mapping[str, Any], functions: Functions) -> object:
    """Call the function of that name with the input as keyword arguments.

    Raises:
        UnknownTool: there is none.
    """
    function = functions.get(name)
    if function is None:
        raise UnknownTool(f"no tool named {name!r}; the tools are: {', '.join(sorted(functions)) or 'none'}")
    return function(**tool_input)


def _run_one(use: Mapping[str, Any], functions: Functions) -> dict[str, Any]:
    try:
        value = run_tool(use["name"], use["input"], functions)
        if not isinstance(value, ErrorResult):
            return _result(use, content=content_of(value))
    except Exception as error:  # noqa: BLE001  (whatever a tool raises becomes a result that says so)
        value = ErrorResult(message_of(error))
    return _result(use, content=error_content(value.content), is_error=True)


def _result(use: Mapping[str, Any], **fields: object) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": use["id"], **fields}
