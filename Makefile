# Builds, tests and installs Weir.  Each target installs what it needs, on Debian 12.
#
#   make demo       Show what Weir does, in a few lines and on a page.
#   make test       Run everything that CI checks.
#   make test-long  Run longer checks, for many minutes: every schedule of larger networks,
#                   hundreds of deadlocks against the check, every failure of memory, every wrong
#                   value, threads under ThreadSanitizer, and the library on arm64 and riscv64.
#   make build      Build the program, build/weir, and the library.
#   make docs     Build the documentation site, build/site/index.html.
#   make bench      Measure what a call, a packet-hop and a packet through the switch cost.
#                   ARGS=--json writes JSON, ARGS=--keep also adds a line to bench/results.csv.
#   make fuzz       Run every fuzz target for a minute.
#   make release  Write a release of this commit to build/release: sources, docs, contents, checksums.
#   make deb      Build the Debian packages weir, libweir-dev and weir-doc in build/deb.
#   make install    Install program, library, studies, docs, manual pages and completion.  PREFIX=/usr/local
#   make uninstall  Remove what `make install` with the same PREFIX has placed.
#   make clean      Remove everything that was built.

BUILD := build
PREFIX ?= /usr/local

.PHONY: help demo test test-long build docs release deb bench fuzz install uninstall clean

help:
	@sed -n '/^$$/q; s/^# \{0,1\}//p' Makefile

.DEFAULT_GOAL := help

demo: build
	@tools/demo $(BUILD)/weir

test:
	@tools/setup build test docs
	@tools/setup-page --test
	@tools/test

test-long:
	@tools/setup build test docs deb
	@tools/build $(BUILD)-test --werror
	@meson test -C $(BUILD)-test --no-rebuild --suite long --verbose
	@tools/build $(BUILD)-tsan --werror -Db_sanitize=thread -Db_lundef=false
	@meson test -C $(BUILD)-tsan --no-rebuild --suite threads --suite sim --timeout-multiplier 10 --verbose
	@tools/setup cross
	@tools/test-cross $(BUILD)

build:
	@tools/setup build
	@tools/setup-page --or-without
	@tools/build $(BUILD) -Dtests=false -Dprefix="$(PREFIX)"

docs: build
	@tools/setup docs
	@site/build $(BUILD)/site
	@echo "$(BUILD)/site/index.html: open it in a browser"

release: build
	@tools/setup docs
	@tools/release $(BUILD)/weir $(BUILD)/release

deb:
	@tools/setup build docs deb
	@tools/setup-page
	@tools/deb $(BUILD)/deb

bench:
	@tools/setup build bench
	@tools/build $(BUILD)-bench -Dtests=false --buildtype=release -Db_ndebug=true -Dswitch=enabled
	@tools/bench $(BUILD)-bench $(ARGS)

fuzz:
	@tools/setup build test
	@tools/fuzz 60

install: build
	@tools/install $(BUILD) "$(PREFIX)"

uninstall:
	@tools/uninstall "$(PREFIX)"

clean:
	@rm -rf $(BUILD) $(BUILD)-test $(BUILD)-san $(BUILD)-fuzz $(BUILD)-tsan $(BUILD)-bench $(BUILD)-debug
