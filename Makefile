# The front door. `make demo` and `make test` need Python 3.11 or newer and make;
# everything else they set up themselves, in .venv, from the exact files of requirements.lock.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
STUDIO := .venv-label-studio
STUDIO_READY := $(STUDIO)/.ready
STUDIO_VERSION := 1.23.2
WORKERS ?= 2
OUT ?= out
# Compiled Python is kept even where the environment says not to: workers and the commands that
# tests start would each compile all of it again. Workers share the cores, so each has one thread.
PYTEST = PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest \
  -n $(WORKERS) --dist loadfile --durations=40 --durations-min=3

.DEFAULT_GOAL := help
.PHONY: help setup demo packages test test-all label-studio lint format types imports bench docs serve ci clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

setup: $(READY)  ## make the virtual environment

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "PYTHON must be Python 3.11 or newer; got $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup  ## a whole assay on real images, nothing downloaded: page and surface in out/demo
	$(BIN)/assay demo --out $(OUT)/demo

packages:  ## install Chromium, PostgreSQL and a C compiler, which some tests need, where they are missing
	.ci/system-packages

test: setup  ## run the tests but the slow ones, after installing the packages that they need where that is possible
	-@.ci/system-packages
	$(PYTEST) -m "not slow"

test-all: setup  ## run every test: also laws of many draws, which are marked slow
	$(PYTEST)

label-studio: setup $(STUDIO_READY)  ## assay sync against a real Label Studio server: 1 GB and ten minutes the first time
	@mkdir -p $(OUT)
	ASSAY_LABEL_STUDIO=$(STUDIO)/bin/label-studio $(BIN)/python -m pytest -s --basetemp=$(OUT)/label-studio tests/label_studio

$(STUDIO_READY):
	@test -x $(STUDIO)/bin/python || $(PYTHON) -m venv $(STUDIO)
	$(STUDIO)/bin/python -m pip install -qq --disable-pip-version-check label-studio==$(STUDIO_VERSION)
	@touch $@

lint: setup  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: setup  ## ruff: put right what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: setup  ## mypy --strict
	$(BIN)/mypy --strict

imports: setup  ## the layers: a module imports only downwards
	$(BIN)/lint-imports

bench: setup  ## the paper's experiments in their quick form
	$(BIN)/assay bench all --quick --out $(OUT)/bench

docs: setup  ## build the documentation strictly, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

serve: setup  ## read the documentation at http://127.0.0.1:8000
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

ci: packages setup  ## all that must hold before a change goes in; the checks run beside the tests
	$(MAKE) --jobs=2 --keep-going test-all lint types imports docs

clean:  ## remove what the other targets made
	rm -rf $(VENV) $(STUDIO) $(OUT) site .cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
