"""TR508, TR509: what the version of the API refuses, and threads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolreplay.contract.catalogue import MESSAGE_RULES, also, on_request, on_sequel
from toolreplay.contract.finding import Broken
from toolreplay.contract.plain import plain_content
from toolreplay.contract.sequel import Sequel
from toolreplay.contract.tally import Tally
from toolreplay.contract.turns import Context
from toolreplay.contract.wording import shown
from toolreplay.wire.fields import items, mapping
from toolreplay.wire.model import Media, Message, Text, ToolResult

_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_FIRST: Final = "2026-10-21"
SAMPLING: Final = ("temperature", "top_p", "top_k")


@on_request(
    "TR508",
    "version-field",
    "E--",
    evidence="docs: api/migration-2026-10-21 (api-assistant-document, api-user-citations, api-sampling-params)",
)
def version_field(tally: Tally, context: Context) -> Iterator[Broken]:
    """A field that the request's `anthropic-version` does not take.

    From 2026-10-21 on: `temperature`, `top_p`, `top_k`; a document in an assistant message; citations on a
    text in a user message.

    Why: the SDK sends that version since 2.0, and what worked before it is refused.
    Fix: leave the field out, or send the older `anthropic-version` until the request is changed.
    Good:
        anthropic_version: "2026-10-21"
        messages: [{role: user, content: Weather in Oslo}]
    Bad:
        anthropic_version: "2026-10-21"
        temperature: 0
        messages: [{role: user, content: Weather in Oslo}]
    """
    del tally
    if _is_new(context):
        for name in SAMPLING:
            if name in context.request.body:
                yield Broken(name, f"{name} is not taken by anthropic-version {context.request.version}")


@also(MESSAGE_RULES, "TR508")
def version_field_in_message(message: Message, context: Context) -> Iterator[Broken]:
    """Documents of the assistant's, citations of the user's."""
    if not _is_new(context):
        return
    version = context.request.version
    for block in message.blocks:
        if isinstance(block, Media) and block.type == "document" and message.role == "assistant":
            yield Broken(block.place.path, f"anthropic-version {version} takes no document in an assistant message")
        if message.role == "user":
            parts = block.parts if isinstance(block, ToolResult) else (block,)
            for part in parts:
                fields = mapping(part.raw)
                cited = (
                    [fields, *map(mapping, items(fields.get("content")))] if not isinstance(part, Text) else [fields]
                )
                if any(one.get("type") == "text" and one.get("citations") for one in cited):
                    yield Broken(part.place.path, f"anthropic-version {version} takes no citations in a user message")


@on_sequel(
    "TR509",
    "inconsistent-thread",
    "E--",
    evidence="docs: message-threads; anthropic SDK 2.14.0 (thread_already_continued, thread_fingerprint_mismatch)",
)
def inconsistent_thread(sequel: Sequel, context: Context) -> Iterator[Broken]:
    """A thread is continued twice, or with other tools or another system prompt.

    Why: the server keeps a thread's beginning and each reply once. A retry that sends the same
    `previous_message_id` after an answer, or a change of tools in the middle, is refused.
    Fix: continue from the newest reply; to change system prompt or tools, begin a new thread with the whole
        history.
    Good:
        request: {system: Be brief., thread: {type: create}, messages: [{role: user, content: Hi}]}
        reply: {id: msg_1, content: [{type: text, text: Hello}], stop_reason: end_turn}
        next:
          thread: {type: continue, previous_message_id: msg_1}
          messages: [{role: user, content: And now}]
    Bad:
        request: {system: Be brief., thread: {type: create}, messages: [{role: user, content: Hi}]}
        reply: {id: msg_1, content: [{type: text, text: Hello}], stop_reason: end_turn}
        next:
          system: Be kind.
          thread: {type: continue, previous_message_id: msg_1}
          messages: [{role: user, content: And now}]
    """
    thread = sequel.thread
    if thread is None:
        return
    if thread.continued:
        shown_id = shown(context.request.continues)
        yield Broken("thread.previous_message_id", f"the reply {shown_id} was continued before")
    body, origin = context.request.body, thread.origin.body
    if "tools" in body and sequel.tools is not thread.tools and sequel.tools.plain != thread.tools.plain:
        yield Broken("tools", "the tools are not those that the thread was created with")
    if "system" in body and plain_content(body["system"]) != plain_content(origin.get("system")):
        yield Broken("system", "the system prompt is not the one that the thread was created with")
    if "output_config" in body and body["output_config"] != origin.get("output_config"):
        yield Broken("output_config", "output_config is not the one that the thread was created with")


def _is_new(context: Context) -> bool:
    version = context.request.version
    return version is not None and _DATE.fullmatch(version) is not None and version >= _FIRST
