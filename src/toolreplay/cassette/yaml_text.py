"""Our format as text: YAML for people, texts of several lines in literal style, no anchors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import yaml

_BASE: type[Any] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_WIDTH: Final = 110
_SHORT: Final = 60
_FEW: Final = 6


def yaml_text(data: Mapping[str, Any]) -> str:
    """The data of a cassette as a YAML document.

    Raises:
        UnicodeEncodeError: a text holds a lone surrogate, which is JSON and no YAML.
    """
    text: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return text


class _Dumper(_BASE):  # type: ignore[misc]  # whichever of the two PyYAML has
    """A dumper without anchors."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent_text(dumper: Any, text: str) -> Any:
    style = "|" if "\n" in text.rstrip("\n") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _represent_list(dumper: Any, items: list[Any]) -> Any:
    short = all(isinstance(item, str | int | float) and len(str(item)) < _SHORT for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=short and len(items) < _FEW)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(list, _represent_list)
