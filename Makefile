# Front end of CMake. Requires only make: missing packages are installed (tools/packages).
#
#   make help            lists the targets
#   CC=clang make        another compiler
#   make JOBS=1 test     one process at a time

JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX  ?= /usr/local
DEMO    ?= out/demo
SECONDS ?= 60
SCENES  ?= karate solo-dancer ten-dancers jump-cut crowd

# Folders are relative to this one, so that its path may contain spaces.
# ctest(FOLDER, SECONDS): SECONDS is the time limit of one test.
ctest = ctest --test-dir $(1) --output-on-failure --parallel $(JOBS) --timeout $(2)
build = cmake --build $(1) --parallel $(JOBS)

.PHONY: all help setup demo test test-long test-sanitize test-compilers test-ports fuzz lint format \
        bench bench-table1 bench-upsampling install clean

all: setup
	@$(call build,build) --target voile_cli

help:
	@echo 'make                 build/voile'
	@echo 'make demo            simulate a dancer into $(DEMO), check and render it'
	@echo 'make test            all tests'
	@echo 'make test-long       all tests with longer runs, and a trial installation'
	@echo 'make test-sanitize   all tests with address, undefined-behaviour and thread sanitizers'
	@echo 'make test-compilers  all tests with gcc and clang, with and without optional libraries'
	@echo 'make test-ports      the real-time library on x86-64, aarch64, Windows and WebAssembly; PORTS=... limits the ports'
	@echo 'make fuzz            fuzz every reader for SECONDS=$(SECONDS)'
	@echo 'make lint            check formatting, layers, documentation, scripts; run clang-tidy'
	@echo 'make format          format all sources'
	@echo 'make bench           measure the speed of this machine'
	@echo 'make bench-table1    compare all modes of adaptation on SCENES, into docs/results; FRAMES=N limits the frames, REPEATS=N takes the best of N times'
	@echo 'make bench-upsampling  train and compare learned upsampling, into docs/results and docs/images; FRAMES=N limits the frames, GARMENTS=... the examples'
	@echo 'make install         install into PREFIX=$(PREFIX), below DESTDIR if set'
	@echo 'make clean           remove all build folders; results in out/ are kept'

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

test-ports:
	@tools/packages ports
	@tools/test_ports $(JOBS) $(PORTS)

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

bench-upsampling: all
	@FRAMES="$(FRAMES)" tools/bench_upsampling $(GARMENTS)

install: setup
	@$(call build,build) --target voile_installed
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

clean:
	@rm -rf build build-*
