# Two commands do everything, environment included: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# What checks the types of the web app's scripts, where npm can install it.
TSC := build/tsc/node_modules/.bin/tsc

# How long `make sanitize` fuzzes.
MINUTES ?= 60

.PHONY: run test sanitize docs site screenshots bench gpu wheels bundle bundle-test clean

run: $(VENV)/ready
	$(BIN)/arcbatt solve arc-agi-1/training --no-library --budget 60s
	$(BIN)/arcbatt score $$(ls -td runs/solve-* | head -n 1)

# Property tests take the same examples in every run; without CI they take new ones.
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

# The documentation as a site, in build/site; a link that leads nowhere ends it.
site: $(VENV)/ready docs
	$(BIN)/pip install --quiet $$($(BIN)/python -c "import tomllib; \
	    extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']; \
	    print(*extras['docs'])")
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/site
	@echo "build/site/index.html"

# Pictures of pages for README and documentation, of the newest run: Chromium must be there.
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

# Where there is a GPU, and CuPy in the environment: that it gives what the CPU gives, and what it takes; half an hour.
gpu: export ARCBATT_CACHE := $(CURDIR)/build/gpu
gpu: $(VENV)/ready
	rm -rf $(ARCBATT_CACHE)
	$(BIN)/python bench/auto.py --first $(ARCBATT_CACHE)
	$(BIN)/pytest tests/test_gpu_*.py
	$(BIN)/python bench/gpu.py --check 10
	$(BIN)/python bench/gpu.py
	$(BIN)/python bench/auto.py
	$(BIN)/python bench/auto.py --shared
	$(BIN)/python bench/auto.py --evolve 10

# What is published: wheels for Python 3.11 and for 3.12 and later, an sdist.
wheels: $(VENV)/ready
	$(BIN)/python release/wheels.py

# A folder to upload as a Kaggle dataset, and its notebooks run as Kaggle would.
bundle: wheels
	$(BIN)/python release/bundle.py

bundle-test:
	$(BIN)/python release/bundle_test.py

ENGINE := $(shell find src/arcbatt/engine -name '*.hpp' -o -name '*.inc' -o -name '*.cpp' -o -name '*.cu')

$(VENV)/ready: pyproject.toml CMakeLists.txt $(ENGINE)
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --config-settings=cmake.define.ARCBATT_WERROR=ON --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
