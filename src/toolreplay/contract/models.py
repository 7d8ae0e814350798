"""What a model's name says about the rules it is judged by.

Names come in many spellings (`claude-sonnet-4-5-20250929`, `claude-3-5-haiku@20241022`,
`us.anthropic.claude-opus-4-6-v1:0`); what counts is the family and the version. A name that tells neither is
judged by what holds for all.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, TypeAlias

from .finding import Severity

Version: TypeAlias = tuple[int, int]

_VERSION: Final = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")
_FAMILIES: Final = ("opus", "sonnet", "haiku", "fable", "mythos")

_LAST_WITH_ANY_LABEL: Final = (3, 5)
_LAST_WITH_PREFILL: Final = (4, 5)
_LAST_WITH_MANUAL_THINKING_ALONE: Final = (4, 5)
_LAST_WITHOUT_THINKING_BY_DEFAULT: Final = (4, 8)
_FIRST_WITH_SYSTEM_MESSAGES: Final = (4, 8)
_FIRST_THAT_BINDS_THINKING: Final = (5, 1)
_REFUSES_FORCED_CHOICE: Final = {"opus": (5, 5), "fable": (5, 1)}
_SUSPECTED: Final = (5, 5)


@lru_cache(maxsize=256)
def claude_version(model: str | None) -> Version | None:
    """Major and minor version of a Claude model, `(4, 5)`; None where the name tells none."""
    match = _VERSION.search((model or "").lower())
    return (int(match[1]), int(match[2] or 0)) if match else None


def takes_any_label(model: str | None) -> bool:
    """Whether an image may be of another type than it is said to be: 200 recorded with Claude 3.5 alone."""
    version = claude_version(model)
    return version is not None and version <= _LAST_WITH_ANY_LABEL


def refuses_prefill(model: str | None) -> bool:
    """Whether a request may not end with an assistant message: Claude 4.6 and later (docs: api/errors)."""
    version = claude_version(model)
    return version is not None and version > _LAST_WITH_PREFILL


def insists_on_thinking(model: str | None) -> bool:
    """Whether a tool loop without its thinking was refused: seen for Claude 3.7 to 4.5.

    Later ones switch thinking off for the request instead (docs: extended-thinking, "Graceful thinking
    degradation").
    """
    version = claude_version(model)
    return version is not None and version <= _LAST_WITH_MANUAL_THINKING_ALONE


def thinks_only_when_asked(model: str | None) -> bool:
    """Whether thinking is off unless the request asks for it."""
    version = claude_version(model)
    return version is not None and version <= _LAST_WITHOUT_THINKING_BY_DEFAULT


def refuses_system_messages(model: str | None) -> bool:
    """Whether `role: system` is unknown in `messages` (docs: mid-conversation-system-messages)."""
    version = claude_version(model)
    return version is not None and version < _FIRST_WITH_SYSTEM_MESSAGES


def may_bind_thinking(model: str | None) -> bool:
    """Whether thinking may be bound to what stood before it: not so before Fable 5.1 and the 5.5 models."""
    version = claude_version(model)
    return version is None or version >= _FIRST_THAT_BINDS_THINKING


def refuses_forced_choice(model: str | None) -> Severity | None:
    """How certain it is that a model takes no forced choice (docs: define-tools); None when it takes one."""
    name = (model or "").lower()
    version = claude_version(name)
    family = next((family for family in _FAMILIES if family in name), "")
    if family in _REFUSES_FORCED_CHOICE and version is not None and version >= _REFUSES_FORCED_CHOICE[family]:
        return Severity.ERROR
    if family == "mythos" or (version is not None and version >= _SUSPECTED):
        return Severity.WARNING
    return None
