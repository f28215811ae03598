# SPDX-License-Identifier: GPL-2.0-only
#
# What people type.  The kernel's build system reads Kbuild instead.
#
#	KDIR	the kernel's build directory
#	KVER	the kernel's release, also names the place to install to
# Give one of them, or both, to build for a kernel that is not running.

# "make demo SHELL=1" is meant for the demonstration, but it is make's own word.
ifeq ($(SHELL),1)
override SHELL := /bin/sh
demo_shell := env -u MAKEFLAGS -u MAKEOVERRIDES SHELL=1
endif

top := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))

ifeq ($(KDIR)$(KVER),)
KVER := $(shell uname -r)
endif
ifeq ($(KDIR),)
KDIR := /lib/modules/$(KVER)/build
endif

PREFIX ?= /usr
# The makes below run elsewhere: a relative name would mean another place there.
override DESTDIR := $(abspath $(DESTDIR))
export PREFIX DESTDIR

# Kernel modules go below INSTALL_MOD_PATH; a DESTDIR means that one, too.
INSTALL_MOD_PATH ?= $(DESTDIR)
override INSTALL_MOD_PATH := $(abspath $(INSTALL_MOD_PATH))

# The release is only told to the installation: it has no business in a build.
install_vars = $(if $(KVER),KERNELRELEASE=$(KVER)) \
	$(if $(INSTALL_MOD_PATH),INSTALL_MOD_PATH=$(INSTALL_MOD_PATH)) \
	$(if $(INSTALL_MOD_DIR),INSTALL_MOD_DIR=$(INSTALL_MOD_DIR)) \
	$(if $(DEPMOD),DEPMOD=$(DEPMOD))

.PHONY: all modules tools install modules_install tools_install clean help \
	check check-fast check-full mutants fuzz coverage demo bench compat-report

all: modules tools

modules:
	$(MAKE) -C $(KDIR) M=$(top) modules

tools:
	$(MAKE) -C $(top)/tools

install: modules_install tools_install

modules_install:
	$(MAKE) -C $(KDIR) M=$(top) $(install_vars) modules_install

tools_install:
	$(MAKE) -C $(top)/tools install DESTDIR=$(DESTDIR)

# Without a kernel at hand only what the kernel does not clean is left.
clean:
	$(if $(wildcard $(KDIR)/Makefile),$(MAKE) -C $(KDIR) M=$(top) clean)
	rm -rf $(top)/compat/.probe $(top)/compat/generated.h
	$(MAKE) -C $(top)/tools clean

check-fast:
	$(top)/tests/check-fast

check:
	$(top)/tests/check

check-full:
	$(top)/tests/check-full

mutants:
	$(top)/tests/mutants/run

# SECONDS=N: so long in all.
fuzz:
	$(MAKE) -C $(top)/tests/fuzz fuzz

coverage:
	$(top)/tests/coverage

demo:
	$(demo_shell) $(top)/tests/vm/demo

bench:
	$(top)/tests/bench/run

# What the last build found out about its kernel; goes into bug reports.
compat-report:
	@cat $(top)/compat/generated.h

help:
	@echo 'make [modules|tools]     build the kernel module, the tools, or both'
	@echo 'make install             install both'
	@echo 'make modules_install     install the kernel module'
	@echo 'make tools_install       install the tools'
	@echo 'make clean               remove what was built'
	@echo
	@echo 'make check-fast          tests that take a minute or two'
	@echo 'make check               all tests'
	@echo 'make check-full          all of all tests: an hour'
	@echo 'make mutants             do the tests notice faults in the core?'
	@echo 'make fuzz                hostile cards and files, SECONDS=300 of them'
	@echo 'make coverage            what the tests run of driver/core'
	@echo 'make demo                see it work in a virtual machine; CARD=flat, CARD=zoned: on an NVMe disk'
	@echo 'make bench               measure'
	@echo 'make compat-report       what was found out about the kernel'
	@echo
	@echo 'KDIR=DIR                 build directory of the kernel'
	@echo 'KVER=RELEASE             release of the kernel'
	@echo '                         (neither: the running one)'
	@echo 'PREFIX=/usr DESTDIR=     where the tools go'
	@echo 'INSTALL_MOD_PATH=DIR     root of where the module goes'
	@echo 'INSTALL_MOD_DIR=DIR      directory below lib/modules/RELEASE'
	@echo 'DEPMOD=true              leave the lists of modules alone'
