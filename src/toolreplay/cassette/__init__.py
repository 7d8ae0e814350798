"""Cassettes: recorded HTTP exchanges with the model's API. The only room that knows vcrpy."""
