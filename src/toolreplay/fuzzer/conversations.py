"""Whole conversations, drawn: what the model says to each prompt, and what each tool does.

Everything that is drawn shrinks: to one call that returns a word, to a prompt that no second one follows up, to a
reply that comes at once and whole.
"""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .author import MOST_TURNS, Author, Choices
from .case import Case
from .ground import Ground, plain_ground

Json = dict[str, Any]

_HOSTILITIES: Final = st.sampled_from(("blank text", "id twice", "many turns"))


def conversations(ground: Ground | None = None, *, hostile: bool = False) -> SearchStrategy[Case]:
    """Conversations on a ground, each with a second prompt: a bad message poisons what comes after it.

    Args:
        ground: two small tools and a prompt, if none is given.
        hostile: let the model side say what the API never would: blank text, one id twice, many turns.
    """
    return _conversation(Choices(ground or plain_ground()), hostile=hostile)


def plain_document(ground: Ground | None = None) -> Json:
    """The plainest conversation on a ground: a prompt, and a reply without a call."""
    ground = ground or plain_ground()
    fields = {"version": 1, "name": "plain", **ground.fields}
    return {**fields, "tools": list(ground.tools), "conversation": [{"user": ground.prompts[0]}]}


def assistant_turns(tools: tuple[Json, ...] | None = None) -> SearchStrategy[Json]:
    """Replies of the model that call tools, as scripts have them: `{"content": [...]}`.

    Args:
        tools: definitions in Messages shape; two small tools, if none are given.
    """
    ground = plain_ground()
    if tools is not None:
        ground = Ground(ground.fields, tools, tools, ground.prompts)
    return _turn(Choices(ground))


@st.composite
def _turn(draw: st.DrawFn, choices: Choices) -> Json:
    return Author(draw, choices).turn()


@st.composite
def _conversation(draw: st.DrawFn, choices: Choices, *, hostile: bool) -> Case:
    ground = choices.ground
    author = Author(draw, choices, draw(_HOSTILITIES) if hostile else None)
    recorded = bool(ground.recorded) and draw(st.booleans())
    prompts = ground.prompts if len(ground.prompts) > 1 else (*ground.prompts, "And now?")
    steps = [author.step(prompt, index, recorded=recorded) for index, prompt in enumerate(prompts)]
    document: Json = {
        "version": 1,
        "name": "drawn",
        **ground.fields,
        "max_turns": MOST_TURNS,
        "tools": [{**tool, **author.stub(tool)} for tool in ground.tools],
        "conversation": steps,
    }
    return Case(document, hostile)
