PYTHON ?= python

.PHONY: check test bench docs record

check:  ## lint, format, types, import contracts
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	lint-imports

test:  ## the project's tests and the scenarios
	$(PYTHON) -m pytest

bench:  ## replay, checking and start-up against their floors
	$(PYTHON) -m benchmarks

docs:  ## what is generated from code: rule pages and the JSON Schema
	$(PYTHON) -m toolreplay.cli.generate

record:  ## record the scenarios again, from the scripted server in this repository
	$(PYTHON) -m tests.simulator
