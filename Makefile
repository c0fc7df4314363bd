# Wraps what can also be typed: see README.md.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready
COLO := $(VENV)/bin/colo
RUN := $(VENV)/bin/python -m
UNIT = $(RUN) pytest -q -m "not cluster"
CLUSTER = $(COLO) sandbox up && $(RUN) pytest -q -m cluster
# Every recipe line is a shell of its own, so SECONDS is what that line took.
TOOK = echo "== $@: done in $$((SECONDS / 60)) min $$((SECONDS % 60)) s"

# Needs no package: the environment's Python if it runs, else any.
BARE = $$($(VENV)/bin/python -c 'import sys; print(sys.executable)' 2>/dev/null || echo $(PYTHON))

.DEFAULT_GOAL := help
.PHONY: help up preview test lint types built unit cluster bench bench-day bench-latency down clean lock FORCE

help: ## List these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

up: $(READY) ## Build what is missing, start the sandbox, deploy the stack dev, wait for its jobs
	@$(COLO) sandbox deploy

preview: $(READY) ## Show what `make up` would change
	@$(COLO) sandbox preview

# Unit tests that need built programs skip without them, so here all is built first. Tests on the cluster mostly
# wait: the others take the time that is left meanwhile, and say at the end how it went.
test: lint types built ## Run the four below
	@log=$$(mktemp); nice $(UNIT) >$$log 2>&1 & unit=$$!; trap "kill $$unit" INT TERM; \
	$(CLUSTER); cluster=$$?; wait $$unit; unit=$$?; cat $$log; rm $$log; $(TOOK); exit $$((unit || cluster))

lint: $(READY) ## Check formatting and style
	@$(RUN) ruff format --check . && $(RUN) ruff check . && $(TOOK)

types: $(READY) ## Check types
	@$(RUN) mypy && $(TOOK)

built: $(READY)
	@$(COLO) sandbox build && $(TOOK)

unit: $(READY) ## Run the tests that need no cluster
	@$(UNIT) && $(TOOK)

cluster: built ## Start the sandbox if it is down, and run the tests that need it
	@$(CLUSTER) && $(TOOK)

bench: $(READY) ## Time `pulumi up` and `preview` of 10, 50 and 200 jobs beside `kubectl apply`
	@$(COLO) sandbox deploy && $(RUN) benchmarks.stack_size && $(TOOK)

bench-day: $(READY) ## Play a day of services and training under five settings, on 9, 50 and 200 simulated nodes
	@$(COLO) sandbox deploy && $(RUN) benchmarks.day --out docs/results/day.json && \
	  $(RUN) benchmarks.day.agreement && $(RUN) benchmarks.results && $(TOOK)

bench-latency: $(READY) ## Measure the answers of a service beside training, and what node protection changes
	@$(COLO) sandbox deploy && $(RUN) benchmarks.latency --out docs/results/latency.json && $(RUN) benchmarks.results && $(TOOK)

down: ## Stop the sandbox; its data stays
	@$(BARE) -m infra.cli sandbox down

clean: ## Stop the sandbox, remove its data, .venv and generated folders; built programs stay
	@$(BARE) -m infra.cli sandbox clean
	rm -rf $(VENV) .colocation *.egg-info build .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@echo "built programs and images stay in $${XDG_CACHE_HOME:-$$HOME/.cache}/colocation: remove that folder to free their space"

lock: $(READY) ## Write requirements.lock anew from pyproject.toml, with the newest versions it allows
	env -u PIP_FIND_LINKS $(RUN) piptools compile --quiet --upgrade --generate-hashes --strip-extras --allow-unsafe \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-header --no-annotate \
	  --extra charts --extra dev --all-build-deps --output-file requirements.lock pyproject.toml

# .ready holds the folder that the environment was made for: a moved checkout, or a Python that
# was removed, makes it anew.
ifneq ($(shell $(VENV)/bin/python -c '' 2>/dev/null && cat $(READY)),$(CURDIR))
$(READY): FORCE
endif

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "colocation needs Python 3.11 or newer as $(PYTHON): install it, or run make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "$(PYTHON) cannot make virtual environments: apt-get install python3-venv"; exit 1; }
	@echo "make $(VENV) from requirements.lock ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(RUN) pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock || \
	  { echo "the packages of requirements.lock could not be installed: pip's message is above; run the same command again"; exit 1; }
	@$(RUN) pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@echo "$(CURDIR)" > $@
