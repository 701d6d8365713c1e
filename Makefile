# The front door.  Each target does all the set-up it needs, on Debian 12.
#
#   make demo    what Weir does, in a few lines and on a page
#   make test    everything that CI checks
#   make test-long   longer checks, some minutes: every schedule of larger networks
#   make build   the program, build/weir, and the library
#   make bench   what a call and a packet-hop cost; ARGS=--json for programs, ARGS=--keep for later
#   make fuzz    the fuzz targets, for a minute each
#   make install [PREFIX=/usr/local], make clean

BUILD := build
PREFIX ?= /usr/local

.PHONY: help demo test test-long build bench fuzz install clean

help:
	@sed -n 's/^# \{0,1\}//p; /^$$/q' Makefile

.DEFAULT_GOAL := help

demo: build
	@tools/demo $(BUILD)/weir

test:
	@tools/setup build test
	@tools/setup-page --test
	@tools/test

test-long:
	@tools/setup build test
	@tools/build $(BUILD)-test --werror
	@meson test -C $(BUILD)-test --no-rebuild --suite long --verbose

build:
	@tools/setup build
	@tools/setup-page --or-without
	@tools/build $(BUILD) -Dtests=false -Dprefix="$(PREFIX)"

bench:
	@tools/setup build bench
	@tools/build $(BUILD)-bench -Dtests=false --buildtype=release -Db_ndebug=true
	@tools/bench $(BUILD)-bench $(ARGS)

fuzz:
	@tools/setup build test
	@tools/fuzz 60

install: build
	@tools/install $(BUILD) "$(PREFIX)"

clean:
	@rm -rf $(BUILD) $(BUILD)-test $(BUILD)-san $(BUILD)-fuzz $(BUILD)-bench $(BUILD)-debug
