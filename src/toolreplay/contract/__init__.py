"""The contract of tool use on both wires, as rules over frozen records.

Pure: `finding` says what a broken rule looks like, `catalogue` holds the rules, `rules/` has one module a
family, `fold` runs them over a conversation as it grows, `conversations` follows many conversations at once.
`entry` is the way in with plain JSON, `page` prints what a rule is about.
"""
