# A short front for CMake; `make help` lists what there is. The work is done by CMakePresets.json and
# by scripts/, which can be called on their own.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Sanitised code runs ten times slower, so those builds run every test at this share of its size.
SANITIZER_SCALE ?= 0.02
# What a build without optional packages is tried by; `ctest --test-dir build/bare` runs the rest.
BARE_TESTS = '^(absent|asset_.*|body|collide|export|fit|fuzz_.*|model_states|query|shape_.*)$$'
CTEST = ctest --output-on-failure --no-tests=error -j $(JOBS)

export JOBS
.NOTPARALLEL:

FUZZ_SECONDS ?= 60

.PHONY: build web demo test lint bench fuzz check-long docs install clean help

build: ## build the library and the tool, build/bin/pliant
	@scripts/build release

web: ## install what the page in 3D is built with (nodejs, npm and npm's packages), build it in
	@scripts/setup build
	@command -v npm >/dev/null || scripts/setup web
	@scripts/web
	@scripts/build release

demo: ## install what the build needs, build, run the demo, which says where its page is
	@scripts/setup build
	@scripts/web --try
	@scripts/build release
	@build/bin/pliant demo

test: ## install what the tests need; run them plainly, with ASan + UBSan, TSan, and without packages
	@scripts/setup build test
	@{ command -v npm && command -v chromium; } >/dev/null || scripts/setup web browser || \
		echo "The page's tests are left out: their packages cannot be installed."
	@scripts/web --try
	@scripts/build --tests release
	@echo "== Release build, full size"
	@$(CTEST) --test-dir build
	@scripts/build --tests asan
	@echo "== AddressSanitizer and UndefinedBehaviorSanitizer, size $(SANITIZER_SCALE)"
	@PLIANT_TEST_SCALE=$(SANITIZER_SCALE) $(CTEST) --test-dir build/asan
	@scripts/build --tests tsan
	@echo "== ThreadSanitizer, size $(SANITIZER_SCALE)"
	@PLIANT_TEST_SCALE=$(SANITIZER_SCALE) $(CTEST) --test-dir build/tsan
	@scripts/build --tests bare
	@echo "== Without the packages one can do without, asserts on, some tests, size $(SANITIZER_SCALE)"
	@PLIANT_TEST_SCALE=$(SANITIZER_SCALE) $(CTEST) --test-dir build/bare -R $(BARE_TESTS)
	@echo "== Fuzzing, 10 seconds for each reader"
	@scripts/fuzz 10

lint: ## formatting, warnings, clang-tidy, cppcheck, layers, headers alone
	@scripts/setup build test lint
	@scripts/lint

bench: ## run every experiment at its default length; figures go to docs/ and to build/bench.json
	@scripts/setup build peers
	@scripts/build release
	@build/bin/pliant_bench_docs --json build/bench.json
	@echo "The figures are in docs/benchmarks.md, docs/figures.md, docs/methods/ and build/bench.json."

fuzz: ## fuzz every reader for FUZZ_SECONDS (default 60) each, with ASan + UBSan; needs clang
	@scripts/setup build test
	@scripts/setup models || echo "Fuzzing starts without the files of assimp-testmodels."
	@scripts/fuzz $(FUZZ_SECONDS)

check-long: ## release-size tests, valgrind, and a matrix of compilers and optimisation levels (hours)
	@scripts/setup build test long models
	@scripts/check-long

docs: ## the reference of the library and the pages around it as HTML, in build/docs/html
	@scripts/setup docs
	@scripts/docs

install: build ## install under PREFIX (default /usr/local); DESTDIR is honoured
	@cmake --install build --prefix "$(PREFIX)"

clean: ## remove everything that was built
	@rm -rf build demo

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12
