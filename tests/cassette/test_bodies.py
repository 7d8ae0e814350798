from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

from toolreplay.cassette import bodies
from toolreplay.cassette.recording import MalformedError

LIMIT = 4096


class _Endless:
    """What brotli's decompressor would be to a bomb: every piece becomes much."""

    fed = 0

    def process(self, data: bytes) -> bytes:
        _Endless.fed += len(data)
        return b"x" * 1000 * len(data)

    def is_finished(self) -> bool:
        return False


def test_brotli_is_stopped_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("toolreplay_brotli")
    module.__dict__.update(Decompressor=_Endless, error=ValueError, decompress=lambda data: b"x" * 1000 * len(data))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(bodies, "_BROTLI_MODULES", (module.__name__,))
    monkeypatch.setattr(bodies, "LIMIT", LIMIT)
    with pytest.raises(MalformedError, match=r"^brotli of more than 0 MB when it is decompressed$"):
        bodies.decompressed(b"\x1b" * 10_000, "br")
    assert _Endless.fed < 100


def test_brotli_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("brotli", reason="brotli is not installed")
    compress = importlib.import_module("brotli").compress
    text = b'{"type": "message"}' * 100
    assert bodies.decompressed(compress(text), "br") == text
    with pytest.raises(MalformedError, match=r"^brotli that ends too early$"):
        bodies.decompressed(compress(text)[:-3], "br")
    monkeypatch.setattr(bodies, "LIMIT", LIMIT)
    with pytest.raises(MalformedError, match=r"^brotli of more than"):
        bodies.decompressed(compress(b"x" * 10_000_000), "br")
