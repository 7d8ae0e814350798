"""TR901, TR902: a recording holds no credential."""

from __future__ import annotations

from collections.abc import Iterator

from toolreplay.contract.catalogue import on_leak
from toolreplay.contract.finding import Broken
from toolreplay.contract.leak import Leak
from toolreplay.contract.turns import Context

_EVIDENCE = (
    "A recording is committed, and `toolreplay record` saves none that holds one. The forms are those of RFC 6750 "
    "(bearer tokens), RFC 7519 (web tokens), RFC 7468 (PEM) and of the issuers' own documents."
)


@on_leak("TR901", "secret-in-header", "EEE", evidence=_EVIDENCE)
def secret_in_header(leak: Leak, _: Context) -> Iterator[Broken]:
    """A header or the URL of a recording holds a credential.

    Looked at are the headers that carry one, and what looks like a key or a token in any other. Placeholders
    such as REDACTED are none.

    Why: whoever can read the repository can use it, and its history keeps it when the file is mended.
    Fix: revoke the credential, put a placeholder in its place, and let the recorder leave the header out.
    Good:
        exchange:
          request:
            method: POST
            url: https://api.anthropic.com/v1/messages
            headers: {x-api-key: REDACTED}
            body: {model: claude-sonnet-5-5, max_tokens: 64, messages: [{role: user, content: Hi}]}
    Bad:
        exchange:
          request:
            method: POST
            url: https://api.anthropic.com/v1/messages
            headers: {x-api-key: 9f86d081884c7d659a2feaa0c55ad015}
            body: {model: claude-sonnet-5-5, max_tokens: 64, messages: [{role: user, content: Hi}]}
    """
    if not leak.in_body:
        yield Broken(leak.path, f"the {leak.place} holds {leak.kind}")


@on_leak("TR902", "secret-in-body", "EEE", evidence=_EVIDENCE)
def secret_in_body(leak: Leak, _: Context) -> Iterator[Broken]:
    """A body in a recording, or a request, holds a credential.

    Looked for are keys, tokens and private keys whose form is known, also in JSON, base64 and gzip inside a text and in
    the pieces of a stream. Signatures, encrypted content and media are not looked at.

    Why: a tool that reads files or the environment hands the model what it finds there, and the recording
    keeps it, as often as the history repeats it.
    Fix: revoke the credential, put a placeholder in its place, and record with a dummy.
    Good:
        exchange:
          request:
            method: POST
            url: https://api.anthropic.com/v1/messages
            headers: {}
            body:
              model: claude-sonnet-5-5
              max_tokens: 64
              messages: [{role: user, content: "Use the key REDACTED"}]
    Bad:
        exchange:
          request:
            method: POST
            url: https://api.anthropic.com/v1/messages
            headers: {}
            body:
              model: claude-sonnet-5-5
              max_tokens: 64
              messages: [{role: user, content: "-----BEGIN PRIVATE KEY----- MIIEvgIBADANBgkq"}]
    """
    if leak.in_body:
        yield Broken(leak.path, f"the {leak.place} holds {leak.kind}")
