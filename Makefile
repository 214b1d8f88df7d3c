# SPDX-License-Identifier: Apache-2.0
# make · make demo · make check [T=name] · make bench · make lint · make soak · make asan · make ubsan · make valgrind · make fuzz · make faults · make install

BUILD   ?= build
PREFIX  ?= /usr/local
CC      ?= gcc
CFLAGS  ?= -O2 -g
LINK    ?= -static
SECONDS ?= 60
# Not unused-result: ignored results are marked with (void), which is not enough for gcc if it fortifies by default, as on
# Ubuntu.
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	   -Wwrite-strings -Wvla -Wformat=2 -Wundef -Wno-missing-field-initializers -Wno-unused-result

# Debian's and Ubuntu's names; what is missing is installed by `make deps`, demo, check, lint, bench
BUILD_PKGS := gcc libc6-dev musl-tools pkg-config libjansson-dev libnl-route-3-dev libseccomp-dev libsquashfuse-dev \
	   libfuse3-dev zlib1g-dev liblzma-dev liblzo2-dev liblz4-dev libzstd-dev libarchive-dev libsquashfs-dev \
	   libhttp-parser-dev
DEMO_PKGS  := $(BUILD_PKGS) python3 busybox-static squashfs-tools procps
CHECK_PKGS := $(DEMO_PKGS) bats mmdebstrap debian-archive-keyring uidmap fuse-overlayfs \
	   fakechroot fakeroot python3-docker docker-compose bzip2 xz-utils zstd zsh fish
# the directory below PREFIX in which python3 looks for modules; if there is none, share/sbx
PYTHONDIR ?= $(shell python3 -c 'import site, sys; p = sys.argv[1]; print(next((d for d in \
	   site.getsitepackages() if d.startswith(p + "/lib")), p + "/share/sbx"))' $(PREFIX))
LINT_PKGS  := clang-format cppcheck shellcheck mandoc mypy
FUZZ_PKGS  := $(BUILD_PKGS) clang libclang-rt-dev
VALGRIND_PKGS := $(DEMO_PKGS) valgrind
SLURM_PKGS := $(DEMO_PKGS) slurmctld slurmd slurm-client munge python3-docker
VM_PKGS    := $(DEMO_PKGS) qemu-system-x86 qemu-system-arm seabios mmdebstrap debian-archive-keyring kmod e2fsprogs
BENCH_PKGS := $(CHECK_PKGS) bubblewrap squashfuse fuse3 python3-numpy

# The program itself is linked with musl, if its compiler is there (Debian's musl-tools): before main(), glibc executes CPUID
# sixty times, each of which takes up to 11 us in a virtual machine. LIBC=glibc chooses glibc.
LIBC    ?= $(if $(filter -static,$(LINK)),$(if $(shell command -v musl-gcc),musl,glibc),glibc)

PKGS    := jansson libnl-route-3.0 libseccomp squashfuse
# libsquashfuse's .pc does not name the decompressors that its static archive needs
SQUASH  := -lz -llzma -llzo2 -llz4 -lzstd
# pkg-config is called once, and only when something is compiled, since `deps` may have to install it first
once     = $(eval $1 := $(shell $2 || NEED_ONLY_SAY=1 .ci/need $(BUILD_PKGS)))$($1)
ALL_C    = -std=gnu17 -D_GNU_SOURCE -MMD -MP $(WARN) -iquote lib -iquote cmd -include assert.h \
	   -DSBX_BUILD='"$(BUILD)"' -DSBX_LIBEXEC='"$(PREFIX)/libexec/sbx"' $(call once,PKG_C,pkg-config --cflags $(PKGS))
LIBS     = $(LIBS_OPEN) $(call once,PKG_L,pkg-config --static --libs $(PKGS)) $(SQUASH) -lhttp_parser $(LIBS_CLOSE)

# Programs that need libraries of which Debian has only shared ones are always made with glibc
ifeq ($(LIBC),musl)
SBX_CC   = musl-gcc -isystem $(BUILD)/include
DYN     := $(BUILD)/glibc
HEADERS := $(BUILD)/include
# archives by their paths, not -L: their directory has glibc's libc.a as well. stack-size is the default for threads;
# pthread_create is wrapped by lib/heap.c, which counts threads.
SBX_LIBS = -Wl,-z,stack-size=1048576,--wrap=pthread_create $(foreach l,$(filter-out -lpthread -lm -ldl -lc,$(LIBS)),$(or $(wildcard $(shell \
	   $(CC) -print-file-name=$(l:-l%=lib%.a))),$(error $(l): no static library)))
