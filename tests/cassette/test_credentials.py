from __future__ import annotations

import random
import string
import time
from typing import Final

import pytest

from toolreplay.cassette.credentials import known_forms, looks_random

# Put together, so that no scanner of this repository takes them for real ones.
ANT: Final = "sk-" + "ant-"
AKIA: Final = "AK" + "IA"
ASIA: Final = "AS" + "IA"
PEM: Final = "-----BEGIN {}PRIVATE" + " KEY-----"
BODY: Final = "MIIEvgIBADANBgkqhkiG9w0BAQEFAASC"
HEAD: Final = "ey" + "JhbGciOiJIUzI1NiJ9"
RANDOM: Final = "".join(random.Random(1).choices(string.ascii_letters + string.digits + "-_", k=93))

FOUND: Final = {
    f"{ANT}api03-{RANDOM}AA": "an Anthropic API key",
    f"{ANT}admin01-{RANDOM}AA": "an Anthropic API key",
    f"{ANT}oat01-{RANDOM}AA": "an Anthropic API key",
    f"{ANT}{RANDOM}": "an Anthropic API key",
    f"key={ANT}api03-{RANDOM}": "an Anthropic API key",
    f"a line\\n{ANT}api03-{RANDOM}": "an Anthropic API key",
    f"{ANT}api03-9f86d081884c7d659a2feaa0c55ad015": "an Anthropic API key",
    f"\x1b[31m{ANT}{RANDOM}": "an Anthropic API key",
    f"\\u001b[1;31m{ANT}{RANDOM}": "an Anthropic API key",
    f"next%3D{ANT}{RANDOM}": "an Anthropic API key",
    f"\\u003d{ANT}{RANDOM}": "an Anthropic API key",
    f"key_{ANT}{RANDOM}": "an Anthropic API key",
    f"x-{ANT}{RANDOM}": "an Anthropic API key",
    f"key{ANT}api03-{RANDOM}": "an Anthropic API key",
    f"{AKIA}Q3EGR7XWPLM2ABCD": "an AWS access key id",
    f"\x1b[31m{AKIA}Q3EGR7XWPLM2ABCD": "an AWS access key id",
    f"id%3D{AKIA}Q3EGR7XWPLM2ABCD%26": "an AWS access key id",
    f"a line\\n{AKIA}Q3EGR7XWPLM2ABCD": "an AWS access key id",
    "\x1b[0mBearer 9f86d081884c7d659a2f": "a bearer token",
    f"\x1b[31m{HEAD}.{HEAD}.dozjgNryP4J3jVmNHl0w5N": "a JSON web token",
    f"jwt%3D{HEAD}.{HEAD}.dozjgNryP4J3jVmNHl0w5N": "a JSON web token",
    f"token_{HEAD}.{HEAD}.dozjgNryP4J3jVmNHl0w5N": "a JSON web token",
    f"{ASIA}Q3EGR7XWPLM2ABCD": "an AWS access key id",
    "Bearer 9f86d081884c7d659a2f": "a bearer token",
    "bearer\tq1W2e3R4t5Y6u7I8o9": "a bearer token",
    f"jwt={HEAD}.{HEAD}.dozjgNryP4J3jVmNHl0w5N": "a JSON web token",
    f"{PEM.format('')}\n{BODY}": "a private key",
    f"{PEM.format('RSA ')}\\n{BODY}": "a private key",
    f"{PEM.format('EC ')}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{BODY}": "a private key",
}


@pytest.mark.parametrize(("text", "kind"), FOUND.items(), ids=range(len(FOUND)))
def test_a_credential_is_found(text: str, kind: str) -> None:
    assert [found for found, _ in known_forms(f"before {text} behind")] == [kind]


PROSE: Final = [
    "task-ant-migration-guide",
    f"desk-and-ri{ANT}colony-optimizer-2f8a9b1c7d3e5f6a",
    f"BASE64{AKIA}Q3EGR7XWPLM2ABCD",
    f"for{AKIA}Q3EGR7XWPLM2ABCD",
    f"sk-{HEAD}.and.dozjgNryP4J3jVmNHl0w5N",
    "ri" + f"{ANT}colony-optimizer-2f8a9b1c7d3e5f6a",
    f"keys begin with {ANT}admin01- or {ANT}api03-",
    f"{ANT}oat01-token",
    f"{ANT}api03-key-goes-here",
    f"{ANT}api03-abc123def456",
    f"{ANT}secret-key",
    f"/docs/{ANT}api-key-format-explained",
    f"{ANT}api03-the-key-of-your-production-account-v2",
    f"{PEM.format('')} is the first line of a file",
    f"{PEM.format('RSA ')}\n...\n",
    f"{HEAD}.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpM",
    "bearer authentication2provider",
    "Bearer token_from_oauth2_endpoint",
    "bearer tokenFromOauth2Endpoint",
    "the bearer specification-2025-11-05-draft",
    f"{ASIA}PACIFICREGION123",
]


@pytest.mark.parametrize("text", PROSE)
def test_prose_about_credentials_is_none(text: str) -> None:
    assert list(known_forms(f"before {text} behind")) == []


def test_what_is_random_looks_so() -> None:
    draw = random.Random(7)
    for letters, length in ((string.hexdigits[:16], 32), (string.ascii_letters + string.digits + "-_", 93)):
        assert all(looks_random("".join(draw.choices(letters, k=length))) for _ in range(1_000))


REPEATED: Final = [
    "eyJ",
    "\\neyJ",
    "eyJaaaaaaaaa.",
    f"{HEAD}.{HEAD}.",
    f"a.{HEAD}.{HEAD[:9]}.",
    f"{HEAD}_{HEAD}",
    f"a{ANT}api03-",
    "%3D",
    "[0m",
    ANT,
    f"_{ANT}",
    f"{ANT}api03-a1",
    AKIA,
    ASIA,
    "aws_secret_key",
    "secret_access_key___",
    "bearer ",
    "bearer a.",
    "Bearer 1",
    "-----BEGIN ",
    "-----BEGIN A ",
    "A ",
    f"{PEM.format('')}\\n",
    "a1",
]


def _seconds(text: str) -> float:
    best = float("inf")
    for _ in range(3):
        before = time.perf_counter()
        list(known_forms(text))
        best = min(best, time.perf_counter() - before)
    return best


@pytest.mark.parametrize("piece", REPEATED)
def test_a_search_is_linear_in_the_text(piece: str) -> None:
    few, many = (_seconds("secret -----BEGIN bearer " + piece * (size // len(piece))) for size in (20_000, 160_000))
    assert many < 40 * few + 0.01, "eight times the text; a quadratic search takes 64 times as long"
