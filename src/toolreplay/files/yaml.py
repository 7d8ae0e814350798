"""The one reader of YAML that people write: scenarios and what is configured beside them.

Values are JSON's types only: `no`, `on`, `12:30`, `0x10`, `1_000`, `~` and dates are text, because a person
who writes `country: no` means the word. Plain data is built here from the parser's events, so no constructor
of the YAML library ever runs, depth and size are bounded while reading, and every field keeps its line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import yaml

from toolreplay.errors import ToolreplayError

from .opening import open_plain
from .yaml_nodes import TOO_DEEP, Builder, Document, Positions, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["MAX_BYTES", "Document", "Positions", "YamlError", "read_documents", "read_file"]

MAX_BYTES: Final = 10_000_000

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# libyaml refuses escapes of surrogates, of which JSON text writes other characters, and a hostile tool lone ones.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class YamlError(ToolreplayError):
    """A YAML file that cannot be read, or holds what this reader refuses.

    Attributes:
        name: the file, as messages name it.
        line: from 1.
        message: what is wrong, and what to do.
    """

    def __init__(self, name: str, line: int, message: str) -> None:
        super().__init__(name, line, message)
        self.name = name
        self.line = line
        self.message = message

    def __str__(self) -> str:
        return f"{self.name}:{self.line}: {self.message}"


def read_file(path: Path, name: str) -> list[Document]:
    """Read the documents of a UTF-8 file; messages call it `name`.

    Raises:
        YamlError: the file cannot be opened, is over 10 MB, is no UTF-8, or what `read_documents` refuses.
    """
    try:
        with open_plain(path) as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        what = f"cannot be read: {error.strerror}"
        raise YamlError(name, 1, f"{what}; check the path and its permissions") from None
    if len(raw) > MAX_BYTES:
        raise _too_large(name)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"byte {raw[error.start]:#04x} is not UTF-8"
        raise YamlError(name, line, f"{what}; save the file as UTF-8") from None
    return read_documents(text, name)


def read_documents(text: str, name: str) -> list[Document]:
    """Read every document of a YAML text; a text of comments only has none.

    Raises:
        YamlError: the text is no YAML, holds duplicate or non-text keys, a tag, a recursive alias or a
            control character, or is too large: 10 MB, 100,000 values with aliases written out, 100 levels.
    """
    if len(text) > MAX_BYTES:
        raise _too_large(name)
    text = text.removeprefix("\ufeff")
    bad = _UNPRINTABLE.search(text)
    if bad is not None:
        line = text.count("\n", 0, bad.start()) + 1
        what = f"the character U+{ord(bad[0]):04X} is not allowed in YAML"
        raise YamlError(name, line, f'{what}; remove it, or write an escape such as "\\x00" in double quotes')
    try:
        return list(Builder().documents(_events(text)))
    except RefusedError as refused:
        raise YamlError(name, refused.line, refused.message) from None
    except yaml.YAMLError as error:
        raise _syntax_error(error, text, name) from None


def _events(text: str) -> Iterator[Any]:
    if _SURROGATE.search(text) is None:
        yield from yaml.parse(text, Loader=_LOADER)
        return
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.ScalarEvent):
            event.value = event.value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        yield event


def _too_large(name: str) -> YamlError:
    return YamlError(name, 1, f"the file is over {MAX_BYTES // 1_000_000} MB; split it")


def _syntax_error(error: yaml.YAMLError, text: str, name: str) -> YamlError:
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return YamlError(name, 1, f"not YAML: {' '.join(str(error).split())}; check quotes and brackets")
    mark, problem = error.problem_mark, " ".join(str(error.problem).split())
    line = mark.line + 1
    if "maximum nesting depth" in problem:
        return YamlError(name, line, TOO_DEEP)
    if "cannot start any token" in problem:
        return YamlError(name, line, _bad_start(text, mark.line, mark.column))
    if "mapping values are not allowed" in problem:
        what = "a ': ' stands where no key may be"
        return YamlError(name, line, f"{what}; put the value in quotes, or check the indentation")
    if error.context_mark is not None and error.context_mark.line != mark.line:
        problem += f" {error.context} that starts on line {error.context_mark.line + 1}"
    return YamlError(name, line, f"not YAML: {problem}; check quotes, brackets and indentation")


def _bad_start(text: str, row: int, column: int) -> str:
    rows = text.splitlines()
    found = rows[row][column : column + 1] if row < len(rows) else ""
    if found == "\t":
        return "a tab stands where YAML takes only spaces; indent with spaces"
    return f"a plain value cannot start with {found!r}; put the value in quotes"
