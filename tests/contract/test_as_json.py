from __future__ import annotations

from types import MappingProxyType

import pytest
from anthropic.types import ToolUseBlock

import toolreplay
from toolreplay.errors import UsageError

USE = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}
HISTORY = [{"role": "user", "content": "a"}, {"role": "assistant", "content": [USE]}, {"role": "user", "content": "b"}]


@pytest.mark.parametrize(
    "request_",
    [
        HISTORY,
        tuple(HISTORY),
        iter(HISTORY),
        {"messages": tuple(HISTORY)},
        MappingProxyType({"messages": HISTORY}),
        [HISTORY[0], {"role": "assistant", "content": [ToolUseBlock(**USE)]}, HISTORY[2]],  # type: ignore[arg-type]
    ],
    ids=["list", "tuple", "iterator", "body", "mapping", "blocks of the SDK"],
)
def test_what_people_hold_in_their_hands_is_judged(request_: object) -> None:
    assert [finding.code for finding in toolreplay.check(request_)] == ["TR101"]


@pytest.mark.parametrize("request_", [None, 3, "messages", b"{}"])
def test_what_is_no_request_is_refused(request_: object) -> None:
    with pytest.raises(UsageError, match="a request is a mapping, or a list of messages, and not "):
        toolreplay.check(request_)
