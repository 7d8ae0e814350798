"""How many conversations are played where nobody says: what a profile of Hypothesis has to say about it."""

from __future__ import annotations

from typing import Final

from hypothesis import currently_in_test_context, settings

from toolreplay.errors import UsageError

EXAMPLES: Final = 200
_UNSAID: Final = 100  # Hypothesis's own number, which a profile has that says none


def examples_of(said: int | None) -> int:
    """The number that was said; else that of the profile of Hypothesis that is loaded, where it says one; else 200.

    Raises:
        UsageError: the number plays nothing.
    """
    if said is not None:
        if said < 1:
            raise UsageError(f"max_examples={said} plays nothing; give 1 or more")
        return said
    # Within another test the settings are those of that one, and say how often it runs.
    number = _UNSAID if currently_in_test_context() else settings().max_examples
    return EXAMPLES if number == _UNSAID else number
