# A thin front for CMake. Needs make itself and nothing else: what is missing is installed.
#
#   make help            what there is
#   CC=clang make        another compiler
#   make JOBS=1 test     fewer processors

JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX  ?= /usr/local
DEMO    ?= out/demo
SECONDS ?= 60
SCENES  ?= karate solo-dancer ten-dancers jump-cut crowd

# Every folder is named relative to this one, so that the path to it may hold spaces.
# A test that takes so many seconds hangs.
ctest = ctest --test-dir $(1) --output-on-failure --parallel $(JOBS) --timeout $(2)
build = cmake --build $(1) --parallel $(JOBS)

.PHONY: all help setup demo test test-long test-sanitize test-compilers fuzz lint format bench \
        bench-table1 install clean

all: setup
	@$(call build,build) --target voile_cli

help:
	@echo 'make                 build/voile'
	@echo 'make demo            simulate a dancer into $(DEMO), check and draw the film'
	@echo 'make test            all tests'
	@echo 'make test-long       the same, with longer runs, and an installation tried out'
	@echo 'make test-sanitize   all tests with address, undefined-behaviour and thread sanitizers'
	@echo 'make test-compilers  gcc and clang, with and without CHOLMOD'
	@echo 'make fuzz            every reader fed mutated input, SECONDS=$(SECONDS) each'
	@echo 'make lint            formatting, clang-tidy, layers, documentation'
	@echo 'make format          put the formatting right'
	@echo 'make bench           the speed of this machine'
	@echo 'make bench-table1    SCENES with every way to adapt, compared, into docs/results; FRAMES=N for less, REPEATS=N for surer times'
	@echo 'make install         into PREFIX=$(PREFIX), below DESTDIR where that is set'
	@echo 'make clean           remove every build folder; results in out/ stay'

setup:
	@tools/packages build test
	@tools/configure release

demo: all
	@tools/demo $(DEMO)

test: setup
	@$(call build,build)
	@$(call ctest,build,900) -LE long

test-long: setup
	@$(call build,build)
	@VOILE_TEST_LONG=1 $(call ctest,build,7200)

test-sanitize: setup
	@tools/configure asan
	@$(call build,build-asan)
	@$(call ctest,build-asan,3600) -LE long
	@tools/configure tsan
	@$(call build,build-tsan)
	@$(call ctest,build-tsan,3600) -LE long

test-compilers:
	@tools/packages build test clang
	@tools/check_compilers $(JOBS)

fuzz:
	@tools/packages build test clang
	@CC=clang tools/configure fuzz
	@$(call build,build-fuzz)
	@tools/fuzz build-fuzz $(SECONDS) $(JOBS)

lint: setup
	@tools/packages lint
	@tools/lint $(JOBS)

format:
	@tools/packages lint
	@tools/lint --fix

bench: all
	@build/voile bench

bench-table1: all
	@FRAMES="$(FRAMES)" EVERY="$(EVERY)" REPEATS="$(REPEATS)" tools/bench_table1 $(SCENES)

install: all
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

clean:
	@rm -rf build build-*
