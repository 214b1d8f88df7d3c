/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errno_text: strerror() with glibc's texts, which docker's are except for capitals; musl's texts are others.
 */
#include "err.h"

#include <errno.h>
#include <string.h>

const char *errno_text(int n)
{
#ifndef __GLIBC__
	static const struct {
		int n;
		const char *text;
	} words[] = {
		{EADDRINUSE, "Address already in use"},
		{EADDRNOTAVAIL, "Cannot assign requested address"},
		{EAFNOSUPPORT, "Address family not supported by protocol"},
		{EALREADY, "Operation already in progress"},
		{EBADF, "Bad file descriptor"},
		{EBUSY, "Device or resource busy"},
		{ECHILD, "No child processes"},
		{ECONNABORTED, "Software caused connection abort"},
		{EDEADLK, "Resource deadlock avoided"},
		{EDESTADDRREQ, "Destination address required"},
		{EDQUOT, "Disk quota exceeded"},
		{EHOSTUNREACH, "No route to host"},
		{EIDRM, "Identifier removed"},
		{EILSEQ, "Invalid or incomplete multibyte or wide character"},
		{EINPROGRESS, "Operation now in progress"},
		{EIO, "Input/output error"},
		{EISCONN, "Transport endpoint is already connected"},
		{ELOOP, "Too many levels of symbolic links"},
		{EMFILE, "Too many open files"},
		{EMSGSIZE, "Message too long"},
		{ENAMETOOLONG, "File name too long"},
		{ENETDOWN, "Network is down"},
		{ENOBUFS, "No buffer space available"},
		{ENODATA, "No data available"},
		{ENOLCK, "No locks available"},
		{ENOMEM, "Cannot allocate memory"},
		{ENOPROTOOPT, "Protocol not available"},
		{ENOTBLK, "Block device required"},
		{ENOTCONN, "Transport endpoint is not connected"},
		{ENOTSOCK, "Socket operation on non-socket"},
		{ENOTTY, "Inappropriate ioctl for device"},
		{EOPNOTSUPP, "Operation not supported"},
		{EOVERFLOW, "Value too large for defined data type"},
		{EPROTOTYPE, "Protocol wrong type for socket"},
		{ERANGE, "Numerical result out of range"},
		{ESPIPE, "Illegal seek"},
		{ESTALE, "Stale file handle"},
		{ETIMEDOUT, "Connection timed out"},
		{EUSERS, "Too many users"},
		{EXDEV, "Invalid cross-device link"},
		{ENETUNREACH, "Network is unreachable"},
		{ESHUTDOWN, "Cannot send after transport endpoint shutdown"},
		{ETOOMANYREFS, "Too many references: cannot splice"},
		{ELIBBAD, "Accessing a corrupted shared library"},
		{EUCLEAN, "Structure needs cleaning"},
		{ETIME, "Timer expired"},
		{ENETRESET, "Network dropped connection on reset"},
		{EDOM, "Numerical argument out of domain"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].n == n)
			return words[i].text;
#endif
	return strerror(n);
}
