/* SPDX-License-Identifier: Apache-2.0 */
#include "fallback.h"

#include "auto.h"
#if __has_include("unpack.h")
#include "unpack.h"
#else
#include "image.h"
static int image_unpack_layer(const struct store *s, const char *path, char **dir, struct err *e)
{
	(void)s;
	(void)dir;
	return err_set(e, ERR_UNSUPPORTED, "%s: /dev/fuse is needed", path);
}
#endif

static bool fuse_is_off(void)
{
	auto_free char *setting = store_setting("fuse");

	return str_eq(setting, "off") || str_eq(setting, "no") || str_eq(setting, "0");
}

int fallback_lease(const struct store *s, enum ids_mode ids, const struct strv *layers,
	struct lease *out, struct strv *lower, struct err *e)
{
	if (!fuse_is_off()) {
		if (layers_lease(s, ids, (const char *const *)layers->v, (int)layers->n, out, e) == 0)
			return 0;
		if (e->kind != ERR_UNSUPPORTED)
			return -1;
		err_clear(e);
	}
	for (size_t i = 0; i < layers->n; i++) {
		char *dir = NULL;

		if (image_unpack_layer(s, layers->v[i], &dir, e) < 0)
			return -1;
		strv_take(lower, dir);
	}
	return layers_lease(s, ids, NULL, 0, out, e);
}
