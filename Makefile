# Thin names over the command line. The first call of any target makes .venv from the hash-checked lock file.

PYTHON ?= $(firstword $(foreach p,python3 python3.13 python3.12 python3.11,$(if $(shell $(p) -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo yes),$(p))))
BIN := .venv/bin
READY := .venv/.ready

.PHONY: check conformance regenerate test study teeth lint deep bench lock clean

check: $(READY)  ## model-check the specs, walk every transition, and show that each claim can fail
	$(BIN)/specwalk check custody
	$(BIN)/specwalk check durable
	$(BIN)/specwalk check supersession
	$(BIN)/specwalk check recovery
	$(BIN)/pytest -q -n auto -m "not deep" tests/spec

conformance: $(READY)  ## the generated tests alone
	$(BIN)/pytest tests/conformance

regenerate: $(READY)  ## write traces/ and tests/conformance/ anew, from the specs
	$(BIN)/specwalk regenerate

test: $(READY)  ## the test suite
	$(BIN)/pytest -n auto -m "not deep" --ignore tests/spec

study: $(READY)  ## permission to retry: 336 recovery histories on LangGraph and Temporal, graded, and kept in build/study; some minutes
	$(BIN)/python -m tests.recovery --keep build/study

deep: $(READY)  ## the long runs, with the time of each part; SEED=n repeats the random transfers of a run
	$(BIN)/pytest -n auto -m deep --durations=0
	$(BIN)/python -m tests.million
	$(BIN)/specwalk check durable --instance two --instance mixed
	$(BIN)/specwalk check supersession --instance any
	$(BIN)/specwalk check recovery --instance ledger_any --instance cached_any --instance revalidate_any \
	  --instance stable_key_any

bench: $(READY)  ## what check and export cost, in ratios to plain TLC; some minutes, in quiet
	$(BIN)/python -m tests.bench

teeth: $(READY)  ## plant faults and mutants in copies of the project: the checks must catch each; some minutes
	$(BIN)/python -m tests.teeth
	$(BIN)/python -m tests.teeth.spec_mutation
	$(BIN)/python -m tests.teeth.core_mutation

lint: $(READY)  ## format, lint, strict types, import layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

lock:  ## renew requirements.lock after a change of pyproject.toml (needs uv)
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-header --no-emit-package abhyasa -o requirements.lock

clean:
	rm -rf .venv

$(READY): requirements.lock pyproject.toml
	@$(if $(PYTHON),$(PYTHON),false) -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Python 3.11 or later, with venv, is needed; install one, or set PYTHON=/path/to/python3" >&2; exit 3; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
