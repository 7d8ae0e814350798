"""`check` over the public recordings beside the repository, against parsing the same files alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import yaml

from toolreplay.linter import check_paths

from .timing import ratio

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _AnyTag(_LOADER):  # type: ignore[misc, valid-type]
    """Builds plain data under tags it does not know."""


_AnyTag.add_multi_constructor("", lambda loader, _suffix, node: getattr(loader, f"construct_{node.id}")(node))


def rows() -> Iterator[str]:
    """Skipped, and said so, where the recordings are not there."""
    if not CORPUS.is_dir():
        yield "check over recordings: not measured, there are none beside the repository"
        return
    files = [path for path in CORPUS.rglob("*") if path.suffix in (".yaml", ".yml", ".json", ".har")]
    texts = [path.read_bytes() for path in files]
    mine, bare, times = ratio(lambda: check_paths([CORPUS]), lambda: [_parse(text) for text in texts], 3)
    figures = f"{mine:.2f} s, parsing alone {bare:.2f} s, {times:.2f}x"
    yield f"check over {len(files)} recordings: {figures} (must 3, aim 1.5)"


def _parse(text: bytes) -> object:
    if text.lstrip()[:1] in (b"{", b"["):
        return json.loads(text)
    try:
        return list(yaml.load_all(text, Loader=_AnyTag))
    except (yaml.YAMLError, TypeError):  # keys that are no scalars
        return None
