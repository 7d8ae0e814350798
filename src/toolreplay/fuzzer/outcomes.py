"""What a tool does for one call, as the entry of a stub: every row that design and field reports name.

Values and messages that can hold text carry a marker, a short word of the call's own, by which its result is
recognised however a loop cuts or wraps it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import zip_longest
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Entry = dict[str, Any]

# Exceptions as stubs name them, the plainest first: a failure shrinks towards the front.
EXCEPTIONS: Final = (
    "ValueError",
    "KeyError",
    "LookupError",
    "RuntimeError",
    "TypeError",
    "OSError",
    "TimeoutError",
    # A loop may take these for the API's own failure; httpx's too, but the SDK decides which httpx is installed.
    "anthropic.APIConnectionError",
    "anthropic.APITimeoutError",
    "PermissionError",
    "ConnectionResetError",
    "ZeroDivisionError",
    "AssertionError",
    "NotImplementedError",
    "MemoryError",
    "RecursionError",
    "UnicodeDecodeError",
    "ExceptionGroup",
    "json.JSONDecodeError",
    "concurrent.futures.BrokenExecutor",
    "StopIteration",
    "StopAsyncIteration",
)
# These may leave a loop; then only what the session sends next is judged.
INTERRUPTIONS: Final = ("asyncio.CancelledError", "KeyboardInterrupt", "SystemExit", "GeneratorExit")
# What can hang a loop for ever or end its process, so that it is played in a process of its own.
RISKY: Final = frozenset({"StopIteration", "StopAsyncIteration", *INTERRUPTIONS})
GARBAGE: Final = ("none", "bytes", "nan", "surrogate", "cyclic", "not_json", "huge")
# Few of the huge one: it costs most, and was no loop's undoing in 1,917 runs of twelve frameworks.
_MOSTLY: Final = (*GARBAGE[:4] * 3, *GARBAGE[:6], "huge", *GARBAGE[:6] * 2)
UNPRINTABLE: Final = "toolreplay.scenario.exceptions.Unprintable"

_OFTEN: Final = (*EXCEPTIONS[:6] * 2, *EXCEPTIONS)
_PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
_IMAGE: Final[Entry] = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": _PIXEL},
}
_MOMENT: Final = 0.002  # seconds
SLOW: Final = 0.3  # seconds; more than a loop with a limit of its own on tools waits in a test
# As often as each is worth it: what plays in a process of its own costs ten times as much.
_KINDS: Final = (
    *("text",) * 5,
    *("raise",) * 6,
    *("value",) * 5,
    *("garbage",) * 3,
    "blocks",
    "mutate",
    "interrupt",
    "stop",
)
_SHAPES: Final[tuple[Callable[[str], object], ...]] = (
    lambda marker: {"value": marker},
    lambda marker: [marker],
    lambda _: "",
    lambda _: None,
    lambda marker: f"{marker} {'long text ' * 4000}{marker}",
    lambda marker: f"{marker}\nin\n\nlines\n",
    lambda marker: {"deep": {"er": [{"still": marker}]}, "empty": None},
    lambda marker: [{"value": marker}, {"value": 2}],
    lambda marker: [{"type": "note", "value": marker}],
    lambda marker: f'{{"json": "{marker}"}}',
    lambda marker: f"<b>{marker}</b> ünï ☂ \x07",
    lambda _: "  \n",
    lambda _: [],
    lambda _: {},
    lambda _: True,
    lambda _: False,
    lambda _: 0,
    lambda _: 3.5,
)
_MESSAGES: Final[tuple[Callable[[str], str], ...]] = (
    lambda marker: marker,
    lambda marker: f"{marker}\nsecond line",
    lambda _: "",
    lambda _: "   ",
    lambda marker: f"{marker} " + "stack " * 4000,
    lambda marker: f"{marker} \ud83d",
)


_KIND: Final = st.sampled_from(_KINDS)
_SHAPE: Final = st.sampled_from(_SHAPES)
_MESSAGE: Final = st.sampled_from(_MESSAGES)
_EXCEPTION: Final = st.sampled_from(_OFTEN)
# It hangs whoever hands it to a future, and so is worth a kind of its own.
_STOP: Final = st.sampled_from(("StopIteration", "StopIteration"))
_INTERRUPTION: Final = st.sampled_from(INTERRUPTIONS)
_GARBAGE: Final = st.sampled_from(_MOSTLY)
_SIXTEENTH: Final = st.integers(0, 15)
# In one conversation of two hundred: a slow tool costs as much as fifty others.
_HANG: Final = st.sampled_from((_MOMENT, SLOW))


def tool_outcomes(marker: str = "mark-1", *, interruptions: bool = True) -> SearchStrategy[Entry]:
    """Entries of a stub, as scenario files have them: `{"return": ...}`, `{"raise": {"type": ..., "message": ...}}`.

    Args:
        marker: the word that values and messages carry.
        interruptions: whether tools may raise what no `except Exception` catches.
    """
    return _outcomes(marker, interruptions)


@cache  # Hypothesis looks each new strategy over, which costs more than a draw
def _outcomes(marker: str, interruptions: bool) -> SearchStrategy[Entry]:
    return _outcome(marker, interruptions=interruptions)


@st.composite
def _outcome(draw: st.DrawFn, marker: str, *, interruptions: bool) -> Entry:
    kind = draw(_KIND)
    match kind:
        case "raise" | "stop":
            return _raised(draw, marker, _STOP if kind == "stop" else _EXCEPTION)
        case "interrupt" if interruptions:
            return _raised(draw, marker, _INTERRUPTION)
        case "value":
            return {"return": draw(_SHAPE)(marker)}
        case "garbage":
            return {"garbage": draw(_GARBAGE)}
        case "blocks":
            return _blocks(marker, *([_IMAGE] if draw(st.booleans()) else []))
        case "mutate":
            return {"mutate": True, "return": marker}
    return {"return": marker}


def each_outcome(marker: str) -> Iterator[Entry]:
    """Every entry that can be drawn, but for combinations: of each kind the plainest first, kinds in turn."""
    kinds: tuple[list[Entry], ...] = (
        [{"return": marker}, *({"return": shape(marker)} for shape in _SHAPES)],
        [_raise(name, marker) for name in EXCEPTIONS if name not in RISKY],
        [{"garbage": kind} for kind in GARBAGE],
        [_raise(EXCEPTIONS[0], message(marker)) for message in _MESSAGES[1:]],
        [_raise(name, marker) for name in (*EXCEPTIONS, *INTERRUPTIONS) if name in RISKY],
        [{"mutate": True, "return": marker}, _blocks(marker), _blocks(marker, _IMAGE)],
        [{"raise": {"type": UNPRINTABLE}}, {"hang": _MOMENT}, {"hang": SLOW}],
    )
    for in_turn in zip_longest(*kinds):
        yield from (entry for entry in in_turn if entry is not None)


def _raise(name: str, message: str) -> Entry:
    return {"raise": {"type": name, "message": message}}


def _blocks(marker: str, *images: Entry) -> Entry:
    return {"blocks": [{"type": "text", "text": marker}, *images]}


def _raised(draw: st.DrawFn, marker: str, names: SearchStrategy[str]) -> Entry:
    # As many draws for each: what takes fewer passes for plainer when a case shrinks.
    unprintable, name, message = draw(_SIXTEENTH) == 15, draw(names), draw(_MESSAGE)(marker)
    if unprintable:
        return {"raise": {"type": UNPRINTABLE}}
    if name == "TimeoutError" and draw(st.booleans()):
        return {"hang": draw(_HANG)}
    return _raise(name, message)
