# Every target installs what it needs into .venv first; `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
# Tests start hundreds of Pythons: each finds the bytecode that one of them wrote, also where that was switched off.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q

.DEFAULT_GOAL := help
.PHONY: help demo test prove lint format bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(STAMP) ## Train a small language model on text this machine has, minutes on two cores
	$(BIN)/python examples/tiny_llama/demo.py

test: $(STAMP) lint ## Lint, type-check and test, as CI does (minutes)
	.ci/system-packages test
	$(PYTEST) -n auto --maxprocesses 4 --dist worksteal -m "not real"
	$(PYTEST) -m real

prove: $(STAMP) ## Run the whole matrix of kills and breaks (some three hours), summed up in docs/proofs.md
	.ci/system-packages test
	$(BIN)/python tests/prove/run.py --summary docs/proofs.md

lint: $(STAMP) ## Check style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(STAMP) ## Mend style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(STAMP) ## Measure, beside other tools where there are any
	.ci/system-packages bench
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@set -e; for file in benchmarks/*.py; do case $$file in */_*) ;; *) $(BIN)/python $$file ;; esac; done

clean: ## Remove what the targets made
	rm -rf .venv dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(STAMP): pyproject.toml constraints.txt
	.ci/system-packages venv
	@echo "installing into .venv: about 1.7 GB, most of it PyTorch; some minutes"
	$(PYTHON) -m venv .venv
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,cluster,plan,report,train]'
	@touch $@
