# `make run`, `make check` and `make test` do everything, environment included.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Checks the types of the web app's scripts, where npm can install it.
TSC := build/tsc/node_modules/.bin/tsc

# How long `make sanitize` fuzzes.
MINUTES ?= 60

.PHONY: run check test sanitize docs site screenshots bench gpu wheels bundle bundle-editor bundle-test lock clean

# Installs exactly the files that were locked: any other file of the same version is refused.
INSTALL := $(BIN)/pip install --quiet --require-hashes --requirement

run: $(VENV)/ready
	$(BIN)/arcbatt solve arc-agi-1/training --no-library --budget 60s --limit 5
	$(BIN)/python bench/say_run.py runs

# Linters, types and fast tests, in three to four minutes on two cores: for use while working.
check: export CI := 1
check: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/pytest -n 2 -m "not slow and not browser and not ray and not gpu"

# Everything. With CI set, property tests take the same examples in every run.
test: export CI := 1
test: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	test -x $(TSC) || ! command -v npm > /dev/null || npm install --silent --fetch-retries=0 \
	    --fetch-timeout=20000 --prefix build/tsc typescript@5.9 || echo "no TypeScript: types of scripts are not checked"
	$(BIN)/pytest -n 2 --dist loadgroup

sanitize: $(VENV)/ready
	$(BIN)/python -m tests.sanitize --minutes $(MINUTES)

docs: $(VENV)/ready
	$(BIN)/python -m arcbatt.engine.table
	$(BIN)/python docs/generate.py

# The documentation as a site, in build/site; fails on a broken link.
site: $(VENV)/ready docs
	$(INSTALL) requirements/docs.txt
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/site
	@echo "build/site/index.html"

# Pictures of pages for README and documentation, from the newest run; needs Chromium.
screenshots: $(VENV)/ready
	$(BIN)/python -m docs.screenshots

bench: $(VENV)/ready
	$(BIN)/python bench/language.py
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/pool.py
	$(BIN)/python bench/mutation.py
	$(BIN)/python bench/differs.py --evolve 0
	$(BIN)/python bench/run.py
	$(BIN)/python bench/pipeline.py
	$(BIN)/python bench/depth.py
	$(BIN)/python bench/solve.py
	$(BIN)/python -m bench.web

# Every check and benchmark that needs a GPU, with CuPy in the environment: about 8 minutes on an H200 with 16 cores.
gpu: export ARCBATT_CACHE := $(CURDIR)/build/gpu
gpu: $(VENV)/ready
	rm -rf $(ARCBATT_CACHE)
	$(BIN)/python bench/gpu.py --first $(ARCBATT_CACHE)
	$(BIN)/pytest -n 8 tests/engine/gpu
	$(BIN)/python bench/gpu.py --check 4
	$(BIN)/python bench/gpu.py
	$(BIN)/python bench/gpu.py --evolve 10

# The published files: wheels for Python 3.11 and for 3.12 and later, and an sdist.
wheels: $(VENV)/ready
	$(BIN)/python release/wheels.py

# A folder to upload as a Kaggle dataset; `bundle-test` runs its notebooks as Kaggle would.
bundle: wheels
	$(BIN)/python release/bundle.py

# The libraries that the web app's scripts use, as the files in src/arcbatt/web/static; needs npm.
bundle-editor:
	npm ci --silent --no-audit --no-fund --prefix release/editor
	cd release/editor && node build.js

bundle-test:
	$(BIN)/python release/bundle_test.py

# Renews the versions and hashes of all packages, for every supported Python and system.
LOCK := $(BIN)/uv pip compile --universal --python-version 3.11 --upgrade --generate-hashes \
    --no-header --no-annotate --no-emit-index-url --quiet
lock:
	$(BIN)/pip install --quiet uv
	$(LOCK) pyproject.toml --extra dev --group build --output-file requirements/dev.txt
	$(LOCK) pyproject.toml --constraint requirements/dev.txt --output-file requirements/run.txt
	$(LOCK) pyproject.toml --extra docs --constraint requirements/dev.txt --output-file requirements/docs.txt
	$(LOCK) --group build --constraint requirements/dev.txt --output-file requirements/build.txt
	$(LOCK) --group release --constraint requirements/dev.txt --output-file requirements/release.txt

ENGINE := $(shell find src/arcbatt/engine -name '*.hpp' -o -name '*.inc' -o -name '*.cpp' -o -name '*.cu')

$(VENV)/ready: pyproject.toml requirements/dev.txt CMakeLists.txt $(ENGINE)
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(INSTALL) requirements/dev.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation \
	    --config-settings=build-dir=build/engine \
	    --config-settings=cmake.define.ARCBATT_WERROR=ON --editable .
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
