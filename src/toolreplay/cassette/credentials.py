"""What credentials look like: the headers that carry nothing else, and the forms that are known in any text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Final

_NAMED: Final = frozenset({"helicone-auth", "private-token", "x-vault-token"})
_ENDINGS: Final = (
    *("api-key", "apikey", "authorization", "secret", "secret-key", "subscription-key"),
    *("access-token", "api-token", "auth-token", "security-token", "session-token"),
)

COOKIES: Final = frozenset({"cookie", "set-cookie"})
"""Headers that are never written, and are no finding where they stand: the API's front end's end within the hour."""

# Where a credential may begin: not in a word (`risk-ant-`), unless that is the end of an escape: of a line's end or a
# character in a text of JSON, of a character in a URL, of a colour in a terminal.
_START: Final = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4})|(?<=\\x[0-9A-Fa-f]{2})|(?<=%[0-9A-Fa-f]{2})"
    r"|(?<=[\[;0-9]m))"
)
_BREAK: Final = r"(?:\s|\\+[nrt])"

# How each looks: docs.aws.amazon.com/IAM (identifiers), RFC 6750 (bearer), RFC 7519 (JWT), RFC 7468 (PEM). Each begins
# where nothing of its own kind stands before it, takes all of its kind behind it, or has a length: so a search takes a
# time that is linear in the text.
_KINDS: Final = {
    # One that says what kind of key it is, is a key even in a word.
    "an Anthropic API key": (
        rf"(?:{_START}sk-ant-(?:[a-z]{{1,12}}[0-9]{{2}}-)?|sk-ant-[a-z]{{1,12}}[0-9]{{2}}-)(?P<key>[A-Za-z0-9_-]{{16,}})"
    ),
    # `ASIA` begins words too; of an id a digit stands between letters but once in thirty.
    "an AWS access key id": (_START + r"(?:AKIA|ASIA(?=[A-Z]{0,14}[0-9]{1,14}[A-Z]))[A-Z0-9]{16}(?![A-Za-z0-9])"),
    "an AWS secret access key": (
        r"(?i:aws_?secret(?:_?access)?_?key|secret_?access_?key)[\W_]{1,8}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"
    ),
    "a bearer token": _START + r"(?i:bearer)\s+(?P<token>[A-Za-z0-9._~+/-]{16,})",
    # Its second part is looked for first, from the beginning of a word. Not the one that jwt.io shows, with the name of
    # John Doe.
    "a JSON web token": (
        r"(?<![A-Za-z0-9_-])"
        r"(?=[A-Za-z0-9_-]+\.(?!eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lI)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8})"
        r"[A-Za-z0-9_-]*eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    ),
    # With something of the key: its first line, or the head of one that is encrypted (RFC 1421).
    "a private key": (rf"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----{_BREAK}*(?:Proc-Type:|[A-Za-z0-9+/]{{16}})"),
}
_GROUPS: Final = {name: f"kind{number}" for number, name in enumerate(_KINDS)}
# Without one of these, in lower case, a text holds none of a kind; few texts have any, and they are found fast.
_WORDS: Final = {
    "an Anthropic API key": ("sk-ant-",),
    "an AWS access key id": ("akia", "asia"),
    "an AWS secret access key": ("secret",),
    "a bearer token": ("bearer",),
    "a JSON web token": (".eyj",),
    "a private key": ("private key",),
}
_SELDOM_IN_WORDS: Final = 5
_LOOKED_AT: Final = 200  # a token may be long
_SECRET_NAME: Final = re.compile("KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def is_credential(header: str) -> bool:
    """Whether the value of a header, named in lower case, is a credential: of the APIs, and of gateways before them."""
    return header.endswith(_ENDINGS) or header in _NAMED


def known_forms(text: str) -> Iterator[tuple[str, str]]:
    """What in a text has the form of a credential, in order: its kind in words, and the credential.

    A key or a token has no form but that it is drawn at random, so words that stand in its place are none.
    """
    lower = text.lower()
    kinds = tuple(kind for kind, words in _WORDS.items() if any(word in lower for word in words))
    for found in _pattern(kinds).finditer(text) if kinds else ():
        fields = found.groupdict()
        drawn = fields.get("key") or fields.get("token")
        if drawn is None or looks_random(drawn):
            yield next(kind for kind in kinds if fields[_GROUPS[kind]] is not None), found[0]


@cache
def _pattern(kinds: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{_GROUPS[kind]}>{_KINDS[kind]})" for kind in kinds))


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
