"""Where vcrpy keeps cassettes of our format: in files that are replaced whole, in UTF-8, and read or refused.

vcrpy's own persister empties the old file and then writes, in the encoding of the system, and takes a file that it
cannot decode for an empty one (vcr/persisters/filesystem.py, 9.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vcr.persisters.filesystem import CassetteNotFoundError, FilesystemPersister
from vcr.serialize import deserialize, serialize


class WholeFiles:
    """A persister around another. It changes how cassettes of our serializer are kept, and nothing else."""

    def __init__(self, inner: Any, serializer: object) -> None:
        self._inner = inner
        self._serializer = serializer

    def load_cassette(self, cassette_path: str | Path, serializer: object) -> Any:
        """Requests and responses; errors name the file."""
        if serializer is not self._serializer:
            return self._inner.load_cassette(cassette_path, serializer)
        # pytest-recording's persister reads further files, which a test names.
        paths = [str(cassette_path), *getattr(self._inner, "extra_paths", ())]
        named = _Named(" or ".join(dict.fromkeys(paths)))
        if self._inner is not FilesystemPersister:
            return self._inner.load_cassette(cassette_path, named)
        path = Path(cassette_path)
        if not path.is_file() or not path.stat().st_size:
            raise CassetteNotFoundError
        return deserialize(path.read_bytes(), named)

    def save_cassette(self, cassette_path: str | Path, cassette_dict: Mapping[str, Any], serializer: object) -> None:
        """Replace the file, or raise RecordingError and leave it as it was."""
        if serializer is not self._serializer:
            self._inner.save_cassette(cassette_path, cassette_dict, serializer)
            return
        from .store import write_whole

        write_whole(Path(cassette_path), serialize(cassette_dict, _Named(str(cassette_path))))


class _Named:
    """Our serializer for one cassette, so that errors name it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def serialize(self, cassette_dict: Mapping[str, Any]) -> str:
        from .vcr_text import cassette_text

        return cassette_text(cassette_dict, self._name)

    def deserialize(self, cassette_string: str | bytes) -> dict[str, Any]:
        from .vcr_text import cassette_data

        return cassette_data(cassette_string, self._name)


def whole_files(persister: Any, serializer: object) -> Any:
    """The persister, keeping our cassettes in whole files if it keeps them in files as vcrpy's own does."""
    keeps_files = getattr(persister, "save_cassette", None) is FilesystemPersister.save_cassette
    return WholeFiles(persister, serializer) if keeps_files else persister
