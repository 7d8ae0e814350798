"""Reading a recording: bytes of a file to exchanges, whatever program wrote them.

Nothing a file says is run, nothing is looked up over the network, and a file that cannot be read is an error
with its line, never an empty recording.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolreplay.errors import CassetteError
from toolreplay.files.opening import open_plain, read_all

from . import bodies, json_text, plain_yaml
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
    data = _plain(data, file)
    start = data[:64].lstrip(b" \t\r\n")[:1]
    if not start and not data.strip():
        raise NotARecording(file, 1, "the file is empty")
    if start in (b"{", b"["):
        try:
            return _load_json(data.decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError) as error:
            # A YAML file may begin with a flow mapping; a .json file that is no JSON is seldom YAML either.
            if file.removesuffix(".gz").lower().endswith((".json", ".har")):
                raise UnreadableError(file, *json_fault(error)) from None
    return _load_yaml(data, file)


def entry_lines(data: bytes, file: str) -> Sequence[int]:
    """The lines, from 1, of the entries of a file that was loaded; empty where it is no JSON or has no list of them."""
    try:
        text = _plain(data, file).decode("utf-8", "surrogatepass")
        return json_text.entry_lines(text) if text.lstrip()[:1] in ("{", "[") else ()
    except (ValueError, RecursionError, UnreadableError):
        return ()


class _Lines(dict[int, int]):
    """The lines of a file's mappings by `id`. Of JSON none is known; they are looked for where something is wrong.

    Attributes:
        fault: the line and reason for which the file is refused, if it is a recording at all.
    """

    def __init__(self, known: Mapping[int, int], text: str = "", fault: tuple[int, str] | None = None) -> None:
        super().__init__(known)
        self._text = text
        self.fault = fault

    def find(self, at: object, data: object) -> int:
        for index, entry in enumerate(json_text.entries(data) if self._text else ()):
            if entry is at or (isinstance(entry, dict) and any(value is at for value in entry.values())):
                return json_text.entry_lines(self._text)[index]
        return self.get(id(at), 1)


def refuse_twice(lines: Mapping[int, int], file: str) -> None:
    """Raise UnreadableError where the file that was loaded has a key twice in one object."""
    if isinstance(lines, _Lines) and lines.fault is not None:
        raise UnreadableError(file, *lines.fault)


def _plain(data: bytes, file: str) -> bytes:
    """The text of a file, as UTF-8."""
    if data.startswith(_GZIP):
        try:
            data = bodies.gunzip(data)
        except MalformedError as error:
            raise UnreadableError(file, 1, f"is {error.reason}") from None
    return _utf8(data, file)


def _utf8(data: bytes, file: str) -> bytes:
    """The same text in UTF-8 without a byte order mark; Windows' tools write UTF-16."""
    try:
        encoding = json.detect_encoding(data)
        if encoding != "utf-8":
            data = data.decode(encoding, "surrogatepass").encode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise UnreadableError(file, 1, f"is not {error.encoding.upper()}: {error.reason}") from None
    return data.removeprefix(_BOM)


def _load_json(text: str) -> tuple[object, Mapping[int, int]]:
    try:
        return json_text.loads(text), _Lines({}, text)
    except json_text.DuplicateKeyError as error:
        return json.loads(text), _Lines({}, text, (error.line, error.reason))


def _load_yaml(data: bytes, file: str) -> tuple[object, Mapping[int, int]]:
    try:
        loaded = plain_yaml.load(data)
    except plain_yaml.YamlError as error:
        raise UnreadableError(file, error.line, error.reason) from None
    documents = [document for document in loaded.documents if document is not None]
    return (documents[0] if len(documents) == 1 else documents), _Lines(loaded.lines, fault=loaded.twice)


def interpret(data: object, lines: Mapping[int, int], file: str) -> Recording:
    """Read the exchanges of a loaded file. Raises as `read_recording`."""
    try:
        if isinstance(data, dict) and "toolreplay" in data:
            refuse_twice(lines, file)
            return Recording(file, tuple(_placed(_own(data, file), lines)))
        for form in FORMATS:
            if form.matches(data):
                refuse_twice(lines, file)
                return Recording(file, tuple(_placed(form.interactions(data), lines)))
    except UnreadableError:
        raise
    except CassetteError as error:
        raise UnreadableError(file, 1, str(error).removeprefix(f"{file}: ")) from None
    except MalformedError as error:
        line = lines.find(error.at, data) if isinstance(lines, _Lines) else lines.get(id(error.at), 1)
        raise UnreadableError(file, line, error.reason) from None
    raise NotARecording(file, 1, "holds no recorded exchanges in a format that toolreplay knows")


def _placed(interactions: Iterator[Interaction], lines: Mapping[int, int]) -> Iterator[Interaction]:
    """The interactions with their lines; the loaded data, which they point at, is let go."""
    for interaction in interactions:
        line = lines.get(id(interaction.at), 1)
        yield Interaction(interaction.index, interaction.request, interaction.response, line)


def _own(data: dict[str, Any], file: str) -> Iterator[Interaction]:
    from .format import decode

    entries = data.get("interactions") or []
    for index, (request, response) in enumerate(decode(data, file)):
        yield Interaction(index, request, response, at=entries[index])


def json_fault(error: Exception) -> tuple[int, str]:
    """The line, from 1, and the reason for which text is no JSON."""
    match error:
        case json_text.DuplicateKeyError():
            return error.line, error.reason
        case json.JSONDecodeError():
            return error.lineno, f"is no JSON: {error.msg}"
        case UnicodeDecodeError():
            line = error.object.count(b"\n", 0, error.start) + 1
            return line, f"is not {error.encoding.upper()}: {error.reason}"
        case RecursionError():
            return 1, "is nested too deeply"
    return 1, f"is no JSON: {error}"
