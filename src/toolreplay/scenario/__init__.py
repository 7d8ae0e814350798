"""Scenario files: read, checked and explained, and what a run takes from them.

`load` is the way in: YAML to `model.Scenario`. `request` and `digests` read a scenario for the wire and for
staleness, `stubs` plays its tools, `matchers` compares what came out with what it expects. `head` recognises
a scenario file without importing pydantic.
"""
