"""toolreplay's cassette format for plain vcrpy, as one of its serializers.

    import vcr
    from toolreplay import vcr_serializer

    recorder = vcr.VCR(serializer="toolreplay")
    vcr_serializer.register(recorder)

The module is the serializer. Importing it loads nothing; the format is loaded with the first cassette.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

NAME: Final = "toolreplay"
"""What `register` calls the serializer, and with pytest-recording the suffix of its cassettes."""

_SOME: Final = "the cassette"


def register(recorder: Any) -> None:
    """Make `serializer="toolreplay"` known to a `vcr.VCR`, whose cassettes of that format are then replaced whole.

    vcrpy's own way to write (its FilesystemPersister) empties a file first. A persister of any other kind is left in
    place, and so are cassettes of other serializers. And a cassette that is not saved leaves no patch of vcrpy behind;
    a RuntimeWarning says if this version of vcrpy does not let that be seen to.
    """
    from .cassette.vcr_register import register as register_with

    register_with(recorder, sys.modules[__name__], NAME)


def serialize(cassette_dict: Mapping[str, Any]) -> str:
    """The text of a cassette, called by vcrpy with its data.

    Raises:
        RecordingError: it holds a secret, or what cannot be kept without loss. vcrpy has not touched the file then.
    """
    from .cassette.vcr_text import cassette_text
    from .files.project import find_project

    return cassette_text(cassette_dict, _SOME, patterns=find_project().secrets)


def deserialize(cassette_string: str) -> dict[str, Any]:
    """The data of a cassette, called by vcrpy with its text, in this format or one that `toolreplay check` reads.

    Raises:
        CassetteError: the text cannot be read. vcrpy passes it on, and does not take the cassette for empty.
    """
    from .cassette.vcr_text import cassette_data

    return cassette_data(cassette_string, _SOME)
