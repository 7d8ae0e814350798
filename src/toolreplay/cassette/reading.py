"""Reading a recording: bytes of a file to exchanges, whatever program wrote them.

Nothing a file says is run, nothing is looked up over the network, and a file that cannot be read is an error
with its line, never an empty recording.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import CassetteError
from . import plain_yaml
from .bodies import gunzip
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
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableError(str(path), 1, f"cannot be read: {reason}") from None


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
            data = gunzip(data)
        except MalformedError as error:
            raise UnreadableError(file, 1, f"is {error.reason}") from None
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if not start:
        raise NotARecording(file, 1, "the file is empty")
    if start in (b"{", b"["):
        try:
            return json.loads(data), {}
        except (ValueError, RecursionError) as error:
            # A YAML file may begin with a flow mapping; a .json file that is no JSON is seldom YAML either.
            if file.removesuffix(".gz").endswith((".json", ".har")):
                raise _json_error(error, file) from None
    return _load_yaml(data, file)


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
            return Recording(file, tuple(_own(data, file)))
        for form in FORMATS:
            if form.matches(data):
                return Recording(file, tuple(form.interactions(data)))
    except UnreadableError:
        raise
    except CassetteError as error:
        raise UnreadableError(file, 1, str(error).removeprefix(f"{file}: ")) from None
    except MalformedError as error:
        raise UnreadableError(file, lines.get(id(error.at), 1), error.reason) from None
    raise NotARecording(file, 1, "holds no recorded exchanges in a format that toolreplay knows")


def _own(data: dict[str, Any], file: str) -> Iterator[Interaction]:
    from .format import decode

    for index, (request, response) in enumerate(decode(data, file)):
        yield Interaction(index, request, response)


def _json_error(error: Exception, file: str) -> UnreadableError:
    match error:
        case json.JSONDecodeError():
            return UnreadableError(file, error.lineno, f"is no JSON: {error.msg}")
        case UnicodeDecodeError():
            line = error.object.count(b"\n", 0, error.start) + 1
            return UnreadableError(file, line, f"is not UTF-8: {error.reason}")
        case RecursionError():
            return UnreadableError(file, 1, "is nested too deeply")
    return UnreadableError(file, 1, f"is no JSON: {error}")
