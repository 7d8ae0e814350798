PYTHON ?= python
.DEFAULT_GOAL := help

.PHONY: help check test bench docs record

help:  ## this list
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 10

check:  ## lint, format, types, import contracts, generated files
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	lint-imports
	$(PYTHON) -m toolreplay.cli.generate --check

test:  ## the project's tests, and the scenarios as tests
	$(PYTHON) -m pytest

bench:  ## replay, checking and start-up against their floors
	$(PYTHON) -m benchmarks

docs:  ## what is generated from code: rule pages and the JSON Schema
	$(PYTHON) -m toolreplay.cli.generate

record:  ## record the scenarios again, from the scripted server in this repository
	$(PYTHON) -m tests.simulator
