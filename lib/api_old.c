/* SPDX-License-Identifier: Apache-2.0 */
/* Fields that only older versions of the API had, for clients that speak one. */
#include "api.h"

#include "inspect.h"

static void put_expected(json_t *info, const char *key)
{
	json_t *commit = json_object_get(info, key);

	json_set(commit, "Expected", json_string(json_str(commit, "ID", "")));
}

void api_old_info(const struct api *a, json_t *info)
{
	json_t *registries = json_object_get(info, "RegistryConfig");

	if (a->minor >= 49)
		return;
	json_set(info, "BridgeNfIptables", json_false());
	json_set(info, "BridgeNfIp6tables", json_false());
	json_set(registries, "AllowNondistributableArtifactsCIDRs", json_array());
	json_set(registries, "AllowNondistributableArtifactsHostnames", json_array());
	put_expected(info, "ContainerdCommit");
	put_expected(info, "RuncCommit");
	put_expected(info, "InitCommit");
	if (a->minor >= 42)
		return;
	json_set(info, "KernelMemory", json_false());
	json_set(info, "KernelMemoryTCP", json_false());
}

/* Its names in a listing: none was a name, too. */
void api_old_image_names(const struct api *a, json_t *row)
{
	json_t *tags = json_object_get(row, "RepoTags"), *digests = json_object_get(row, "RepoDigests");

	if (a->minor >= 43 || json_array_size(tags) > 0 || json_array_size(digests) > 0)
		return;
	(void)json_array_append_new(tags, json_string("<none>:<none>"));    /* memory */
	(void)json_array_append_new(digests, json_string("<none>@<none>")); /* memory */
}

/* The config of the container that an image was made of, which is not known. */
static json_t *no_container(void)
{
	return json_pack("{s:s, s:s, s:s, s:b, s:b, s:b, s:b, s:b, s:b, s:n, s:n, s:s, s:n, s:s, s:n, s:n, s:n}",
		"Hostname", "", "Domainname", "", "User", "", "AttachStdin", 0, "AttachStdout", 0,
		"AttachStderr", 0, "Tty", 0, "OpenStdin", 0, "StdinOnce", 0, "Env", "Cmd", "Image",
		"", "Volumes", "WorkingDir", "", "Entrypoint", "OnBuild", "Labels");
}

/* docker-compose 1 speaks the newest version with us, but expects members that only older ones have. */
static bool is_compose_1(const struct api *a)
{
	const char *agent = http_header(a->r, "user-agent");

	return agent && str_starts(agent, "docker-compose/1.");
}

void api_old_image(const struct api *a, json_t *image)
{
	/* what is a container's, and says nothing of an image */
	static const char *const not_its[] = {"Hostname", "Domainname", "AttachStdin",
		"AttachStdout", "AttachStderr", "Tty", "OpenStdin", "StdinOnce", "Image"};

	if (a->minor >= 44)
		(void)json_object_del(image, "VirtualSize"); /* it was there */
	for (size_t i = 0; a->minor >= 50 && i < ARRAY_LEN(not_its); i++)
		(void)json_object_del(json_object_get(image, "Config"), not_its[i]); /* as above */
	if (a->minor >= 45 && !is_compose_1(a))
		return;
	json_set(image, "Container", json_string(""));
	json_set(image, "ContainerConfig", no_container());
}

void api_old_container(const struct api *a, json_t *container)
{
	json_t *host = json_object_get(container, "HostConfig");

	/* docker-compose 1 makes its networks anew if the short id is not among a container's names. */
	if (a->minor < 45 || is_compose_1(a))
		container_old_aliases(container);
	if (a->minor >= 42)
		return;
	json_set(host, "KernelMemory", json_integer(0));
	json_set(host, "KernelMemoryTCP", json_integer(0));
}
