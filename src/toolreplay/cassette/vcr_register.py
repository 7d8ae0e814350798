"""What `vcr_serializer.register` changes in a `vcr.VCR`: how it keeps cassettes of our format, and how it leaves them.

vcrpy's own persister empties the old file and then writes, in the encoding of the system, and takes a file that it
cannot decode for an empty one (vcr/persisters/filesystem.py, 9.4). So ours are replaced whole, in UTF-8, and read or
refused.

And its context saves first and then takes its patches back (vcr/cassette.py, CassetteContextDecorator.__exit__). If
saving raises, they stay until the garbage collector comes by, which then takes them out of the middle of another test.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import vcr
from vcr.cassette import CassetteContextDecorator
from vcr.persisters.filesystem import CassetteNotFoundError, FilesystemPersister
from vcr.serialize import deserialize, serialize

from toolreplay.files.project import find_project


def register(recorder: Any, serializer: Any, name: str) -> None:
    """Make a serializer known to a recorder, its cassettes kept in whole files and left without a patch behind.

    Warns with a RuntimeWarning where this version of vcrpy has no such context any more; all else holds then too.
    """
    if recorder.serializers.get(name) is serializer:
        return
    recorder.register_serializer(name, serializer)
    recorder.register_persister(whole_files(recorder.persister, serializer))
    if hasattr(CassetteContextDecorator, "_patch_generator") and hasattr(recorder, "_use_cassette"):
        recorder._use_cassette = _leaving(recorder._use_cassette)  # noqa: SLF001  (vcrpy offers no other way)
        return
    what = f"vcrpy {vcr.__version__} has changed: if a cassette cannot be saved, vcrpy's patches may stay in place"
    warnings.warn(f"toolreplay: {what}; update toolreplay, or use an earlier vcrpy", RuntimeWarning, stacklevel=3)


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

        return cassette_text(cassette_dict, self._name, patterns=find_project(Path(self._name).parent).secrets)

    def deserialize(self, cassette_string: str | bytes) -> dict[str, Any]:
        from .vcr_text import cassette_data

        return cassette_data(cassette_string, self._name)


def whole_files(persister: Any, serializer: object) -> Any:
    """The persister, keeping our cassettes in whole files if it keeps them in files as vcrpy's own does."""
    keeps_files = getattr(persister, "save_cassette", None) is FilesystemPersister.save_cassette
    return WholeFiles(persister, serializer) if keeps_files else persister


class _Leaving(CassetteContextDecorator):  # type: ignore[misc]  # vcrpy has no type information
    """The context of one cassette, also where it decorates a function."""

    _patches: Generator[Any] | None = None

    def _patch_generator(self, cassette: Any) -> Generator[Any]:
        self._patches = super()._patch_generator(cassette)
        return self._patches

    def __exit__(self, *exception: object) -> None:
        try:
            super().__exit__(*exception)
        finally:
            if self._patches is not None:
                self._patches.close()  # nothing is left to do in it, unless saving raised


def _leaving(use_cassette: Callable[..., Any]) -> Callable[..., Any]:
    """The function that makes the contexts of a `vcr.VCR`, making such ones."""

    def use(*arguments: Any, **options: Any) -> Any:
        context = use_cassette(*arguments, **options)
        if type(context) is CassetteContextDecorator:  # somebody's own class is left as it is
            context.__class__ = _Leaving
        return context

    return use
