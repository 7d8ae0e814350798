"""Playing a scenario: a loop under test, stub tools and a model side, and the verdict on what came of it.

The only room that composes: `play` puts the parts together, `session` answers each request (checked, matched,
answered), `sides` are the model's possible answers, `toolbox` runs the stubs and keeps a log, `facts` and
`expectations` judge the run.
"""
