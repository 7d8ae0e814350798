"""What toolreplay costs, each figure as a ratio against a floor measured in the same run. `python -m benchmarks`."""
