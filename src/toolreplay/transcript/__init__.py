"""A recording as people read it: conversations, turns, and calls with their results."""
