"""What credentials look like: the headers that carry nothing else, and the forms that are known in any text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

CREDENTIALS: Final = frozenset(
    {
        "api-key",
        "authorization",
        "proxy-authorization",
        "x-amz-security-token",
        "x-api-key",
        "x-auth-token",
        "x-goog-api-key",
    }
)
"""Headers whose value is a credential; lower case."""

COOKIES: Final = frozenset({"cookie", "set-cookie"})
"""Headers that are never written, and are no finding where they stand: the API's front end's end within the hour."""

# Where a credential may begin: not in a word (`risk-ant-`), unless that is the n of a line's end in a text of JSON.
_START: Final = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"
_BREAK: Final = r"(?:\s|\\+[nrt])"

# How each looks: docs.aws.amazon.com/IAM (identifiers), RFC 6750 (bearer), RFC 7519 (JWT), RFC 7468 (PEM). Each begins
# where nothing of its own kind stands before it, or has a length, so that a search takes a time linear in the text.
_KINDS: Final = {
    "an Anthropic API key": _START + r"sk-ant-(?:[a-z]{1,12}[0-9]{2}-)?(?P<key>[A-Za-z0-9_-]{16,})",
    # `ASIA` begins words too; of an id a digit stands between letters but once in thirty.
    "an AWS access key id": (
        r"(?<![A-Za-z0-9])(?:AKIA|ASIA(?=[A-Z]{0,14}[0-9]{1,14}[A-Z]))[A-Z0-9]{16}(?![A-Za-z0-9])"
    ),
    "an AWS secret access key": (
        r"(?i:aws_?secret(?:_?access)?_?key|secret_?access_?key)[\W_]{1,8}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"
    ),
    "a bearer token": r"(?i:\bbearer)\s+(?P<token>[A-Za-z0-9._~+/-]{16,})",
    "a JSON web token": (
        # Not the one that jwt.io shows, with the name of John Doe.
        _START + r"eyJ[A-Za-z0-9_-]{8,}\.(?!eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lI)"
        r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    ),
    # With something of the key: its first line, or the head of one that is encrypted (RFC 1421).
    "a private key": (rf"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----{_BREAK}*(?:Proc-Type:|[A-Za-z0-9+/]{{16}})"),
}
_GROUPS: Final = {name: f"kind{number}" for number, name in enumerate(_KINDS)}
_PATTERN: Final = re.compile("|".join(f"(?P<{_GROUPS[name]}>{pattern})" for name, pattern in _KINDS.items()))
_SELDOM_IN_WORDS: Final = 5
_LOOKED_AT: Final = 200  # a token may be long
_SECRET_NAME: Final = re.compile("KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def known_forms(text: str) -> Iterator[tuple[str, str]]:
    """What in a text has the form of a credential, in order: its kind in words, and the credential.

    A key or a token has no form but that it is drawn at random, so words that stand in its place are none.
    """
    for found in _PATTERN.finditer(text):
        drawn = found["key"] or found["token"]
        if drawn is None or looks_random(drawn):
            yield next(name for name, group in _GROUPS.items() if found[group] is not None), found[0]


def looks_random(text: str) -> bool:
    """Whether letters and digits look drawn at random, and not like words, a version or a date.

    What is random goes to capitals or to digits and back at every second or third character; words do so where one
    begins, those of `clientV2Endpoint` among them. Of what is drawn in base64 one in fifty does not look so at a
    length of 32 and none at 93, which an API key has.
    """
    kinds = [_kind(letter) for letter in text[:_LOOKED_AT]]
    changes = Counter(pairwise(kinds))
    around_digits = sum(changes[pair] for pair in (("a", "0"), ("0", "a"), ("A", "0"), ("0", "A")))
    often = 4 * (around_digits + changes["a", "A"]) >= len(kinds) or around_digits >= _SELDOM_IN_WORDS
    digits = kinds.count("0")
    return digits > 0 and (often or 2 * digits >= len(kinds))


def _kind(letter: str) -> str:
    if letter.isdigit():
        return "0"
    if not letter.isalpha():
        return "-"
    return "A" if letter.isupper() else "a"


def names_secret(name: str) -> bool:
    """Whether a name says that its value is secret: of a variable, of a field."""
    return _SECRET_NAME.search(name) is not None
