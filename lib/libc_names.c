/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libc_names: functions of glibc that Debian's static libraries call, for a program that is linked with musl.
 *
 * These libraries are compiled with _FORTIFY_SOURCE, by which the usual functions have other names and the size of the
 * destination as one more argument. From glibc 2.38 on, functions that read numbers have other names, too, as C23 has binary
 * numbers ("0b1"), which nothing here has to read. Everything else that the libraries use has the same name and layout in
 * both libcs.
 */
#ifndef __GLIBC__
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
int __fprintf_chk(FILE *f, int flag, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int __vfprintf_chk(FILE *f, int flag, const char *fmt, va_list args) __attribute__((format(printf, 3, 0)));
int __printf_chk(int flag, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int __sprintf_chk(char *s, int flag, size_t room, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
int __snprintf_chk(char *s, size_t n, int flag, size_t room, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
int __vsnprintf_chk(char *s, size_t n, int flag, size_t room, const char *fmt, va_list args) __attribute__((format(printf, 5, 0)));
int __asprintf_chk(char **s, int flag, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int __vasprintf_chk(char **s, int flag, const char *fmt, va_list args) __attribute__((format(printf, 3, 0)));
void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memset_chk(void *to, int c, size_t n, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
long __isoc23_strtol(const char *s, char **end, int base);
unsigned long __isoc23_strtoul(const char *s, char **end, int base);
long long __isoc23_strtoll(const char *s, char **end, int base);
unsigned long long __isoc23_strtoull(const char *s, char **end, int base);
int __isoc23_sscanf(const char *s, const char *fmt, ...) __attribute__((format(scanf, 2, 3)));
int __isoc23_fscanf(FILE *f, const char *fmt, ...) __attribute__((format(scanf, 2, 3)));
off_t seek(int fd, off_t offset, int whence) __asm__("lseek64"); /* a macro in musl's headers */
/* clang-format on */

static void must_fit(size_t n, size_t room)
{
	if (n > room)
		abort();
}

int __vfprintf_chk(FILE *f, int flag, const char *fmt, va_list args)
{
	(void)flag;
	return vfprintf(f, fmt, args);
}

int __fprintf_chk(FILE *f, int flag, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = __vfprintf_chk(f, flag, fmt, args);
	va_end(args);
	return n;
}

int __printf_chk(int flag, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = __vfprintf_chk(stdout, flag, fmt, args);
	va_end(args);
	return n;
}

int __vsnprintf_chk(char *s, size_t n, int flag, size_t room, const char *fmt, va_list args)
{
	(void)flag;
	must_fit(n, room);
	return vsnprintf(s, n, fmt, args);
}

int __snprintf_chk(char *s, size_t n, int flag, size_t room, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = __vsnprintf_chk(s, n, flag, room, fmt, args);
	va_end(args);
	return len;
}

int __sprintf_chk(char *s, int flag, size_t room, const char *fmt, ...)
{
	va_list args;
	int n;

	(void)flag;
	va_start(args, fmt);
	n = vsnprintf(s, room, fmt, args);
	va_end(args);
	must_fit((size_t)n, room - 1);
	return n;
}

int __vasprintf_chk(char **s, int flag, const char *fmt, va_list args)
{
	(void)flag;
	return vasprintf(s, fmt, args);
}

int __asprintf_chk(char **s, int flag, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = __vasprintf_chk(s, flag, fmt, args);
	va_end(args);
	return n;
}

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	must_fit(n, room);
	return memcpy(to, from, n);
}

void *__memset_chk(void *to, int c, size_t n, size_t room)
{
	must_fit(n, room);
	return memset(to, c, n);
}

char *__strncpy_chk(char *to, const char *from, size_t n, size_t room)
{
	must_fit(n, room);
	return strncpy(to, from, n);
}

long __isoc23_strtol(const char *s, char **end, int base)
{
	return strtol(s, end, base);
}

unsigned long __isoc23_strtoul(const char *s, char **end, int base)
{
	return strtoul(s, end, base);
}

long long __isoc23_strtoll(const char *s, char **end, int base)
{
	return strtoll(s, end, base);
}

unsigned long long __isoc23_strtoull(const char *s, char **end, int base)
{
	return strtoull(s, end, base);
}

int __isoc23_sscanf(const char *s, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsscanf(s, fmt, args);
	va_end(args);
	return n;
}

int __isoc23_fscanf(FILE *f, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vfscanf(f, fmt, args);
	va_end(args);
	return n;
}

/* musl has it too, but from 1.2.4 on for programs only that were linked before. */
off_t __attribute__((weak)) seek(int fd, off_t offset, int whence)
{
	return lseek(fd, offset, whence);
}
#endif
