# Footfall: `make demo` and `make test` set everything up by themselves.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.footfall
PYTEST ?= -n auto --dist worksteal
SEED   := $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))
FIRST  := numpy scipy numba shapely safetensors pydantic pillow threadpoolctl
QUIET  := install --quiet --disable-pip-version-check --no-compile
PIP     = $(shell test -e $(BIN)/pip && echo $(BIN)/python -m pip || echo $(PYTHON) -m pip --python $(BIN)/python) $(QUIET)
SIDE_BY_SIDE := $(MAKE) --no-print-directory --jobs=3

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all tests check style language types layers prepare format docs bench fuzz \
        dist ci test-clips gallery clean

# Bytecode is kept, also where the environment asks not to: each start would compile all sources.
export PYTHONDONTWRITEBYTECODE :=

help:    ## list the targets
	@grep -E '^[a-z-]+: .*##|^[a-z-]+:  *##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | sort

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Footfall needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 …" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv --without-pip $(VENV)
	@$(PYTHON) -m pip --python $(BIN)/python --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip --default-pip

# While pip installs the rest on one core, the other one compiles kernels; what is ready is kept.
# Arguments: the pip to use, what to install, jobs of `footfall warmup`.
define install_and_compile
	@printf '%s\n' $(3) | PYTHONPATH=src $(BIN)/python -m footfall.verbs.warmup >/dev/null 2>&1 & \
	  $(1) $(2); status=$$?; kill $$! 2>/dev/null; exit $$status
endef

# The player and the studio are built while pip downloads; without Node all else is there.
# Arguments: the pip to use, what to install.
define install_and_build_web
	@if command -v npm >/dev/null; then \
	    cd web && npm ci --silent --no-fund --no-audit && npm run build --silent; fi >/dev/null 2>&1 & \
	  $(1) $(2); status=$$?; wait $$!; exit $$status
endef

$(STAMP)-user: pyproject.toml | $(BIN)/python
	$(call install_and_build_web,$(PIP),$(FIRST))
	$(call install_and_compile,$(PIP),--editable .,roadmaps scenes pictures files 'default clips of the dungeon')
	@touch $@

$(STAMP)-dev: pyproject.toml | $(BIN)/python
	$(call install_and_build_web,$(PIP),--upgrade 'pip>=25.1' $(FIRST))
	$(call install_and_compile,$(BIN)/python -m pip $(QUIET),--editable '.[usd]' --group test --group check --group docs,roadmaps 'least effort' blending scenes pictures files)
	@touch $@ $(STAMP)-user

$(STAMP)-bench: pyproject.toml $(STAMP)-dev
	$(BIN)/python -m pip $(QUIET) --group bench
	@touch $@

setup: $(STAMP)-user   ## make the virtual environment

demo: $(STAMP)-user    ## plan through the dungeon over footholds: GLB, BVH, a page, pictures, measures
	$(BIN)/footfall demo --output out/demo

test: $(STAMP)-dev     ## run the checks and all tests
	$(SIDE_BY_SIDE) tests types

test-all: $(STAMP)-dev ## the same with every case and far more generated ones, drawn from a SEED
	@echo "generated cases are drawn from the seed $(SEED); repeat them: make test-all SEED=$(SEED)"
	FOOTFALL_THOROUGH=1 $(SIDE_BY_SIDE) tests types PYTEST='$(PYTEST) --hypothesis-seed=$(SEED)'

tests: prepare style docs
	$(BIN)/python -m pytest $(PYTEST)

check: style language layers docs types  ## ruff, mypy --strict, language, import layers, docs

style: $(STAMP)-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# It yields to all else, so beside the tests it uses the time in which they wait.
types: $(STAMP)-dev
	nice -n 5 $(BIN)/mypy

language: $(STAMP)-dev
	$(BIN)/python -m tools.language

layers: $(STAMP)-dev
	$(BIN)/python -m pytest tests/contracts/test_layers.py -p no:cacheprovider

prepare: $(STAMP)-dev
	$(BIN)/python -m tests.prepare

format: $(STAMP)-dev   ## let ruff tidy up
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(STAMP)-dev     ## build the documentation site into site/
	$(BIN)/zensical build --clean --strict

gallery: docs          ## make the pages of the gallery into site/gallery/, all behaviours and methods
	$(BIN)/python -m tools.gallery

bench: $(STAMP)-bench  ## measure beside the peers; writes docs/dev/benchmarks.md
	$(BIN)/python -m bench

dist: $(STAMP)-dev     ## build sdist and wheel into dist/, then try the wheel in a clean environment
	$(BIN)/python -m pip $(QUIET) --group dist
	$(BIN)/python -m tools.dist

ci: | $(BIN)/python    ## run the steps of .github/workflows/ci.yml here
	$(BIN)/python -m tools.ci

test-clips:            ## explain where the real clips of the tests come from
	@$(PYTHON) -m tools.test_clips

fuzz: $(STAMP)-dev     ## mutate files for ten minutes per parser
	$(BIN)/python -m tests.fuzz --minutes 10

clean:                 ## remove everything that was made
	rm -rf $(VENV) out site build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
