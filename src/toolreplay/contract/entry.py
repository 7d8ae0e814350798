"""The ways in: a request as plain JSON, or the facts of a run."""

from __future__ import annotations

from toolreplay.errors import UsageError
from toolreplay.wire import converse, messages
from toolreplay.wire.fields import mapping
from toolreplay.wire.model import Request, Wire

from .as_json import as_json
from .catalogue import LEAK_RULES, RUN_RULES
from .facts import RunFacts
from .finding import Finding, Profile
from .fold import check_request, profile_of
from .leak import Leak
from .turns import Context


def check(request: object, wire: str = "messages", profile: str | None = None) -> list[Finding]:
    """Check one request against the contract of tool use.

    Args:
        request: a request body, or its list of messages alone. Any JSON is judged; nothing in it raises.
        wire: `messages` (the Messages API) or `converse` (Bedrock Converse). A Converse body does not hold
            its model; where the model matters, put it under `modelId`, as boto3 takes it.
        profile: whose contract is held, where it is not that of the wire: `messages`, `gateway` (strict and
            look-alike endpoints) or `converse`.

    Returns:
        The findings, those of earlier messages first; empty when nothing is wrong.

    Raises:
        UsageError: the wire or the profile is none of those.
    """
    chosen = Wire(_choice("wire", wire, [item.value for item in Wire]))
    held = None if profile is None else Profile(_choice("profile", profile, [item.value for item in Profile]))
    return list(check_request(parse(request, chosen), held))


def check_run(facts: RunFacts, wire: Wire = Wire.MESSAGES) -> tuple[Finding, ...]:
    """Judge a whole run by the rules TR6xx."""
    context = Context(profile_of(wire), parse({}, wire))
    return tuple(RUN_RULES.judge(facts, context))


def check_leak(leak: Leak) -> tuple[Finding, ...]:
    """Judge a credential that a recording holds by the rules TR9xx."""
    return tuple(LEAK_RULES.judge(leak, Context(Profile.MESSAGES, parse({}, Wire.MESSAGES))))


def parse(request: object, wire: Wire) -> Request:
    """Parse a request body, or a bare list of messages. Blocks and messages may be objects of an SDK.

    Raises:
        UsageError: it is neither.
    """
    plain = as_json(request)
    if not isinstance(plain, dict | list):
        what = type(request).__name__
        raise UsageError(f"a request is a mapping, or a list of messages, and not {what}; parse it first")
    body = {"messages": plain} if isinstance(plain, list) else mapping(plain)
    return converse.parse_request(body) if wire is Wire.CONVERSE else messages.parse_request(body)


def _choice(what: str, value: str, choices: list[str]) -> str:
    if value not in choices:
        raise UsageError(f"{what}: {value!r} is unknown; choose {' or '.join(choices)}")
    return value
