"""What is fuzzed: a scenario without its stubs, and the replies that were recorded for it, where there are any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from toolreplay.errors import CassetteError, NotFuzzed, ToolreplayError
from toolreplay.files.project import Project
from toolreplay.runner.cast import MAIN, Cast
from toolreplay.runner.loops import REFERENCE, target_of
from toolreplay.runner.play import play_with
from toolreplay.runner.replay import replay_side
from toolreplay.runner.run import Failure, Run
from toolreplay.scenario.model import Scenario
from toolreplay.scenario.steps import UserStep
from toolreplay.scenario.tools import RunsOn
from toolreplay.wire.model import Block, Reply, Text, ToolUse, Wire

Json = dict[str, Any]

_KEPT: Final = (
    *("max_tokens", "max_turns", "system", "stream", "thinking", "betas"),
    *("tool_choice", "extra_body", "history"),
)
# Tools for strategies that are given no scenario.
TOOLS: Final = (
    {
        "name": "look_up",
        "description": "Looks a key up.",
        "input_schema": {
            "type": "object",
            "properties": {
                "key": {"type": "string"},
                # A tool that changes its input reaches into the caller's history by what is nested in it.
                "within": {"type": "object", "properties": {"shelf": {"type": "integer"}}, "required": ["shelf"]},
            },
            "required": ["key"],
        },
    },
    {
        "name": "add",
        "description": "Adds two numbers.",
        "input_schema": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
)


@dataclass(frozen=True)
class Ground:
    """What every conversation that is drawn has in common.

    Attributes:
        fields: fields of the scenario as its file has them, but for name, tools, stubs, scripts and conversation.
        tools: the definitions of the tools.
        callable: those that the loop runs, which is what generated replies ask for.
        prompts: what the user says.
        recorded: the replies to each prompt, as scripts have them; empty where there is no recording.
        unrecorded: why there are none.
    """

    fields: Json
    tools: tuple[Json, ...]
    callable: tuple[Json, ...]
    prompts: tuple[Any, ...]
    recorded: tuple[tuple[Json, ...], ...] = ()
    unrecorded: str = ""

    @property
    def wire(self) -> Wire:
        """The wire that is spoken."""
        return Wire(self.fields.get("wire", "messages"))

    @property
    def stream(self) -> bool:
        """Whether replies are streamed."""
        return bool(self.fields.get("stream"))

    @property
    def thinks(self) -> bool:
        """Whether the model thinks before it calls."""
        return bool(self.fields.get("thinking")) and self.wire is Wire.MESSAGES


def plain_ground(wire: Wire = Wire.MESSAGES, *, stream: bool = False) -> Ground:
    """A ground without a scenario: two small tools and a prompt."""
    fields: Json = {"model": "claude-sonnet-5-5", "max_tokens": 1024}
    if wire is not Wire.MESSAGES:
        fields["wire"] = str(wire)
    if stream:
        fields["stream"] = True
    tools = tuple(dict(tool) for tool in TOOLS)
    return Ground(fields, tools, tools, ("Please go on.",))


def ground_of(scenario: Scenario, project: Project) -> Ground:
    """What can be drawn around a scenario. Its recording, if it has one, is played once to see which reply is whose.

    Raises:
        NotFuzzed: the model calls no tool that a loop runs, or there are sub-agents, whose conversations are not drawn.
    """
    if scenario.subagents:
        raise NotFuzzed(f"{scenario.id}: it has sub-agents, whose conversations are not drawn; fuzz one without them")
    written = scenario.model_dump(include=set(_KEPT), exclude_unset=True, by_alias=True)
    fields: Json = {"model": scenario.model, **_as_json(written)}
    if scenario.wire is not Wire.MESSAGES:
        fields["wire"] = str(scenario.wire)
    tools = {tool.key: _as_json(tool.definition) for tool in scenario.tools if not tool.is_toolset}
    if (scenario.tool_choice or {}).get("type") == "none":
        raise NotFuzzed(f"{scenario.id}: its tool_choice is none, so the model calls no tool; take it off to fuzz it")
    called = tuple(tools[tool.key] for tool in scenario.tools if tool.key in tools and tool.runs_on is RunsOn.CLIENT)
    if not called:
        raise NotFuzzed(f"{scenario.id}: it has no tool that a loop runs, so there is nothing to fuzz; add one")
    prompts = tuple(_as_json(step.user) for step in scenario.conversation if isinstance(step, UserStep))
    ground = Ground(fields, tuple(tools.values()), called, prompts)
    try:
        return replace(ground, recorded=_recorded(scenario, project, len(prompts)))
    except ToolreplayError as error:  # it can be fuzzed all the same
        return replace(ground, unrecorded=str(error))


def _recorded(scenario: Scenario, project: Project, prompts: int) -> tuple[tuple[Json, ...], ...]:
    """The replies to each prompt.

    Raises:
        ToolreplayError: there is no recording that the reference loop can play.
    """
    cast = Cast(scenario)
    side = replay_side(scenario, project, REFERENCE, cast)
    if isinstance(side, Failure):
        raise CassetteError(side.message)
    run = play_with(scenario, target_of(None, project.root), side, cast=cast)
    found = tuple(tuple(_replies(run, number)) for number in range(1, prompts + 1))
    return found if any(found) else ()


def _replies(run: Run, prompt: int) -> Iterator[Json]:
    for exchange in run.exchanges:
        if exchange.prompt == prompt and exchange.agent == MAIN and isinstance(exchange.reply, Reply):
            content = [_block(block) for block in exchange.reply.blocks]
            found: Json = {"content": [block for block in content if block is not None]}
            if exchange.reply.stop_reason not in {"tool_use", "end_turn"}:
                found["stop_reason"] = exchange.reply.stop_reason
            yield found


def _block(block: Block) -> Json | None:
    """A block as scripts have it; of Converse what has a like in Messages."""
    match block:
        case ToolUse() if block.id and block.name:
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": _as_json(block.input)}
        case Text():
            return {"type": "text", "text": block.text}
    raw = getattr(block, "raw", None)
    return _as_json(raw) if isinstance(raw, Mapping) and "type" in raw else None


def _as_json(value: Any) -> Any:
    """The same with the lists and mappings that YAML has."""
    if isinstance(value, Mapping):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_as_json(item) for item in value]
    return value
