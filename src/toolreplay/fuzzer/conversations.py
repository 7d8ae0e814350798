"""Whole conversations, drawn: what the model says to each prompt, and what each tool does.

Everything that is drawn shrinks: to prompts that are answered without a call, to one call that returns a word where
there must be one, to a reply that comes at once and whole.
"""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .author import Author, Choices
from .case import Case
from .document import document, prompts_of
from .ground import Ground, plain_ground

Json = dict[str, Any]

# Half of the conversations hold none, so that a loop's own faults are not taken for what follows from it.
_HOSTILITIES: Final = st.sampled_from((None, None, None, "blank text", "id twice", "many turns"))


def conversations(ground: Ground | None = None, *, hostile: bool = False) -> SearchStrategy[Case]:
    """Conversations on a ground, each with a second prompt: a bad message poisons what comes after it.

    Args:
        ground: two small tools and a prompt, if none is given.
        hostile: let the model side say what the API never would: blank text, one id twice, many turns.
    """
    return _conversation(Choices(ground or plain_ground()), hostile=hostile)


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
    hostility = draw(_HOSTILITIES) if hostile else None
    author = Author(draw, choices, hostility)
    recorded = bool(ground.recorded) and draw(st.booleans())
    steps = [author.step(prompt, index, recorded=recorded) for index, prompt in enumerate(prompts_of(ground))]
    return Case(document(ground, author.stubs, steps), hostile=hostility is not None)
