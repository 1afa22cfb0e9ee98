# A short front for CMake; `make help` lists what there is. The work is done by CMakePresets.json and
# by scripts/, which can be called on their own.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CTEST = ctest --output-on-failure --no-tests=error -j $(JOBS)

export JOBS
.NOTPARALLEL:

FUZZ_SECONDS ?= 60
# What the results of this machine are called, and after how many minutes no run is begun.
MACHINE ?= $(shell uname -n | tr A-Z a-z | tr -cd a-z0-9-)
MINUTES ?=

.PHONY: build web demo test check lint bench figures fuzz check-long docs site playground js mpi cuda cuda-test install uninstall clean help

build: ## build the library and the tool, build/bin/pliant
	@scripts/build release

web: ## get what the page is built with (nodejs, npm and npm's packages) and build it anew
	@command -v npm >/dev/null || scripts/setup web
	@scripts/web
	@node web/build.mjs

demo: ## install what the build needs, build the tool, run the demo, which says where its pages are
	@scripts/setup build
	@scripts/build release pliant_tool
	@build/bin/pliant demo

test: ## install what the tests need, build and run them at PLIANT_TEST_SCALE (0.1) (minutes)
	@scripts/setup build test
	@scripts/build --tests release
	@PLIANT_TEST_SCALE=$${PLIANT_TEST_SCALE:-0.1} $(CTEST) --test-dir build -LE '^long$$'

check: ## what `test` leaves out: MPI, CUDA's emulator, sanitizers, a bare build, two other machines
	@scripts/setup build test sanitizers openmpi
	@scripts/check

lint: ## formatting, warnings, clang-tidy, cppcheck, the house, headers alone, the page
	@scripts/setup build test lint openmpi
	@scripts/lint

bench: ## every experiment, RUNS (3) times: MACHINE=name makes lab/results/name.json and fills docs/
	@scripts/setup build test peers
	@scripts/bench here "$(MACHINE)" $(MINUTES)

figures: ## fill the tables, numbers and plots of README.md and docs/ from lab/results
	@scripts/figures

fuzz: ## fuzz every reader for FUZZ_SECONDS (default 60) each, with ASan + UBSan; needs clang
	@scripts/setup build test sanitizers
	@scripts/setup models || echo "Fuzzing starts without the files of assimp-testmodels."
	@scripts/fuzz $(FUZZ_SECONDS)

check-long: ## release-size tests, valgrind, all of clang-tidy, compilers and optimisation levels (hours)
	@scripts/setup build test sanitizers lint mutants long peers models package machines openmpi mpich
	@scripts/check-long

docs: ## the reference of the library and the pages around it as HTML, in build/docs/html
	@scripts/setup docs
	@scripts/docs

playground: ## the page that computes: checks, a cape and chairs in the browser; in build/playground
	@scripts/setup js web
	@scripts/playground

site: ## documentation, C reference and playground as one site of static files, in build/site
	@scripts/setup docs site js web
	@scripts/playground
	@scripts/site

js: ## the package for JavaScript, the core as WebAssembly, tested with Node; in build/js/package
	@scripts/setup build js web
	@scripts/js --test

mpi: ## libpliant_mpi with its tests and experiments, in build/mpi, on a core in build/stage
	@scripts/setup build test openmpi
	@scripts/beside mpi

cuda: ## the same of libpliant_cuda, in build/cuda; without nvcc its emulator only
	@scripts/setup build test
	@scripts/beside cuda release -DPLIANT_CUDA=AUTO

cuda-test: ## libpliant_cuda on this machine's GPU: tests, compute-sanitizer, experiments (3 minutes)
	@scripts/cuda-test

install: build ## install under PREFIX (default /usr/local); DESTDIR is honoured
	@cmake --install build --prefix "$(PREFIX)"

uninstall: ## remove what the last install put there; DESTDIR is honoured
	@cmake -DBUILD=build -P cmake/uninstall.cmake

clean: ## remove everything that was built
	@rm -rf build demo

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12
