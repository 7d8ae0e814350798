"""Text that XML 1.0 can hold."""

from __future__ import annotations

import re

from .printable import printable

_NONE_CHARACTERS = re.compile("[\ufffe\uffff]")


def xml_text(text: str) -> str:
    """Lines of text with what is no character of XML 1.0, or acts upon a terminal, written as an escape."""
    lines = "\n".join(map(printable, text.split("\n")))
    return _NONE_CHARACTERS.sub(lambda match: f"\\u{ord(match[0]):04x}", lines)
