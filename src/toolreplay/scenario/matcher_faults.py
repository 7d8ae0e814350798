"""What is wrong with a matcher, told when the scenario is loaded, not when it first matches nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .faults import Fault, Path
from .nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

MATCHERS: Final = ("equals", "contains", "regex", "json", "any")


def matcher_of(value: object) -> tuple[str, object] | None:
    """The name and value of a matcher; None for any other value."""
    if isinstance(value, dict) and len(value) == 1:
        [(name, inner)] = value.items()
        if name in MATCHERS:
            return name, inner
    return None


def faults_of_arguments(expected: object) -> Iterator[Fault]:
    """What is wrong with a `when` or an `input`: a tool's arguments, or one matcher for all of them."""
    if matcher_of(expected) is not None:
        yield from faults_of_matcher(expected)
        return
    for key, value in expected.items() if isinstance(expected, dict) else ():
        yield from faults_of_matcher(value, (key,))


def faults_of_text(expected: object) -> Iterator[Fault]:
    """What is wrong with an expectation of text: text, or one matcher."""
    if isinstance(expected, str):
        return
    if matcher_of(expected) is None:
        hint = _misspelt(expected) or "write the text, or a matcher such as {contains: ...}"
        yield Fault((), f"expected text or a matcher; {hint}")
        return
    yield from faults_of_matcher(expected)


def faults_of_content(expected: object) -> Iterator[Fault]:
    """What is wrong with an expectation of a result's content: any value, or one matcher."""
    hint = _misspelt(expected)
    if hint is not None:
        yield Fault((), f"no such matcher; {hint} (write {{equals: ...}} around plain data)")
        return
    yield from faults_of_matcher(expected)


def faults_of_matcher(expected: object, at: Path = ()) -> Iterator[Fault]:
    """What is wrong with matchers at any depth of an expected value."""
    matcher = matcher_of(expected)
    if matcher is not None:
        name, value = matcher
        yield from _faults_of_value(name, value, (*at, name))
    elif isinstance(expected, dict):
        if len(expected) > 1 and all(key in MATCHERS for key in expected):
            names = " and ".join(map(repr, expected))
            yield Fault(at, f"{names} stand together; a matcher has one, write {{equals: ...}} around plain data")
        for key, value in expected.items():
            yield from faults_of_matcher(value, (*at, key))
    elif isinstance(expected, list):
        for index, value in enumerate(expected):
            yield from faults_of_matcher(value, (*at, index))


def _faults_of_value(name: str, value: object, at: Path) -> Iterator[Fault]:
    match name:
        case "contains" | "regex":
            items = value if isinstance(value, list) else [value]
            if not items:
                yield Fault(at, "an empty list holds for every text; write what has to be there")
            for index, item in enumerate(items):
                what = _fault_of_text_part(name, item)
                if what is not None:
                    yield Fault((*at, index) if isinstance(value, list) else at, what)
        case "json":
            yield from faults_of_matcher(value, at)
        case "any":
            if isinstance(value, list) and value:
                yield from faults_of_matcher(value, at)
            elif value is not True:
                yield Fault(at, "expected true (anything fits) or a list (one of these fits)")
        case _:
            pass  # `equals` takes everything


def _fault_of_text_part(name: str, item: object) -> str | None:
    if item == "":
        return "the empty text is in every text; write what has to be there"
    if name == "contains":
        scalar = item is not None and not isinstance(item, dict | list)
        return None if scalar else "expected text, or a list of texts that all have to be there"
    if not isinstance(item, str):
        return "expected a regular expression, in quotes"
    try:
        re.compile(item)
    except (re.error, OverflowError, RecursionError) as error:
        return f"{item!r} is no regular expression: {error}; mend it, or use contains"
    return None


def _misspelt(expected: object) -> str | None:
    if not isinstance(expected, dict) or len(expected) != 1:
        return None
    [name] = expected
    near = None if name in MATCHERS else nearest(name, MATCHERS, cutoff=0.8)
    return None if near is None else f"did you mean {near!r}?"
