"""What is wrong between the parts of a scenario, each of them sound: names that name nothing, above all.

A mistake here would not fail by itself: a `never` that names no tool holds for ever, a stub entry behind one
that always matches is never played. So these are errors of the file.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from toolreplay.contract.catalogue import all_rules

from .faults import Fault, Path
from .matcher_faults import MATCHERS
from .nearest import did_you_mean, nearest
from .script import ContentReply
from .steps import ApproveStep, Expectation, ExpectedCall, UserStep
from .tools import RunsOn, StubEntry, Tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .model import Scenario

OWN_FIELDS: Final = frozenset(
    {"betas", "max_tokens", "messages", "model", "stream", "system", "thinking", "tool_choice", "tools"}
)


def faults(scenario: Scenario) -> Iterator[Fault]:
    """Everything that is wrong, in the order of the file's fields."""
    yield from _request_faults(scenario)
    yield from _tool_faults(scenario)
    yield from _conversation_faults(scenario)
    for index, allowance in enumerate(scenario.allow):
        if allowance.rule not in all_rules():
            hint = did_you_mean(allowance.rule, all_rules(), "docs/rules/index.md lists them")
            yield Fault(("allow", index, "rule"), f"no rule {allowance.rule!r}; {hint}")
    if scenario.script is not None and not scenario.script:
        yield Fault(("script",), "holds no reply; add one, or remove it to play a cassette")


def _request_faults(scenario: Scenario) -> Iterator[Fault]:
    for name in scenario.extra_body:
        if name in OWN_FIELDS:
            where = "write messages as history" if name == "messages" else f"write {name} at the top of the scenario"
            yield Fault(("extra_body", name), f"is a field of its own; {where}")
    choice = scenario.tool_choice
    if choice is None:
        return
    kinds = ("auto", "any", "tool", "none")
    kind = choice.get("type")
    if kind is None:
        yield Fault(("tool_choice", "type"), f"missing; write one of {', '.join(kinds)}")
    elif kind not in kinds:
        hint = did_you_mean(str(kind), kinds, f"write one of {', '.join(kinds)}")
        yield Fault(("tool_choice", "type"), f"no tool choice {kind!r}; {hint}")
    elif kind == "tool" and scenario.tool(str(choice.get("name"))) is None:
        hint = did_you_mean(str(choice.get("name")), _names(scenario), "name one of the tools")
        yield Fault(("tool_choice", "name"), f"no tool is named {choice.get('name')!r}; {hint}")


def _tool_faults(scenario: Scenario) -> Iterator[Fault]:
    first: dict[str, int] = {}
    ids = _script_ids(scenario)
    for index, tool in enumerate(scenario.tools):
        at: Path = ("tools", index)
        if tool.name is not None and tool.key in first:
            what = f"{tool.key!r} is the name of tools[{first[tool.key]}] too; give each its own"
            yield Fault((*at, "name"), what)
        first.setdefault(tool.key, index)
        yield from _stub_faults(tool, ids, at)


def _stub_faults(tool: Tool, ids: frozenset[str] | None, at: Path) -> Iterator[Fault]:
    catch_all: int | None = None
    for index, entry in enumerate(tool.stub):
        here: Path = (*at, "stub", index)
        if catch_all is not None:
            yield Fault(here, f"is never reached: stub[{catch_all}] takes every call; move that one to the end")
            return
        if entry.always:
            catch_all = index
        yield from _argument_faults(tool, entry.when, (*here, "when"))
        yield from _id_faults(entry, ids, here)


def _argument_faults(tool: Tool, expected: Mapping[str, object] | None, at: Path) -> Iterator[Fault]:
    """Arguments that the tool's schema does not know, where they are near one that it does."""
    names = tool.parameters
    for name in expected or {}:
        if name in names:
            if name in MATCHERS and expected is not None and len(expected) == 1:
                what = f"could be the argument {name!r} or a matcher"
                what += f"; write {{equals: {{{name}: ...}}}} for the argument"
                yield Fault((*at, name), what)
            continue
        near = None if name in MATCHERS else nearest(name, names, 0.75)
        if near is not None:
            yield Fault((*at, name), f"{tool.key!r} has no argument {name!r}; did you mean {near!r}?")


