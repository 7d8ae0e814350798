"""What credentials look like: the headers that carry nothing else, and the forms that are known in any text."""

from __future__ import annotations

import re
from collections.abc import Iterator
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

# How each looks: docs.aws.amazon.com/IAM (identifiers), RFC 6750 (bearer), RFC 7519 (JWT), RFC 7468 (PEM). A bearer
# token without a digit is a word of a text about bearer tokens.
_KINDS: Final = {
    "an Anthropic API key": r"sk-ant-[A-Za-z0-9_-]{8,}",
    "an AWS access key id": r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    "an AWS secret access key": (
        r"(?i:aws_?secret(?:_?access)?_?key|secret_?access_?key)[\W_]{1,8}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"
    ),
    "a bearer token": r"(?i:\bbearer)\s+(?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{16,}",
    "a JSON web token": r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    "a private key": r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----",
}
_NAMES: Final = tuple(_KINDS)
_PATTERN: Final = re.compile("|".join(f"({pattern})" for pattern in _KINDS.values()))
_SECRET_NAME: Final = re.compile("KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def known_forms(text: str) -> Iterator[tuple[str, str]]:
    """What in a text has the form of a credential, in order: its kind in words, and the credential."""
    for found in _PATTERN.finditer(text):
        yield _NAMES[(found.lastindex or 1) - 1], found[0]


def names_secret(name: str) -> bool:
    """Whether a name says that its value is secret: of a variable, of a field."""
    return _SECRET_NAME.search(name) is not None
