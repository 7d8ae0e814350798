"""Reading a recording: bytes of a file to exchanges, whatever program wrote them.

Nothing a file says is run, nothing is looked up over the network, and a file that cannot be read is an error
with its line, never an empty recording.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolreplay.errors import CassetteError
from toolreplay.files.opening import open_plain, read_all

from . import bodies, plain_yaml
from .formats import FORMATS
from .recording import Interaction, MalformedError, NotARecording, Recording, UnreadableError

__all__ = [
    "Interaction",
    "NotARecording",
    "Recording",
    "UnreadableError",
    "load",
    "parse_recording",
    "read_recording",
]

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


def read_recording(path: Path) -> Recording:
    """Read a file with recorded exchanges.

    Raises:
        NotARecording: when it is YAML or JSON of another kind, or empty.
        UnreadableError: when it cannot be read at all; both are CassetteErrors.
    """
    return parse_recording(read_bytes(path), str(path))


def read_bytes(path: Path) -> bytes:
    """A file's bytes, or an UnreadableError that says why not."""
    try:
        with open_plain(path) as file:
            data = read_all(file, bodies.LIMIT)
    except (OSError, ValueError) as error:
        raise unopenable(str(path), error) from None
    if data is None:
        raise too_large(str(path))
    return data


def unopenable(file: str, error: Exception) -> UnreadableError:
    """What the operating system said about a file."""
    reason = getattr(error, "strerror", None) or str(error)
    return UnreadableError(file, 1, f"cannot be read: {reason}")


def too_large(file: str) -> UnreadableError:
    """A file that is read whole, and is more than is kept in memory."""
    size = f"{bodies.LIMIT // 2**20} MB"
    return UnreadableError(file, 1, f"is larger than {size}; only a log, one JSON value a line, may be")


def parse_recording(data: bytes, file: str) -> Recording:
    """Read a recording from the bytes of a file that errors name `file`. Raises as `read_recording`."""
    loaded, lines = load(data, file)
    return interpret(loaded, lines, file)


def load(data: bytes, file: str) -> tuple[object, Mapping[int, int]]:
    """Load YAML or JSON, gzipped or not.

    Returns:
        The data (several YAML documents are a list) and the lines of its mappings by `id`, where they are
        known.
    """
    if data.startswith(_GZIP):
        try:
            data = bodies.gunzip(data)
        except MalformedError as error:
            raise UnreadableError(file, 1, f"is {error.reason}") from None
    data = _utf8(data, file)
    start = data[:64].lstrip(b" \t\r\n")[:1]
    if not start and not data.strip():
        raise NotARecording(file, 1, "the file is empty")
    if start in (b"{", b"["):
        try:
            return json.loads(data), {}
        except (ValueError, RecursionError) as error:
            # A YAML file may begin with a flow mapping; a .json file that is no JSON is seldom YAML either.
            if file.removesuffix(".gz").lower().endswith((".json", ".har")):
                raise UnreadableError(file, *json_fault(error)) from None
    return _load_yaml(data, file)


def _utf8(data: bytes, file: str) -> bytes:
    """The same text in UTF-8 without a byte order mark; Windows' tools write UTF-16."""
    try:
        encoding = json.detect_encoding(data)
        if encoding != "utf-8":
            data = data.decode(encoding, "surrogatepass").encode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise UnreadableError(file, 1, f"is not {error.encoding.upper()}: {error.reason}") from None
    return data.removeprefix(_BOM)


def _load_yaml(data: bytes, file: str) -> tuple[object, Mapping[int, int]]:
    try:
        loaded = plain_yaml.load(data)
    except plain_yaml.YamlError as error:
        raise UnreadableError(file, error.line, error.reason) from None
    documents = [document for document in loaded.documents if document is not None]
    return (documents[0] if len(documents) == 1 else documents), loaded.lines


def interpret(data: object, lines: Mapping[int, int], file: str) -> Recording:
    """Read the exchanges of a loaded file. Raises as `read_recording`."""
    try:
        if isinstance(data, dict) and "toolreplay" in data:
            return Recording(file, tuple(_placed(_own(data, file), lines)))
        for form in FORMATS:
            if form.matches(data):
                return Recording(file, tuple(_placed(form.interactions(data), lines)))
    except UnreadableError:
        raise
    except CassetteError as error:
        raise UnreadableError(file, 1, str(error).removeprefix(f"{file}: ")) from None
    except MalformedError as error:
        raise UnreadableError(file, lines.get(id(error.at), 1), error.reason) from None
    raise NotARecording(file, 1, "holds no recorded exchanges in a format that toolreplay knows")


def _placed(interactions: Iterator[Interaction], lines: Mapping[int, int]) -> Iterator[Interaction]:
    """The interactions with their lines; the loaded data, which they point at, is let go."""
    for interaction in interactions:
        yield dataclasses.replace(interaction, line=lines.get(id(interaction.at), 1), at=None)


def _own(data: dict[str, Any], file: str) -> Iterator[Interaction]:
    from .format import decode

    entries = data.get("interactions") or []
    for index, (request, response) in enumerate(decode(data, file)):
        yield Interaction(index, request, response, at=entries[index])


def json_fault(error: Exception) -> tuple[int, str]:
    """The line, from 1, and the reason for which text is no JSON."""
    match error:
        case json.JSONDecodeError():
            return error.lineno, f"is no JSON: {error.msg}"
        case UnicodeDecodeError():
            line = error.object.count(b"\n", 0, error.start) + 1
            return line, f"is not {error.encoding.upper()}: {error.reason}"
        case RecursionError():
            return 1, "is nested too deeply"
    return 1, f"is no JSON: {error}"
