/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"
#include "sha256.h"
#include "state.h"
#include "tap.h"

#include <ftw.h>
#include <sys/stat.h>

static char top[] = "/tmp/sbx-unit-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

/* An image with a layer for each word, the layer holding the word; its id, or NULL. */
static char *add(const struct store *s, const char *created, const struct strv *words)
{
	auto_free struct image_layer *layers = xcalloc(words->n, sizeof(*layers));
	auto_free int *files = xcalloc(words->n,
		sizeof(*files)); /* open and locked, as they are as long as somebody makes them */
	auto_json json_t *ids = json_array(), *config = NULL;
	auto_free char *text = NULL;
	struct err e = {0};
	char *id = NULL;

	for (size_t i = 0; i < words->n; i++) {
		ssize_t n = (ssize_t)strlen(words->v[i]);

		files[i] = image_layer_begin(s, &layers[i].temporary, &e);
		if (files[i] < 0 || write(files[i], words->v[i], (size_t)n) != n)
			return NULL;
		sha256_hex(words->v[i], (size_t)n, layers[i].diff_id);
		layers[i].size = n;
		text = xasprintf("sha256:%s", layers[i].diff_id);
		json_array_append_new(ids, json_string(text));
		free(take(text));
	}
	config = json_pack("{s:s, s:s, s:s, s:{s:[s]}, s:{s:s, s:O}}", "architecture", "amd64",
		"created", created, "os", "linux", "config", "Env", "A=1", "rootfs", "type",
		"layers", "diff_ids", ids);
	text = json_dumps(config, JSON_COMPACT);
	if (image_add(s, text, strlen(text), layers, words->n, NULL, NULL, &id, &e) < 0)
		printf("# %s\n", e.text);
	for (size_t i = 0; i < words->n; i++) {
		image_layer_drop(s, layers[i].temporary);
		free(layers[i].temporary);
		(void)close(files[i]);
	}
	return id;
}

static char *add_words(const struct store *s, const char *created, const char *words)
{
	auto_strv struct strv list = {0};
	auto_free char *copy = xstrdup(words);

	for (char *at = copy, *word; (word = strsep(&at, " "));)
		strv_add(&list, word);
	return add(s, created, &list);
}

static bool stored(const struct store *s, const char *layer)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(layer, strlen(layer), hex);
	return image_layer_known(s, hex, NULL);
}

static bool finds(const struct store *s, const char *what, const char *id)
{
	auto_image struct image i = {0};
	struct err e = {0};

	if (image_find(s, what, &i, &e) < 0) {
		printf("# %s\n", e.text);
		return id == NULL;
	}
	return str_eq(i.id, id);
}

static void test_find(const struct store *s, const char *one, const char *two)
{
	auto_free char *prefix = xstrndup(one + 7, 12), *with = xasprintf("sha256:%s", prefix);
	auto_image struct image i = {0};
	struct err e = {0};

	is_int(image_tag(s, one, "web", &e), 0, "an image gets a name");
	is_int(image_tag(s, one, "reg.example.com:5000/a/b:v1", &e), 0, "and one with slashes and a port");
	ok(finds(s, "web", one), "found by its name");
	ok(finds(s, "docker.io/library/web:latest", one), "by its whole name");
	ok(finds(s, "reg.example.com:5000/a/b:v1", one), "by the other name");
	ok(finds(s, one, one) && finds(s, one + 7, one), "by its id, with and without sha256:");
	ok(finds(s, prefix, one) && finds(s, with, one), "by the beginning of its id");
	ok(finds(s, "web:v2", NULL), "not by another tag");
	is_int(image_find(s, "web:v2", &i, &e), -1, "what is not there");
	is_int(e.kind, ERR_NOT_FOUND, "is not found");
	is_str(e.text, "No such image: web:v2", "in docker's words");
	is_int(image_find(s, "Web", &i, &e), -1, "what is no reference");
	is_int(e.kind, ERR_USAGE, "is the user's fault");
	is_int(image_find(s, "web", &i, &e), 0, "the name again");
	is_int((long long)i.layers.n, 2, "it has its layers");
	is_str(strv_env(&i.config.env, "A"), "A=1", "and its config");
	is_int(i.size, 6, "and the size of all layers");
	is_int(image_tag(s, two, "web", &e), 0, "a name moves");
	ok(finds(s, "web", two), "to another image");
}

static void test_list(const struct store *s, const char *one, const char *two)
{
	struct image *list;
	struct err e = {0};
	size_t n;

	is_int(image_list(s, &list, &n, NULL, &e), 0, "the list");
	is_int((long long)n, 2, "has both");
	is_str(list[0].id, two, "the newer one first");
	is_str(list[1].id, one, "the older one then");
	is_str(list[0].refs.n ? list[0].refs.v[0] : NULL, "web:latest",
		"with its name as docker spells it");
	image_list_free(list, n);
}

