# Two commands on a fresh machine (Python 3.11+, make, pip): `make lab` and `make test`.
# The project's tools live in .venv, made on first use; pyproject.toml says what goes into it.

PYTHON ?= python3
JOBS ?= 2
NOTEBOOK ?= notebooks/01_quickstart.ipynb
LAB_ARGS ?=
PYTEST_ARGS ?=
BENCH_ARGS ?=

BIN := .venv/bin
OLDEST := .venv-oldest/bin
PYTEST := -m pytest -n $(JOBS) --dist worksteal $(PYTEST_ARGS)
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check
# Where there is no screen, JupyterLab only prints its link: no text browser takes the terminal.
NO_SCREEN := $(if $(or $(DISPLAY),$(WAYLAND_DISPLAY),$(filter Darwin,$(shell uname))),,--no-browser)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help lab test test-all test-rest test-oldest test-long check lint format docs bench bench-parts browser java clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

lab: .venv/.has-lab  ## Open JupyterLab on the quickstart (NOTEBOOK=path opens another)
	$(BIN)/jupyter lab --ServerApp.allow_root=True $(NO_SCREEN) --LabApp.default_url=/lab/tree/$(NOTEBOOK) $(LAB_ARGS)

test: check browser java  ## Lint, check types and run the suite
	$(BIN)/python $(PYTEST) -m "not slow"

test-all: test test-rest  ## `make test`, then the long parts: what CI runs

test-rest: test-oldest test-long

test-oldest: .venv-oldest/.has-floors browser java  ## Run the suite on the oldest versions that the floors allow
	RANK_MAGIC_OLDEST=1 $(OLDEST)/python $(PYTEST) -m "not slow" tests

# pytest's exit code 5 says that there is no such test (yet), which is fine here.
test-long: .venv/.has-dev browser java  ## Run the slow tests, and the fuzzing at length
	$(BIN)/python $(PYTEST) -m "slow or hypothesis" --hypothesis-profile=long || [ $$? = 5 ]

check: lint
	$(BIN)/mypy

lint: .venv/.has-dev  ## Check style and spelling
	$(BIN)/codespell
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: .venv/.has-dev  ## Put style right where a tool can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: .venv/.has-docs  ## Build the reference and the notebooks as pages, in build/docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs build/docs

bench: .venv/.has-bench  ## Run the benchmark beside the peers (BENCH_ARGS=--small to try it)
	$(BIN)/python benchmarks/bench.py $(BENCH_ARGS)

bench-parts: .venv/.has-bench  ## Time the parts (PYTEST_ARGS=--benchmark-compare: against the last)
	$(BIN)/python -m pytest benchmarks/test_parts.py --benchmark-autosave $(PYTEST_ARGS)

clean:  ## Remove the environments and everything that tools left behind
	rm -rf .venv .venv-oldest build dist test-artifacts .benchmarks
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp file says what an environment holds; a change of pyproject.toml makes it out of date.
# pip is brought up to date first: dependency groups need 25.1, and Python 3.11 comes with 23.

.venv/.has-pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'rank_magic needs Python 3.11 or newer. Say where one is: make PYTHON=/path/to/python3.11 ...'; \
		exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python $(PIP_INSTALL) --upgrade 'pip>=25.1'
	@touch $@

.venv/.has-lab: pyproject.toml | .venv/.has-pip
	$(BIN)/python $(PIP_INSTALL) --editable '.[lab]'
	@touch $@

.venv/.has-dev: pyproject.toml | .venv/.has-pip
	$(BIN)/python $(PIP_INSTALL) --editable . --group dev
	@touch $@ .venv/.has-lab

.venv/.has-docs: pyproject.toml | .venv/.has-pip
	$(BIN)/python $(PIP_INSTALL) --editable '.[tutorials]' --group docs
	@touch $@

.venv/.has-bench: pyproject.toml | .venv/.has-pip
	$(BIN)/python $(PIP_INSTALL) --editable . --group test --group bench
	@touch $@

.venv-oldest/.has-floors: pyproject.toml tests/floors.py
	$(PYTHON) -m venv --clear .venv-oldest
	$(OLDEST)/python $(PIP_INSTALL) --upgrade 'pip>=25.1'
	$(OLDEST)/python tests/floors.py > .venv-oldest/floors.txt
	$(OLDEST)/python $(PIP_INSTALL) --editable . --group test --group oracles -c .venv-oldest/floors.txt
	@touch $@

# The browser that the tests drive. CHROMIUM=/path/to/it names one that is not on the PATH.
browser:
	@if [ -n "$$CHROMIUM" ] || command -v chromium >/dev/null; then exit 0; fi; \
	root=; [ "$$(id -u)" = 0 ] || root='sudo -n'; \
	if command -v apt-get >/dev/null && $$root true 2>/dev/null; then \
		echo 'Installing Chromium for the browser tests'; \
		$$root apt-get update -qq && $$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
			--no-install-recommends chromium fonts-dejavu-core </dev/null >/dev/null && exit 0; \
	fi; \
	echo 'No Chromium here, and none could be installed: the browser tests are skipped.'; \
	echo 'Install it (Debian: apt-get install chromium), or name one: CHROMIUM=/path/to/chromium make test'; \
	[ "$$CI" != true ]

# The Java that Spark runs on in the tests. JAVA_HOME=/path/to/it names one that is not on the PATH.
JAVA_IS_NEW = $${JAVA_HOME:+$$JAVA_HOME/bin/}java -version 2>&1 | \
	awk -F '"' '/version/ { split($$2, v, "."); new = v[1] >= 17 } END { exit !new }'
java:
	@if $(JAVA_IS_NEW); then exit 0; fi; \
	root=; [ "$$(id -u)" = 0 ] || root='sudo -n'; \
	if command -v apt-get >/dev/null && $$root true 2>/dev/null; then \
		echo 'Installing Java 17 for the tests on Spark'; \
		$$root apt-get update -qq && $$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
			--no-install-recommends openjdk-17-jre-headless </dev/null >/dev/null && exit 0; \
	fi; \
	echo 'No Java 17 here, and none could be installed: the tests on Spark are skipped.'; \
	echo 'Install it (Debian: apt-get install openjdk-17-jre-headless), or name one: JAVA_HOME=/path make test'; \
	[ "$$CI" != true ]
