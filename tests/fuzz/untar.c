/* SPDX-License-Identifier: Apache-2.0 */
/* A tar unpacked below a directory, beside which lies a witness that must stay what and alone as it was. */
#include "fuzz.h"
#include "state.h"
#include "tarfd.h"
#include "untar.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

static void check_witness(const char *dir)
{
	struct stat st;
	DIR *d = opendir(dir);
	int n = 0;

	assert(d);
	for (struct dirent *at; (at = readdir(d)) != NULL; n++)
		;
	(void)closedir(d);
	assert(n == 4); /* with . and .. */
	assert(stat("witness", &st) == 0 && st.st_size == 0 && (st.st_mode & 07777) == 0600);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_close int in = memfd_create("tar", MFD_CLOEXEC), dir = -1, witness = -1,
		       home = open(".", O_PATH | O_CLOEXEC);
	auto_free uint8_t *tar = fuzz_tar(data, size);
	char top[] = "/dev/shm/sbx-fuzz-XXXXXX";
	struct err e = {0};

	if (!mkdtemp(top) || chdir(top) < 0 || mkdir("in", 0700) < 0)
		abort();
	witness = open("witness", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	(void)!symlink("../witness", "in/out");
	dir = open("in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (in >= 0 && dir >= 0 && write(in, tar, size) == (ssize_t)size && lseek(in, 0, SEEK_SET) == 0) {
		auto_tarfd struct tarfd f = tarfd_open(in);
		auto_tar_reader struct tar_reader r = {.source = tarfd_read, .context = &f};
		struct untar u = {.dir = dir, .beneath = true};

		(void)untar(&r, &u, &e);
	}
	check_witness(top);
	/* deeper than a path can name */
	if (state_remove_tree(AT_FDCWD, "in", &e) < 0 || unlink("witness") < 0 ||
		fchdir(home) < 0 || rmdir(top) < 0)
		abort();
	return 0;
}
