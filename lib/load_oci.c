/* SPDX-License-Identifier: Apache-2.0 */
/* load_oci: loads the images of an OCI layout. */
#include "load_parts.h"

#include "auto.h"
#include "parse.h"

#include <string.h>
#include <sys/utsname.h>

/* What a descriptor of an OCI layout names; a text must have the digest that it is named by. */
static struct member *find_blob(struct load *l, const json_t *descriptor, bool text, struct err *e)
{
	const char *digest = json_str(descriptor, "digest", "");
	auto_free char *path =
		xasprintf("blobs/sha256/%s", str_starts(digest, "sha256:") ? digest + 7 : "");
	struct member *m = str_is_hex(path + 13, SHA256_HEX) ? load_find(l, path) : NULL;
	char hex[SHA256_HEX + 1];

	if (!m || (text ? !m->text : !m->is_layer)) {
		(void)(text ? load_no_text(m, path, e) : load_no_file(path, e));
		return NULL;
	}
	if (!text)
		return m; /* its digest is the config's to prove */
	if (load_look_at(l, m, e) < 0)
		return NULL;
	sha256_hex(m->text, m->size, hex);
	if (str_eq(hex, path + 13))
		return m;
	(void)err_set(e, ERR_CORRUPT, "%s does not have the digest of its name", m->path);
	return NULL;
}

static int load_manifest(struct load *l, const json_t *manifest, const struct strv *names, struct err *e)
{
	const json_t *list = json_object_get(manifest, "layers");
	auto_free struct member **layers = xcalloc(json_array_size(list) + 1, sizeof(struct member *));
	struct member *config = find_blob(l, json_object_get(manifest, "config"), true, e);

	if (!config || load_check_os(config, e) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!(layers[i] = find_blob(l, json_array_get(list, i), false, e)))
			return -1;
	return load_add(l, config, layers, json_array_size(list), names, e);
}

/* How buildx marks an attestation: a manifest about how another one was built. */
static bool is_attestation(const json_t *descriptor)
{
	const json_t *notes = json_object_get(descriptor, "annotations");

	return str_eq(json_str(notes, "vnd.docker.reference.type", ""), "attestation-manifest");
}

static bool is_for(const json_t *descriptor, const char *architecture)
{
	const json_t *p = json_object_get(descriptor, "platform");

	return str_eq(json_str(p, "os", ""), "linux") &&
	       str_eq(json_str(p, "architecture", ""), architecture);
}

/* Of the images of one name: this machine's, else the first, else NULL; or the one that is wanted. */
static const json_t *choose(const struct load *l, const json_t *list)
{
	auto_free char *text = NULL, *os = NULL, *architecture = NULL, *variant = NULL;
	const json_t *first = NULL, *d;
	struct utsname u;
	struct err unused;
	size_t i;

	text = xasprintf("linux/%s", uname(&u) == 0 ? u.machine : "");
	(void)parse_platform(text, &os, &architecture, &variant, &unused); /* of none is the first */
	json_array_foreach(list, i, d)
	{
		if (is_attestation(d))
			continue;
		if (l->platform &&
			!load_wants(l, json_str(json_object_get(d, "platform"), "architecture", "")))
			continue;
		first = first ? first : d;
		if (architecture && is_for(d, architecture))
			return d;
	}
	return first;
}

/* What a descriptor leads to: an image, or an index of one for each platform, which all have the index's name. */
static int load_described(struct load *l, const json_t *d, const char *outer, int depth, struct err *e)
{
	const json_t *notes = json_object_get(d, "annotations"), *list;
	const char *name = json_str(notes, "io.containerd.image.name",
		json_str(notes, "org.opencontainers.image.ref.name", NULL));
	struct member *m = find_blob(l, d, true, e);
	auto_json json_t *j = m ? json_loadb(m->text, m->size, 0, NULL) : NULL;
	auto_strv struct strv names = {0};

	if (!m)
		return -1;
	if (depth > 3)
		return err_set(e, ERR_CORRUPT, "an index in an index in an index");
	name = name && strchr(name, ':') ? name : outer;
	list = json_object_get(j, "manifests");
	if (list) {
		d = choose(l, list);
		return d ? load_described(l, d, name, depth + 1, e) : 0;
	}
	if (name)
		strv_add(&names, name);
	return load_manifest(l, j, &names, e);
}

int load_oci(struct load *l, const json_t *index, struct err *e)
{
	const json_t *list = json_object_get(index, "manifests"), *d;
	size_t i;

	json_array_foreach(list, i, d)
	{
		if (!is_attestation(d) && load_described(l, d, NULL, 0, e) < 0)
			return -1;
	}
	return 0;
}