else
SBX_CC   = $(CC)
DYN     := $(BUILD)
SBX_LIBS = $(LIBS)
endif

# they define names that libraries need, so they are linked before these, and not from an archive
NAMES_O := $(BUILD)/lib/libc_names.o $(BUILD)/lib/crc64.o
LIB_O   := $(filter-out $(NAMES_O),$(patsubst %.c,$(BUILD)/%.o,$(wildcard lib/*.c)))
CMD_O   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard cmd/*.c))
# sbx-archive, a program of its own, as it needs heavy libraries (libarchive, libsquashfs)
ARC_O   := $(patsubst %.c,$(DYN)/%.o,$(wildcard cmd/archive/*.c))
ARC_LIB := $(patsubst %,$(DYN)/lib/%.o,auto confine err errno_text meter quote sha256 skeleton str sys tar tar_sparse)
PROGS   := $(if $(CMD_O),$(BUILD)/sbx) $(if $(ARC_O),$(BUILD)/sbx-archive)
UNIT    := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))
FUZZ    := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*.c))
INJECT  := $(BUILD)/faults/inject
IMAGES  := $(BUILD)/images

all: $(BUILD)/libsbx.a $(PROGS)

# The linker writes in random order, so that the page cache has single pages of the file. A file that is copied in one go is
# cached in large folios (ext4, Linux 6.16), and an exec takes 0.93 of the time.
$(BUILD)/sbx: $(CMD_O) $(NAMES_O) $(BUILD)/libsbx.a
	$(SBX_CC) $(CFLAGS) $(LINK) $(LDFLAGS) -o $@.linked $^ $(SBX_LIBS)
	install -m 755 $@.linked $@ && rm $@.linked

# not $(LIBS): libsquashfuse has names in common with libsquashfs
$(BUILD)/sbx-archive: $(ARC_O) $(DYN)/cmd/lsan.o $(ARC_LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs jansson libarchive) -lsquashfs -lzstd -lz -lpthread

$(BUILD)/libsbx.a: $(LIB_O)
	rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c | $(HEADERS)
	@mkdir -p $(@D)
	$(SBX_CC) $(ALL_C) $(CFLAGS) -c -o $@ $<

ifneq ($(DYN),$(BUILD))
$(DYN)/libsbx.a: $(patsubst %.c,$(DYN)/%.o,$(wildcard lib/*.c))
	rm -f $@ && $(AR) rcs $@ $^

$(DYN)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_C) $(CFLAGS) -c -o $@ $<

# musl-gcc gets the kernel's and the libraries' headers, but not glibc's, which are in the same directory
$(HEADERS): Makefile
	@rm -rf $@ $@.new && mkdir -p $@.new
	@for h in linux asm-generic jansson.h jansson_config.h seccomp.h seccomp-syscalls.h http_parser.h \
		zstd.h zstd_errors.h; do ln -sfn /usr/include/$$h $@.new/$$h; done
	@for h in /usr/include/asm /usr/include/$$($(CC) -print-multiarch)/asm; do [ ! -e $$h ] || ln -sfn $$h $@.new/asm; done
	@mv -T $@.new $@
endif

# -MMD does not see .incbin
$(BUILD)/cmd/completion.o: $(wildcard cmd/completion/*)
$(BUILD)/lib/eval_runner.o $(BUILD)/lib/template_py.o: $(wildcard lib/python/*.py)
$(BUILD)/lib/template_py.o: $(BUILD)/isolate.so
# loaded by the python of an image, which may have any libc: linked with none
$(BUILD)/isolate.so: lib/python/isolate.c lib/python/hold.c lib/python/serve.c lib/python/isolate.h lib/keeper.h
	@mkdir -p $(@D)
	$(CC) $(WARN) -O2 -fPIC -ffreestanding -fno-stack-protector -shared -nostdlib -s -o $@ $(filter %.c,$^)
$(BUILD)/lib/hop.o $(DYN)/lib/hop.o: $(BUILD)/hop
$(BUILD)/hop: lib/hop/program.c lib/hop.h lib/raw.h
	@mkdir -p $(@D)
	$(CC) $(WARN) -Os -fno-pie -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
		-static -no-pie -nostdlib -s -Wl,--build-id=none,-z,noseparate-code,-z,norelro,-z,noexecstack -o $@ $<

$(UNIT): $(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(NAMES_O) $(BUILD)/libsbx.a
	@mkdir -p $(@D)
	$(SBX_CC) $(CFLAGS) $(if $(filter musl,$(LIBC)),$(LINK)) $(LDFLAGS) -o $@ $^ $(SBX_LIBS)

# without a fuzzing engine these replay the files named as arguments
$(BUILD)/fuzz/options: $(DYN)/cmd/container_opts.o $(DYN)/cmd/container_words.o $(DYN)/cmd/container_network.o $(DYN)/cmd/mask.o
$(BUILD)/fuzz/layer: LIBS = $(shell pkg-config --libs jansson libarchive) -lsquashfs -lzstd -lz -lpthread
$(BUILD)/fuzz/layer: $(filter-out %/main.o,$(ARC_O))
$(FUZZ): $(BUILD)/fuzz/%: $(DYN)/tests/fuzz/%.o $(DYN)/libsbx.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(DYN)/libsbx.a $(LIBS)

$(INJECT): $(DYN)/tests/faults/inject.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(IMAGES)/%.sqsh: images/%
	@mkdir -p $(@D)
	images/$* $@.tmp && chmod 644 $@.tmp && mv $@.tmp $@

# a minimal Debian with python: the image with which the oracle's cases were recorded
$(IMAGES)/oracle.sqsh: images/debian
	@mkdir -p $(@D)
	PACKAGES=python3-minimal images/debian $@.tmp && chmod 644 $@.tmp && mv $@.tmp $@

deps:
	@.ci/need $(CHECK_PKGS)
deps-check:
	@NEED_ONLY_SAY=1 .ci/need $(CHECK_PKGS)
deps-demo deps-lint deps-bench deps-fuzz deps-slurm deps-valgrind deps-vm: deps-%:
	@.ci/need $($(shell echo $* | tr a-z A-Z)_PKGS)

images: $(addprefix $(IMAGES)/,busybox.sqsh python.sqsh debian.sqsh)
unit: $(UNIT)
	@bad=; for t in $(UNIT); do echo "# $${t##*/}"; $$t || bad="$$bad $${t##*/}"; done; \
	[ -z "$$bad" ] || { echo "failed:$$bad" >&2; exit 1; }

# Runs make again, since this one parsed the Makefile before packages were installed. On all processors, unless -j was given.
ALL_CPUS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(nproc))
demo: deps-demo
	@[ -e $(BUILD)/sbx ] || echo "building sbx, and an image of this machine's python3: half a minute"
	@$(MAKE) --no-print-directory $(ALL_CPUS) -s all $(IMAGES)/python.sqsh && tests/demo $(BUILD)
check: deps
	@$(MAKE) --no-print-directory $(ALL_CPUS) all $(UNIT) $(FUZZ) $(INJECT) $(addprefix $(IMAGES)/,busybox.sqsh python.sqsh oracle.sqsh)
	@tests/run $(BUILD) $(T)
# tests on other kernels, under emulation: WHAT=SUITE/SCENARIO selects
check-vm: deps-vm
	@$(MAKE) --no-print-directory all $(UNIT) $(FUZZ) $(addprefix $(IMAGES)/,busybox.sqsh python.sqsh)
	@tests/vm/check $(BUILD) $(WHAT)
# N random things that people do, with kill -9 among them; SEED repeats a run: report in $(BUILD)/soak.md
soak: deps
	@$(MAKE) --no-print-directory all $(addprefix $(IMAGES)/,busybox.sqsh python.sqsh)
	@N=$${N:-10000} tests/run $(BUILD) soak
check-slurm: deps-slurm
	@$(MAKE) --no-print-directory -s all $(addprefix $(IMAGES)/,busybox.sqsh python.sqsh) && tests/slurm $(BUILD)
# None of gcc's sanitizers finds reads of uninitialized variables, which are mostly 0 by chance; so they get a pattern. (gcc from 12 on)
GARBAGE := -ftrivial-auto-var-init=pattern
# linked statically except for libc: a pool runs sbx in its image, which is only sure to have a libc
asan:
	@$(MAKE) BUILD=build-asan LINK="-static-libasan -static-libubsan -static-libgcc" LIBS_OPEN=-Wl,-Bstatic \
		LIBS_CLOSE=-Wl,-Bdynamic CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
		-fno-sanitize-recover=undefined $(GARBAGE)" check
# static, so that what runs in images is checked, too, under their limits
ubsan:
	@$(MAKE) BUILD=build-ubsan LIBC=glibc CFLAGS="-O1 -g -fsanitize=undefined -fno-sanitize-recover=undefined \
		$(GARBAGE)" check
# memcheck, also for leaked descriptors; linked as for asan, with glibc, whose malloc() valgrind can replace
SHIM := tests/valgrind/shim.o
valgrind: deps-valgrind
	@set -- BUILD=build-valgrind LIBC=glibc LINK= LIBS_OPEN=-Wl,-Bstatic LIBS_CLOSE=-Wl,-Bdynamic CFLAGS="-O1 -g" \
		&& $(MAKE) "$$@" build-valgrind/$(SHIM) && $(MAKE) "$$@" \
		LDFLAGS="-Wl,--wrap=syscall,--wrap=layers_ask_seed,--wrap=sys_clone_vm,--wrap=sys_still_shared build-valgrind/$(SHIM)" all \
		$(addprefix build-valgrind/images/,busybox.sqsh python.sqsh) && tests/run build-valgrind valgrind
# each of sbx's system calls fails, one in each run: takes minutes; `make check` takes samples
faults: deps
	@$(MAKE) --no-print-directory all $(INJECT) $(IMAGES)/busybox.sqsh
	@tests/faults/run $(INJECT) $(BUILD)/sbx $(IMAGES)/busybox.sqsh
	@tests/faults/kills $(INJECT) $(BUILD)/sbx $(IMAGES)/busybox.sqsh
	@tests/faults/orphans $(INJECT) $(BUILD)/sbx $(IMAGES)/busybox.sqsh
	@tests/faults/meets $(INJECT) $(BUILD)/sbx $(IMAGES)/busybox.sqsh
	@tests/faults/looks $(INJECT) $(BUILD)/sbx $(IMAGES)/busybox.sqsh
# each fuzzer for SECONDS of CPU time; NAME="untar http" selects
fuzz: deps-fuzz
	@$(MAKE) --no-print-directory BUILD=build-fuzz CC=clang LINK= LDFLAGS=-fsanitize=fuzzer,address,undefined \
		CFLAGS="-O1 -g -DFUZZING -fsanitize=fuzzer-no-link,address,undefined \
		-fno-sanitize-recover=undefined" fuzzers
	@tests/fuzz/run build-fuzz $(SECONDS) $(NAME)
fuzzers: $(FUZZ)
bench: deps-bench
	@$(MAKE) --no-print-directory all images && tests/bench/run $(BUILD) $(ROWS)
lint: deps-lint
	@tests/lint
format: deps-lint
	clang-format -i $(wildcard lib/*.[ch] cmd/*.[ch] cmd/*/*.[ch] tests/*/*.[ch])

install: all
	install -D -t $(DESTDIR)$(PREFIX)/bin $(BUILD)/sbx
	$(if $(ARC_O),install -D -t $(DESTDIR)$(PREFIX)/libexec/sbx $(BUILD)/sbx-archive)
	for page in man/*.[15]; do [ ! -e $$page ] || install -Dm644 -t \
		$(DESTDIR)$(PREFIX)/share/man/man$${page##*.} $$page; done
	install -Dm644 cmd/completion/sbx.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sbx
	install -Dm644 cmd/completion/_sbx $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_sbx
	install -Dm644 cmd/completion/sbx.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sbx.fish
	install -Dm644 -t $(DESTDIR)$(PYTHONDIR) lib/python/sbx.py
	@case $(PYTHONDIR) in */share/sbx) echo "python finds sbx.py with PYTHONPATH=$(PYTHONDIR)";; esac

clean:
	rm -rf build build-asan build-ubsan build-valgrind build-fuzz

.PHONY: faults all deps deps-check deps-demo deps-lint deps-bench deps-valgrind deps-vm images unit demo check check-slurm check-vm soak \
	asan ubsan valgrind fuzz fuzzers bench lint format install clean
.SECONDARY:
-include $(LIB_O:.o=.d) $(NAMES_O:.o=.d) $(CMD_O:.o=.d) $(ARC_O:.o=.d) $(wildcard $(BUILD)/tests/*/*.d $(DYN)/*/*.d $(DYN)/tests/*/*.d)
