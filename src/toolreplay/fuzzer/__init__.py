"""Fuzzing: Hypothesis draws what tools and the model do, and a loop is held to the contract in every example."""
