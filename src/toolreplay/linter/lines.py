"""The lines of a log, one at a time and each of bounded length, whatever the log's size."""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LONGEST: Final = 32 * 2**20
"""Bytes of a line that are read: as many as a request may have (docs: api/overview, request size limits)."""

_EMPTY_RUN: Final = 2**30
_EMPTY_LINES: Final = 10_000_000
"""Bytes and lines without one that can be read after which a stream is given up: no log, but a bomb."""

_PIECE: Final = 2**20
# Of a rotten stream the piece is lost in which it shows.
_INFLATED: Final = 2**16
_GZIP: Final = b"\x1f\x8b"
_BOM: Final = codecs.BOM_UTF8
_ENTRIES: Final = (b"{}", b"[]")
_BETWEEN: Final = (b"}{", b"}[", b"]{", b"][")
"""How one entry ends and the next begins."""
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Line:
    """A line.

    Attributes:
        index: its number, from 0.
        end: bytes of the stream up to and with it.
        text: without white space around it; None when it is longer than LONGEST.
    """

    index: int
    end: int
    text: bytes | None


class DamagedError(Exception):
    """A stream that cannot be decoded further. `index` is that of the line in which that shows, from 0."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(reason)
        self.index = index
        self.reason = reason


def read_lines(stream: BinaryIO) -> Iterator[Line]:
    """The lines of a stream of UTF-8, blank ones too.

    Raises:
        DamagedError: the stream cannot be read further, or goes on without a line that can be read.
    """
    index = end = useful = useful_index = 0
    while True:
        try:
            text = stream.readline(LONGEST + 1)
            size = len(text)
            whole = size <= LONGEST or text.endswith(b"\n")
            if not whole:
                size += _pass_over(stream, _EMPTY_RUN)
        except (EOFError, OSError, UnicodeDecodeError, zlib.error) as error:
            raise DamagedError(index, damage(error)) from None
        if not text:
            return
        end += size
        for part in by_returns(text) if whole else (None,):
            stripped = None if part is None else part.strip()
            if stripped:
                useful, useful_index = end, index
            elif end - useful > _EMPTY_RUN or index - useful_index > _EMPTY_LINES:
                raise DamagedError(index, _no_entry(end - useful))
            yield Line(index, end, stripped)
            index += 1


def by_returns(text: bytes) -> Sequence[bytes]:
    """What stands on a line, or the lines of a log that ends them with carriage returns alone, as old Macs do.

    In JSON a carriage return is white space too; it ends a line where whole objects stand before and after it.
    """
    stripped = text.strip() if b"\r" in text else b""
    if b"\r" not in stripped or not stripped.startswith((b"{", b"[", _BOM)):
        return (text,)
    parts = stripped.split(b"\r")
    whole = all(part.strip()[:1] + part.strip()[-1:] in _ENTRIES for part in parts[1:-1] if part.strip())
    ends = parts[0].rstrip()[-1:] + parts[-1].lstrip()[:1]
    return parts if whole and ends in _BETWEEN else (text,)


def _no_entry(size: int) -> str:
    return f"goes on for {size // 2**20} MB without an entry"


def damage(error: Exception) -> str:
    """Why a stream could not be read on, after `it`."""
    match error:
        case EOFError():
            return "is gzip that ends too early"
        case zlib.error():
            return f"is damaged gzip: {error}"
        case UnicodeDecodeError():
            return f"is not {error.encoding.upper()}: {error.reason}"
        case OSError():
            return f"cannot be read: {error.strerror or error}"
    return str(error)


def begin_at(stream: BinaryIO, start: int, end: int | None = None) -> int:
    """Place a seekable stream at the first line that begins at `start` or after it; that line's place.

    Args:
        end: where nobody looks any more: a line that goes on beyond it is not read to its end.
    """
    if start == 0:
        stream.seek(0)
        return 0
    stream.seek(start - 1)
    return start - 1 + _pass_over(stream, None if end is None else end - start)


def decoded(stream: BinaryIO) -> BinaryIO:
    """The text of a stream as UTF-8: what is gzipped or UTF-16 is decoded as it is read."""
    head = stream.read(2)
    whole = rejoined([head], stream)
    if head == _GZIP:
        return decoded(_buffered(_inflated(whole)))
    return _buffered(_recoded(whole)) if head in _UTF_16 else whole


def rejoined(read: Iterable[bytes], stream: BinaryIO) -> BinaryIO:
    """A stream from which something was read already, from its beginning."""
    return _buffered(chain(read, _pieces(stream)))


class _Fed(io.RawIOBase):
    """A stream of the pieces that an iterator gives, as they come."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        target = memoryview(buffer)
        count = min(len(self._left), len(target))
        target[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def _buffered(pieces: Iterator[bytes]) -> BinaryIO:
    return io.BufferedReader(_Fed(pieces), _PIECE)


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    # What is there now, so that the first lines of a pipe are not held back until it has sent a megabyte.
    read = getattr(stream, "read1", stream.read)
    while piece := read(_PIECE):
        yield piece


def _inflated(stream: BinaryIO) -> Iterator[bytes]:
    """The text of all members of gzip, in pieces of bounded size; what follows the members is left out."""
    decoder = None
    for piece in _pieces(stream):
        rest = piece
        while rest:
            if decoder is None:
                if not _GZIP.startswith(rest[: len(_GZIP)]):
                    return
                decoder = zlib.decompressobj(zlib.MAX_WBITS | 16)
            yield decoder.decompress(rest, _INFLATED)
            rest = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
            if decoder.eof:
                decoder = None
    while decoder is not None and not decoder.eof:
        if not (piece := decoder.decompress(b"", _INFLATED)):
            raise EOFError
        yield piece


def _recoded(stream: BinaryIO) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")("surrogatepass")
    for piece in chain(_pieces(stream), [b""]):
        yield decoder.decode(piece, final=not piece).encode("utf-8", "surrogatepass")


def _pass_over(stream: BinaryIO, limit: int | None) -> int:
    """Read to the end of the line, or over `limit` bytes of it, and tell how many bytes that were."""
    passed = 0
    while piece := stream.readline(_PIECE if limit is None else min(_PIECE, limit + 1 - passed)):
        passed += len(piece)
        if piece.endswith(b"\n") or (limit is not None and passed > limit):
            break
    return passed
