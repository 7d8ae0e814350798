"""Scenarios in tests written in Python: what `toolreplay.session` and the pytest fixture give."""
