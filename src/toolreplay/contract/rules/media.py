"""TR306, TR307: how large a request may be, and whether its images are what they say."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Final

from toolreplay.contract import wording
from toolreplay.contract.catalogue import MESSAGE_RULES, also, on_message, on_request
from toolreplay.contract.finding import Broken, Severity
from toolreplay.contract.models import takes_any_label
from toolreplay.contract.tally import Tally
from toolreplay.contract.turns import Context
from toolreplay.contract.wording import shown
from toolreplay.wire.fields import mapping, text
from toolreplay.wire.model import Media, Message, Text, ToolResult, Wire

MOST_BYTES: Final = 32 * 1024 * 1024  # docs: api/errors, request_too_large
MOST_OF_A_RESULT: Final = 1_000_000
MOST_OF_AN_IMAGE: Final = 5 * 1024 * 1024  # of its base64 text
MOST_ON_CONVERSE: Final = {"image": 20, "document": 5}  # a message; botocore, bedrock-runtime 2023-09-30

_BASE64: Final = re.compile(r"[A-Za-z0-9+/]*")
_SPACE: Final = re.compile(r"\s+")
_HEAD: Final = 64  # base64 characters that hold every signature
_IMAGES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
_SIGNATURES: Final = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF", "application/pdf"),
)


@on_request(
    "TR306",
    "oversized-request",
    "EEE",
    evidence="413 reported in anthropics/anthropic-sdk-python#938 (32 MB, said by a maintainer); docs: "
    "api/errors; images: 400 reported in anthropics/claude-code#19631 (5 MB of base64; today's first-party "
    "limit is higher)",
    answers={Wire.MESSAGES: [wording.REQUEST_TOO_LARGE, wording.IMAGE_TOO_LARGE]},
    alone=True,
)
def oversized_request(tally: Tally, context: Context) -> Iterator[Broken]:
    """The request, an image or a result is too large.

    A request over 32 MB is an error; one result over 1 MB, an image over 5 MB or more images in a message
    than Converse takes are warnings.

    Why: what is in the history once is sent with every request after it, so one large result makes a whole
    session fail and be paid for again each turn.
    Fix: cut a tool's output before it becomes a result, and tell the model that it was cut; scale images
        down.
    Good:
        wire: converse
        messages:
          - role: user
            content:
              - {text: Sum up the reports}
              - &report {document: {name: report, format: txt, source: {bytes: UmFpbi4=}}}
    Bad:
        wire: converse
        messages:
          - role: user
            content:
              - {text: Sum up the reports}
              - &report {document: {name: report, format: txt, source: {bytes: UmFpbi4=}}}
              - *report
              - *report
              - *report
              - *report
              - *report
    """
    del tally
    request = context.request
    size = request.size if request.size is not None else _size(request.body)
    if size > MOST_BYTES:
        api = wording.REQUEST_TOO_LARGE if context.wire is Wire.MESSAGES else None
        yield Broken("messages", f"the request has {size} bytes; {MOST_BYTES} are the most", api)


@also(MESSAGE_RULES, "TR306", about=(Media, ToolResult))
def oversized_parts(message: Message, context: Context) -> Iterator[Broken]:
    """One result over 1 MB, and images beyond the limits."""
    counts = dict.fromkeys(MOST_ON_CONVERSE, 0)
    for block in message.blocks:
        if isinstance(block, Media):
            yield from _oversized(block, context)
            counts[block.type] = counts.get(block.type, 0) + 1
        if not isinstance(block, ToolResult):
            continue
        size = sum(len(part.text or "") for part in block.parts if isinstance(part, Text))
        if size > MOST_OF_A_RESULT:
            words = f"the result of {shown(block.id)} has {size} characters"
            yield Broken(block.place.field("content"), words, severity=Severity.WARNING)
        for part in block.parts:
            if isinstance(part, Media):
                yield from _oversized(part, context)
                counts[part.type] = counts.get(part.type, 0) + 1
    if context.wire is Wire.CONVERSE:
        for kind, most in MOST_ON_CONVERSE.items():
            if counts[kind] > most:
                words = f"the message has {counts[kind]} {kind}s; {most} are the most"
                yield Broken(message.path, words, severity=Severity.WARNING)


@on_message(
    "TR307",
    "invalid-media",
    "EEE",
    evidence="400 reported in anthropics/anthropic-sdk-typescript#603, anthropics/claude-code#12750 and "
    "#15746, BerriAI/litellm#24900; Converse: NousResearch/hermes-agent#55429; a wrong label with Claude "
    "3.5: 200 recorded in Arize-ai/openinference (should-handle-different-image-formats), a warning",
    answers={
        Wire.MESSAGES: [
            wording.BASE64_INVALID,
            wording.IMAGE_EMPTY,
            wording.IMAGE_MISMATCH,
            wording.IMAGE_UNREADABLE,
        ]
    },
    alone=True,
    about=(Media, ToolResult),
)
def invalid_media(message: Message, context: Context) -> Iterator[Broken]:
    """The data of an image or a PDF is broken, or is not of the type it is said to be.

    Why: the API looks into the bytes and refuses the whole request, and every later one that still holds
    them. A download that failed leaves an HTML page in a file called `.jpg`; a screenshot is JPEG and sent
    as PNG; an SDK's data URL keeps its prefix.
    Fix: take the media type from the bytes, not from the file's name, and answer with an error result in
        words where they are no image.
    Good:
        messages:
          - role: user
            content:
              - {type: image, source: {type: base64, media_type: image/png, data: iVBORw0KGgo=}}
    Bad:
        messages:
          - role: user
            content:
              - {type: image, source: {type: base64, media_type: image/jpeg, data: iVBORw0KGgo=}}
    """
    for block in message.blocks:
        if isinstance(block, Media):
            yield from _invalid(block, context)
        elif isinstance(block, ToolResult):
            for part in block.parts:
                if isinstance(part, Media):
                    yield from _invalid(part, context)


def _invalid(media: Media, context: Context) -> Iterator[Broken]:
    kind, data = _source(media, context)
    if data is None or media.type not in ("image", "document"):
        return
    on_messages = context.wire is Wire.MESSAGES
    at = _at(media)
    if media.type == "image" and kind not in _IMAGES:
        yield Broken(media.place.path, f"{kind!r} is no type of image that is taken: {', '.join(_IMAGES)}")
    elif not data:
        api = wording.IMAGE_EMPTY.format(at=at) if on_messages and media.type == "image" else None
        yield Broken(media.place.path, f"the {media.type} has no data", api)
    elif not _is_base64(data):
        api = wording.BASE64_INVALID.format(at=at) if on_messages else None
        yield Broken(media.place.path, f"the data of the {media.type} is no base64: {shown(data)}", api)
    elif media.type == "image" or kind == "application/pdf":
        found = _sniffed(data)
        if found != kind:
            told = wording.IMAGE_UNREADABLE if found is None else wording.IMAGE_MISMATCH
            yield Broken(
                path=media.place.path,
                message=f"the {media.type} is said to be {kind} and is {found or 'nothing that is known'}",
                api=told.format(at=at, kind=kind, found=found) if on_messages and media.type == "image" else None,
                severity=Severity.WARNING if found is not None and takes_any_label(context.request.model) else None,
            )


def _oversized(media: Media, context: Context) -> Iterator[Broken]:
    _, data = _source(media, context)
    if media.type == "image" and data is not None and len(data) > MOST_OF_AN_IMAGE:
        api = wording.IMAGE_TOO_LARGE.format(at=_at(media), size=len(data))
        yield Broken(
            path=media.place.path,
            message=f"the image has {len(data)} bytes of base64; {MOST_OF_AN_IMAGE} are safe everywhere",
            api=api if context.wire is Wire.MESSAGES else None,
            severity=Severity.WARNING,
        )


def _source(media: Media, context: Context) -> tuple[str | None, str | None]:
    """The declared media type, and the base64 text; None where the data is not in the request."""
    if context.wire is Wire.CONVERSE:
        fields = mapping(media.raw.get(media.type))
        kind = "application" if fields.get("format") == "pdf" else media.type
        return f"{kind}/{text(fields.get('format'))}", text(mapping(fields.get("source")).get("bytes"))
    source = mapping(media.raw.get("source"))
    if source.get("type") != "base64":
        return None, None
    return text(source.get("media_type")), text(source.get("data"))


def _at(media: Media) -> str:
    inner = "" if media.place.inner is None else f".tool_result.content.{media.place.inner}"
    return f"{media.place.dotted}{inner}"


def _is_base64(data: str) -> bool:
    try:
        binascii.a2b_base64(data, strict_mode=True)
    except ValueError:  # white space and missing padding are let pass
        bare = _SPACE.sub("", data).rstrip("=")
        return _BASE64.fullmatch(bare) is not None and len(bare) % 4 != 1
    return True


def _sniffed(data: str) -> str | None:
    """The media type by the first bytes; None for none that is known."""
    head = _SPACE.sub("", data[: 2 * _HEAD])[:_HEAD].rstrip("=")
    try:
        start = base64.b64decode(head[: len(head) // 4 * 4] if len(head) == _HEAD else head + "=" * (-len(head) % 4))
    except (binascii.Error, ValueError):
        return None
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for signature, kind in _SIGNATURES if start.startswith(signature)), None)


def _size(body: object) -> int:
    try:
        return len(json.dumps(body, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass"))
    except (TypeError, ValueError, RecursionError):
        return 0