def _id_faults(entry: StubEntry | ExpectedCall, ids: frozenset[str] | None, at: Path) -> Iterator[Fault]:
    if entry.id is not None and ids is not None and entry.id not in ids:
        hint = did_you_mean(entry.id, ids, "take an id that a tool_use of the script has")
        yield Fault((*at, "id"), f"no call of the script has the id {entry.id!r}; {hint}")


def _conversation_faults(scenario: Scenario) -> Iterator[Fault]:
    if not scenario.conversation:
        yield Fault(("conversation",), "holds no step; write [{user: ...}]")
    for index, step in enumerate(scenario.conversation):
        at: Path = ("conversation", index)
        if isinstance(step, ApproveStep):
            if index == 0 and not scenario.history:
                yield Fault((*at, "approve"), "nothing is open before the first prompt; start with user")
            for name in step.approve:
                yield from _known_tool(scenario, name, (*at, "approve", name))
        elif step.script is not None and scenario.script is not None:
            yield Fault((*at, "script"), "the scenario has a script of its own; keep one of the two")
        if step.expect is not None:
            yield from _expectation_faults(scenario, step.expect, (*at, "expect"))


def _expectation_faults(scenario: Scenario, expect: Expectation, at: Path) -> Iterator[Fault]:
    ids = _script_ids(scenario)
    for index, call in enumerate(expect.tool_calls or ()):
        here: Path = (*at, "tool_calls", index)
        tool = scenario.tool(call.tool)
        if tool is not None and tool.runs_on is RunsOn.SERVER:
            what = f"{call.tool!r} runs on the API's side, no loop answers it; remove the call"
            yield Fault((*here, "tool"), what)
        elif tool is not None:
            yield from _argument_faults(tool, call.input, (*here, "input"))
        elif call.result is None or call.result.status != "error":
            # A model may well call what does not exist; then the only good answer is an error.
            otherwise = "expect result: {status: error} if the model is to call an unknown tool"
            yield from _known_tool(scenario, call.tool, (*here, "tool"), otherwise)
        yield from _id_faults(call, ids, here)
    for index, name in enumerate(expect.never):
        near = nearest(name, _names(scenario), 0.8)
        if near is not None and scenario.tool(name) is None and not _has_toolset(scenario):
            yield Fault((*at, "never", index), f"no tool is named {name!r}; did you mean {near!r}?")
    for index, name in enumerate(expect.pending or ()):
        yield from _known_tool(scenario, name, (*at, "pending", index))


def _known_tool(scenario: Scenario, name: str, at: Path, otherwise: str = "name one of the tools") -> Iterator[Fault]:
    if scenario.tool(name) is None and not _has_toolset(scenario):
        yield Fault(at, f"no tool is named {name!r}; {did_you_mean(name, _names(scenario), otherwise)}")


def _names(scenario: Scenario) -> list[str]:
    return [tool.key for tool in scenario.tools]


def _has_toolset(scenario: Scenario) -> bool:
    """Whether the model may call tools under names that the scenario does not list."""
    return any(tool.is_toolset for tool in scenario.tools)


def _script_ids(scenario: Scenario) -> frozenset[str] | None:
    """The ids of the script's calls; None where a cassette or the live API gives them."""
    if not scenario.scripted:
        return None
    steps = (step.script or () for step in scenario.conversation if isinstance(step, UserStep))
    scripts = (scenario.script or (), *steps, *(subagent.script or () for subagent in scenario.subagents))
    replies = (reply for reply in chain.from_iterable(scripts) if isinstance(reply, ContentReply))
    return frozenset(str(block["id"]) for reply in replies for block in reply.content if "id" in block)
