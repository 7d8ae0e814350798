"""The rules, a module a family; importing this package fills the catalogue."""

from . import blocks, pairing, placement, results, runs

__all__ = ["blocks", "pairing", "placement", "results", "runs"]