static void test_inspect(const struct store *s)
{
	auto_image struct image i = {0};
	auto_json json_t *j = NULL;
	struct err e = {0};

	is_int(image_find(s, "web", &i, &e), 0, "to be inspected");
	j = image_inspect(s, &i, &e);
	is_str(json_str(j, "Id", NULL), i.id, "inspect tells the id");
	is_str(json_string_value(json_array_get(json_object_get(j, "RepoTags"), 0)), "web:latest",
		"names");
	is_int((long long)json_array_size(json_object_get(json_object_get(j, "RootFS"), "Layers")),
		2, "layers");
	ok(json_is_null(json_object_get(json_object_get(j, "Config"), "Cmd")), "docker's empty fields");
}

static void test_remove(const struct store *s, const char *one, const char *two)
{
	auto_strv struct strv report = {0}, more = {0};
	auto_state struct state st = {.image_id = xstrdup(two), .image = xstrdup("web")};
	auto_json json_t *spec = json_object();
	struct err e = {0};
	int dir = -1;

	is_int(image_remove(s, "reg.example.com:5000/a/b:v1", false, true, &report, &e), 0,
		"the last name goes");
	is_str(report.v[0], "Untagged: reg.example.com:5000/a/b:v1", "untagged");
	ok(str_starts(report.v[1], "Deleted: ") && str_eq(report.v[1] + 9, one), "and the image with it");
	is_int((long long)report.n, 3, "and the one layer that no other image has");
	ok(stored(s, "abc") && !stored(s, "def") && stored(s, "ghi"), "the shared layer stays");
	is_int(state_create(s, &st, spec, NULL, &dir, &e), 0, "a container uses the other image");
	(void)close(dir);
	is_int(image_remove(s, "web", false, true, &more, &e), -1,
		"which is not removed by its last name then");
	ok(str_starts(e.text,
		   "conflict: unable to remove repository reference \"web\" (must force) - container "),
		"in docker's words");
	is_int(image_remove(s, two, false, true, &more, &e), -1, "nor by its id");
	ok(strstr(e.text, "(must be forced) - image is being used by stopped container"),
		"in docker's words");
	is_int(image_remove(s, "web", true, true, &more, &e), 0, "but by force");
	ok(finds(s, "web", NULL), "it has no name any more");
	ok(finds(s, two, two), "but the container still finds it by its id");
	is_int(state_remove(s, &st, &e), 0, "the container goes");
	is_int(image_remove(s, "web", true, true, &more, &e), -1, "a later removal");
	ok(!stored(s, "abc") && !stored(s, "ghi"), "finds nobody who needs the image, and takes it away");
}

static void test_prune(const struct store *s)
{
	auto_free char *named = add_words(s, "2020-01-01T00:00:00Z", "abc");
	auto_free char *nameless = add_words(s, "2020-01-02T00:00:00Z", "abc def");
	auto_strv struct strv report = {0}, unread = {0};
	struct err e = {0};
	int64_t freed = 0;

	ok(named && nameless && image_tag(s, named, "keep:1", &e) == 0, "one with a name, one without");
	is_int(image_prune(s, false, NULL, NULL, &report, &unread, &freed, &e), 0, "pruned");
	ok(finds(s, nameless, NULL) && finds(s, "keep:1", named), "the nameless one is gone");
	ok(freed > 0, "and what it took on disk");
}

static void test_hostile(const struct store *s)
{
	static const char *const bad[] = {"", "[]", "{\"rootfs\":{\"diff_ids\":[\"sha256:../../x\"]}}",
		"{\"config\":{\"Env\":3},\"rootfs\":{\"diff_ids\":[]}}"};
	struct image_layer layer = {.diff_id = "../../x"};
	struct err e = {0};
	char *id = NULL;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		is_int(image_add(s, bad[i], strlen(bad[i]), &layer, i == 2, NULL, NULL, &id, &e),
			-1, *bad[i] ? bad[i] : "empty");
	ok(finds(s, "../../../etc/passwd", NULL), "a path is not looked for in the store");
}

int main(void)
{
	auto_free char *root = NULL, *run = NULL, *one = NULL, *two = NULL;
	auto_store struct store s = {0};
	struct err e = {0};

	if (!mkdtemp(top))
		return 1;
	root = xasprintf("%s/root", top);
	run = xasprintf("%s/run", top);
	(void)setenv("SBX_ROOT", root, 1);
	(void)setenv("SBX_RUNTIME", run, 1);
	if (!ok(store_open(&s, &e) == 0, "a store"))
		return 1;
	one = add_words(&s, "2020-01-01T00:00:00Z", "abc def");
	two = add_words(&s, "2020-01-02T00:00:00Z", "abc ghi");
	ok(one && two && stored(&s, "abc"), "two images which share a layer");
	test_find(&s, one, two);
	test_list(&s, one, two);
	test_inspect(&s);
	test_remove(&s, one, two);
	test_prune(&s);
	test_hostile(&s);
	(void)nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return done_testing();
}
