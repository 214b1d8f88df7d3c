# SPDX-License-Identifier: Apache-2.0
# make · make check · make demo · make bench · make lint · make install

BUILD   ?= build
PREFIX  ?= /usr/local
CC      ?= gcc
CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	   -Wwrite-strings -Wvla -Wformat=2 -Wundef -Wno-missing-field-initializers
PKGS    := jansson libnl-route-3.0 libseccomp squashfuse
# libsquashfuse's .pc does not name the decompressors that its static archive needs
SQUASH  := -lz -llzma -llzo2 -llz4 -lzstd
ALL_C   := -std=gnu17 -D_GNU_SOURCE -MMD -MP $(WARN) -Ilib -Icmd \
	   $(shell pkg-config --cflags $(PKGS)) -include assert.h
LIBS    := $(shell pkg-config --static --libs $(PKGS)) $(SQUASH)

LIB_O   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard lib/*.c))
CMD_O   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard cmd/*.c))
# what drags in heavy libraries (libarchive, libsquashfs) is a program of its own beside sbx
ARC_O   := $(patsubst %.c,$(BUILD)/%.o,$(wildcard cmd/archive/*.c))
ARC_PKG := libarchive

all: $(BUILD)/sbx $(BUILD)/sbx-archive

$(BUILD)/sbx: $(CMD_O) $(BUILD)/libsbx.a
	$(CC) $(CFLAGS) -static $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/sbx-archive: $(ARC_O) $(BUILD)/libsbx.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(shell pkg-config --libs $(ARC_PKG)) -lsquashfs -lpthread

$(BUILD)/libsbx.a: $(LIB_O)
	rm -f $@ && ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_C) $(CFLAGS) -c -o $@ $<

clean:
	rm -rf $(BUILD)

.PHONY: all clean
-include $(LIB_O:.o=.d) $(CMD_O:.o=.d) $(ARC_O:.o=.d)
