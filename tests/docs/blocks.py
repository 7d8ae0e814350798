"""The fenced blocks of a Markdown page, and what they mean.

* A block whose first line is a comment with a path (`# scenarios/weather.yaml`) is that file.
* A `console` block holds commands, each after `$ `, with what they print. `# exit code 4` at the end of a
  command says how it ends. `...` in the output stands for anything, `0.01 s` for any time.
* A `text` block right after a `python` block is what that prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^```(\w*)$")
_FILE = re.compile(r"#\s+([\w.-][\w./-]*\.\w+)\n")
_CODE = re.compile(r"\s+# exit code (\d+)$")
_SECONDS = re.compile(r"\d+\.\d\d s\b")


@dataclass(frozen=True)
class Block:
    """A fenced block; `line` is that of its fence, from 1."""

    language: str
    text: str
    line: int

    @property
    def file(self) -> str | None:
        """The path that its first line names."""
        found = _FILE.match(self.text)
        return found[1] if found else None


@dataclass(frozen=True)
class Command:
    """A command of a `console` block, and what it comes to."""

    line: int
    words: str
    code: int
    output: str


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    language, start, inside = "", 0, list[str]()
    for number, line in enumerate(page.splitlines(), 1):
        fence = _FENCE.match(line)
        if fence is None:
            inside.append(line)
        elif start:
            yield Block(language, "".join(f"{one}\n" for one in inside), start)
            start = 0
        else:
            language, start, inside = fence[1], number, []
    assert not start, f"the block of line {start} has no end"


def commands(block: Block) -> Iterator[Command]:
    """The commands of a `console` block."""
    assert block.text.startswith("$ "), f"the console block of line {block.line} starts without '$ '"
    first = block.line + 1
    for piece in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        words, _, output = piece.partition("\n")
        code = _CODE.search(words)
        yield Command(first, _CODE.sub("", words), int(code[1]) if code else 0, output)
        first += piece.count("\n")


def prints(expected: str, actual: str) -> bool:
    """Whether a program printed what a page shows; a page that shows nothing leaves it open."""
    if not expected.strip():
        return True
    pattern = re.escape(_SECONDS.sub("N s", expected.strip())).replace(re.escape("..."), r"[\s\S]*?")
    shown = "\n".join(line.rstrip() for line in actual.strip().splitlines())
    return re.fullmatch(pattern, _SECONDS.sub("N s", shown)) is not None
