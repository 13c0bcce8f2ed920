# Every target sets up .venv if necessary. PYTHON=… sets the interpreter, PYTEST=… adds options to pytest.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

EXTRAS := spark,kafka,avro,protobuf,web,opentelemetry,rocksdb,notebook,simulate,services,dev
CORE_EXTRAS := kafka,avro,protobuf,web,opentelemetry,rocksdb,simulate,test-core
SOURCES := hatch_build.py eddyline/*.py domain application adapters tests examples benchmarks docs/commands_page.py docs/hooks.py
BIN := .venv/bin
INSTALLED := .venv/.installed
# Three processes for two cores, since tests of services often wait. Each runs whole files, or a group of files that share a session of
# Spark or services (tests/fixtures/distribution.py).
PARALLEL := -n 3 --dist loadfile --no-loadscope-reorder
FAST := "not slow and not spark and not services and not environments and not browser and not extensive"
PYTEST ?=
MUTANTS ?=
SAMPLE ?= 1
PEERS ?=
BENCH ?=

# Workers of Spark run the interpreter of the driver.
export PYSPARK_PYTHON := $(CURDIR)/$(BIN)/python
export PYSPARK_DRIVER_PYTHON := $(PYSPARK_PYTHON)
# Without files of bytecode, every process compiles all modules that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help: ## Show this help
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

.PHONY: install
install: $(INSTALLED) ## Set up .venv with all extras and the development tools

.PHONY: install-core
install-core: ## Set up .venv without Spark, a browser and the documentation, which is enough for make test-core
	@$(MAKE) --no-print-directory INSTALLED=.venv/.installed-core EXTRAS=$(CORE_EXTRAS) .venv/.installed-core

.PHONY: run
run: java $(INSTALLED) ## Run a sample flow over simulated trades on Spark
	@$(BIN)/eddyline demo

.PHONY: test
test: java chromium $(INSTALLED) ## Run the tests, on Spark, Kafka and a browser as well
	@$(BIN)/python -m pytest $(PARALLEL) -m "not slow" $(PYTEST)

.PHONY: test-slow
test-slow: java chromium $(INSTALLED) ## Run what `make test` leaves out: all cases on all engines, more examples of properties, kills, a cluster, and a soak of 20 minutes
	@$(BIN)/python -m pytest $(PARALLEL) --hypothesis-profile=many -m "slow or hypothesis" $(PYTEST)

.PHONY: test-fast
test-fast: $(INSTALLED) ## Run the tests without Spark, services, a browser, fresh environments and many cases
	@$(BIN)/python -m pytest $(PARALLEL) -m $(FAST) $(PYTEST)

.PHONY: test-core
test-core: install-core ## Run those of `make test-fast` that need no more than `make install-core`
	@$(BIN)/python -m pytest $(PARALLEL) -m $(FAST) $(PYTEST)

.PHONY: test-lowest
test-lowest: java chromium $(INSTALLED) ## Run the tests without services on the oldest supported libraries
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-lowest
	@$(BIN)/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct \
	  -e '.[spark,kafka,avro,protobuf,web,opentelemetry,rocksdb,notebook,simulate,services,test]'
	@export PYSPARK_PYTHON=$(CURDIR)/.venv-lowest/bin/python PYSPARK_DRIVER_PYTHON=$(CURDIR)/.venv-lowest/bin/python; \
	  .venv-lowest/bin/python -m pytest $(PARALLEL) -m "not services and not slow" $(PYTEST)

.PHONY: chaos
chaos: java $(INSTALLED) ## Kill flows, processes, brokers and parts of a cluster 157 times and check for lost or duplicate results and wrong answers
	@$(BIN)/python -m tests.adapters.spark.kills.chaos
	@$(BIN)/python -m tests.adapters.spark.kills.restart_chaos
	@$(BIN)/python -m tests.adapters.spark.kills.query_chaos
	@$(BIN)/python -m tests.adapters.spark.cluster.chaos
	@$(BIN)/python -m pytest -q tests/adapters/local/long_runs.py

.PHONY: simulate
simulate: $(INSTALLED) ## Run flows through 12,000 schedules of faults in a simulated cluster; about ten minutes on two cores
	@$(BIN)/python -m tests.simulation --schedules 10000 --processes 2
	@$(BIN)/python -m tests.simulation --engine local --schedules 2000 --processes 2

.PHONY: bench
bench: java $(INSTALLED) ## Run all benchmarks in half an hour; PEERS=1 measures other systems beside it, BENCH='--only suite' runs some
	@$(BIN)/python -m benchmarks.everything $(if $(PEERS),--peers) $(BENCH)

.PHONY: bench-suite
bench-suite: java $(INSTALLED) ## Measure throughput and latency; PEERS=1 measures other systems beside it
	@$(BIN)/python -m benchmarks.suite $(if $(PEERS),--peers) $(BENCH)

.PHONY: bench-kafka
bench-kafka: java $(INSTALLED) ## Measure throughput, latency and memory from Kafka to Kafka
	@$(BIN)/python -m benchmarks.kafka_to_kafka
	@$(BIN)/python -m benchmarks.kafka_to_kafka --records 5000000 --mode latest

.PHONY: bench-local
bench-local: java $(INSTALLED) ## Measure the local engine beside Kafka Streams, Quix Streams and Bytewax, its loop, and a million keys
	@$(BIN)/python -m benchmarks.suite --peers --only local $(BENCH)
	@$(BIN)/python -m benchmarks.local_profile
	@$(BIN)/python -m benchmarks.local_profile --emit latest
	@$(BIN)/python -m benchmarks.local_state

.PHONY: bench-state
bench-state: java $(INSTALLED) ## Measure batches, restarts and memory by the number of keys, with stores in memory and in RocksDB
	@$(BIN)/python -m benchmarks.state_size

.PHONY: bench-growth
bench-growth: java $(INSTALLED) ## Measure whether the time per record grows with the number of records and of keys
	@$(BIN)/python -m benchmarks.growth $(BENCH)

.PHONY: bench-stages
bench-stages: java $(INSTALLED) ## Measure in which stages the processor time of a record is used, from Kafka to Kafka on Spark
	@$(BIN)/python -m benchmarks.stage_profile $(BENCH)

.PHONY: bench-first
bench-first: java $(INSTALLED) ## Measure the time to the first result on Spark beside plain PySpark, and where it and that of a warm batch goes
	@$(BIN)/python -m benchmarks.first_result $(BENCH)
	@$(BIN)/python -m benchmarks.batch_parts

.PHONY: bench-queries
bench-queries: java $(INSTALLED) ## Measure point reads over HTTP while a flow from Kafka to Kafka runs
	@$(BIN)/python -m benchmarks.queries

.PHONY: bench-nexmark
bench-nexmark: java $(INSTALLED) ## Measure NEXMark queries from Kafka to Kafka; PEERS=1 measures Flink SQL beside them
	@$(BIN)/python -m benchmarks.nexmark $(if $(PEERS),--peers)

.PHONY: lint
lint: $(INSTALLED) ## Check style, types, import contracts and the documentation
	@$(BIN)/ruff check $(SOURCES)
	@$(BIN)/ruff format --check $(SOURCES)
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/codespell
	@$(BIN)/python -m tests.wording
	@$(MAKE) --no-print-directory docs

.PHONY: docs
# With --quiet, --strict would not see the warnings either, so it is the output that is filtered.
docs: $(INSTALLED) ## Build the documentation into build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict 2>&1 | sed '/^INFO /d'

.PHONY: mutants
mutants: $(INSTALLED) ## Run mutation tests, which take hours; MUTANTS='eddyline.domain.text*' selects some, SAMPLE=0.2 a fifth
	@nice -n 19 $(BIN)/python -m tests.mutation.mutants --sample $(SAMPLE) $(MUTANTS)

.PHONY: audit
audit: $(INSTALLED) ## Look for known vulnerabilities of the pinned libraries, which needs the internet
	@$(BIN)/uv tool run --quiet pip-audit --disable-pip --no-deps --requirement constraints.txt

.PHONY: requirements
requirements: $(INSTALLED) ## Write deploy/requirements.txt: what the image installs, in the versions of constraints.txt with their hashes
	@$(BIN)/uv pip compile --quiet --no-header --no-annotate --generate-hashes --python-version 3.12 --python-platform linux \
	  --constraint constraints.txt --output-file deploy/requirements.txt \
	  $(foreach extra,spark kafka avro protobuf web opentelemetry rocksdb,--extra $(extra)) pyproject.toml - <<< hatchling

.PHONY: format
format: $(INSTALLED) ## Format the code and sort its imports
	@$(BIN)/ruff check --fix-only --select I $(SOURCES)
	@$(BIN)/ruff format $(SOURCES)

.PHONY: clean
clean: ## Remove .venv, data, build results and caches
	@rm -rf .venv .venv-lowest data build dist mutants spark-warehouse metastore_db derby.log *.egg-info
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	@python=''; \
	for candidate in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
	  if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python="$$candidate"; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	  echo 'error: no Python 3.11 or newer found; install it (Debian, Ubuntu: apt install python3 python3-venv;' \
	    'macOS: brew install python@3.13) or give its path: make PYTHON=/path/to/python3.11' >&2; exit 1; \
	fi; \
	if ! $(BIN)/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	  echo "setting up .venv with $$("$$python" --version)"; \
	  "$$python" -m venv --clear .venv || { \
	    echo "error: $$python cannot create a virtual environment; install its venv module (Debian, Ubuntu: apt install python3-venv)" >&2; exit 1; }; \
	fi
	@echo 'installing the versions of constraints.txt into .venv'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	@touch $@

.PHONY: java
java:
	@java="$${JAVA_HOME:+$$JAVA_HOME/bin/}java"; \
	version="$$("$$java" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1 || true)"; \
	if [ "$${version:-0}" -lt 17 ]; then \
	  echo "error: Spark needs Java 17 or newer, but $$java is $${version:+version }$${version:-missing};" \
	    'install it (Debian, Ubuntu: apt install openjdk-17-jre-headless; macOS: brew install openjdk@17) or set JAVA_HOME' >&2; exit 1; \
	fi

.PHONY: chromium
# Tests of the page drive it. It is installed where apt-get is and may.
chromium:
	@for name in chromium chromium-browser google-chrome google-chrome-stable; do \
	  if command -v "$$name" >/dev/null; then exit 0; fi; \
	done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo 'installing Chromium for the tests of the page'; \
	  apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium >/dev/null && exit 0; \
	fi; \
	echo 'error: the tests of the page need Chromium on the PATH; install it: sudo apt-get install chromium' >&2; exit 1
