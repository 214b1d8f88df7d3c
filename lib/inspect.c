/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect.h"

#include "execs.h"
#include "image.h"
#include "limit.h"
#include "masks.h"
#include "parse.h"
#include "size.h"
#include "stamp.h"
#include "status.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

/* Docker's objects with default values, in docker's order of fields; the container's own values override them. A list that
 * nobody gave is null: docker's client sends some of them empty (run_args_finish), and they stay so. */
static const char host_config[] =
	"{\"Binds\":null,\"ContainerIDFile\":\"\",\"LogConfig\":{\"Type\":\"json-file\",\"Config\":{}},"
	"\"NetworkMode\":\"default\",\"PortBindings\":null,"
	"\"RestartPolicy\":{\"Name\":\"no\",\"MaximumRetryCount\":0},\"AutoRemove\":false,"
	"\"VolumeDriver\":\"\",\"VolumesFrom\":null,\"ConsoleSize\":[0,0],\"Annotations\":null,\"CapAdd\":null,"
	"\"CapDrop\":null,\"CgroupnsMode\":\"private\",\"Dns\":null,\"DnsOptions\":null,\"DnsSearch\":null,"
	"\"ExtraHosts\":null,\"GroupAdd\":null,\"IpcMode\":\"private\",\"Cgroup\":\"\",\"Links\":null,"
	"\"OomScoreAdj\":0,\"PidMode\":\"\",\"Privileged\":false,\"PublishAllPorts\":false,"
	"\"ReadonlyRootfs\":false,\"SecurityOpt\":null,\"StorageOpt\":null,\"Tmpfs\":null,\"UTSMode\":\"\",\"UsernsMode\":\"\","
	"\"ShmSize\":67108864,\"Sysctls\":null,\"Runtime\":\"runc\",\"Isolation\":\"\",\"CpuShares\":0,\"Memory\":0,"
	"\"NanoCpus\":0,\"CgroupParent\":\"\",\"BlkioWeight\":0,\"BlkioWeightDevice\":null,"
	"\"BlkioDeviceReadBps\":null,\"BlkioDeviceWriteBps\":null,\"BlkioDeviceReadIOps\":null,"
	"\"BlkioDeviceWriteIOps\":null,\"CpuPeriod\":0,\"CpuQuota\":0,\"CpuRealtimePeriod\":0,"
	"\"CpuRealtimeRuntime\":0,\"CpusetCpus\":\"\",\"CpusetMems\":\"\",\"Devices\":null,"
	"\"DeviceCgroupRules\":null,\"DeviceRequests\":null,\"MemoryReservation\":0,\"MemorySwap\":0,"
	"\"MemorySwappiness\":null,\"OomKillDisable\":null,\"PidsLimit\":null,\"Ulimits\":null,"
	"\"CpuCount\":0,\"CpuPercent\":0,\"IOMaximumIOps\":0,\"IOMaximumBandwidth\":0,\"Mounts\":null,"
	"\"MaskedPaths\":null,\"ReadonlyPaths\":null,\"Init\":null}";

static const char config[] =
	"{\"Hostname\":\"\",\"Domainname\":\"\",\"User\":\"\",\"AttachStdin\":false,"
	"\"AttachStdout\":false,\"AttachStderr\":false,\"ExposedPorts\":null,\"Tty\":false,"
	"\"OpenStdin\":false,\"StdinOnce\":false,\"Env\":null,\"Cmd\":null,\"Healthcheck\":null,"
	"\"Image\":\"\",\"Volumes\":null,\"WorkingDir\":\"\",\"Entrypoint\":null,\"MacAddress\":null,"
	"\"OnBuild\":null,\"Labels\":{},\"StopSignal\":null,\"StopTimeout\":null,\"Shell\":null}";

/* Those of the above fields that docker leaves out if they were not set. */
static const char *const omitted[] = {"Annotations", "ExposedPorts", "Healthcheck", "Init",
	"MacAddress", "Mounts", "Shell", "StopSignal", "StopTimeout", "StorageOpt", "Sysctls", "Tmpfs"};

static void set_time(json_t *j, const char *key, const struct timespec *t)
{
	char text[STAMP_SIZE] = "0001-01-01T00:00:00Z"; /* Go's zero: never */

	if (t->tv_sec)
		stamp_print(t, text);
	json_set_text(j, key, text);
}

static json_t *state_object(const struct state *st)
{
	json_t *j = json_object(), *health = json_object_get(st->extra, "Health");

	json_set_text(j, "Status", status_names[st->status]);
	json_set(j, "Running", json_boolean(state_runs(st)));
	json_set(j, "Paused", json_boolean(st->status == ST_PAUSED));
	json_set(j, "Restarting", json_boolean(st->status == ST_RESTARTING));
	json_set(j, "OOMKilled", json_boolean(st->oom_killed));
	json_set(j, "Dead", json_boolean(st->status == ST_DEAD));
	json_set(j, "Pid", json_integer(st->status == ST_CREATED ? 0 : st->pid));
	json_set(j, "ExitCode", json_integer(st->exit_code));
	json_set_text(j, "Error", st->error);
	set_time(j, "StartedAt", &st->started);
	set_time(j, "FinishedAt", &st->finished);
	if (health)
		json_set(j, "Health", json_incref(health));
	return j;
}

/* ---- mounts ---- */

static json_t *mount_object(const struct store *s, const char *type, const char *source,
	const char *target, const char *mode, bool read_only, const char *propagation)
{
	json_t *j = json_object();
	bool volume = str_eq(type, "volume");
	auto_free char *path = volume ? xasprintf("%s/volumes/%s/_data", s->root_path, source)
	                       : *source == '/' ? parse_clean_path(source)
	                                        : xstrdup(source);
	auto_free char *inside = parse_target(target, strlen(target));

	json_set_text(j, "Type", type);
	if (volume)
		json_set_text(j, "Name", source);
	json_set_text(j, "Source", path);
	json_set_text(j, "Destination", inside);
	if (volume)
		json_set_text(j, "Driver", "local");
	json_set_text(j, "Mode", volume && !*mode ? "z" : mode);
	json_set(j, "RW", json_boolean(!read_only && !str_eq(type, "image")));
	json_set_text(j, "Propagation", str_eq(type, "bind") ? propagation : "");
	return j;
}

static const char *propagation_in(const char *mode)
{
	static const char *const words[] = {"rprivate", "private", "rshared", "shared", "rslave", "slave"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_has_word(mode, ',', words[i]))
			return words[i];
	return "rprivate";
}

/* "SOURCE:TARGET[:MODE]" as -v has it: neither part holds a colon. */
static json_t *bind_object(const struct store *s, const char *word)
{
	const char *first = strchr(word, ':'), *second = first ? strchr(first + 1, ':') : NULL;
	const char *mode = second ? second + 1 : "";
	auto_free char *source = NULL, *target = NULL;

	if (!first)
		return NULL;
	source = xstrndup(word, (size_t)(first - word));
	target = second ? xstrndup(first + 1, (size_t)(second - first - 1)) : xstrdup(first + 1);
	return mount_object(s, *source == '/' ? "bind" : "volume", source, target, mode,
		str_has_word(mode, ',', "ro"), propagation_in(mode));
}

json_t *container_mounts(const struct store *s, const json_t *spec)
{
	const json_t *host = json_object_get(spec, "HostConfig"), *v;
	json_t *list = json_array(), *one;
	size_t i;

	json_array_foreach(json_object_get(host, "Binds"), i, v)
	{
		one = json_is_string(v) ? bind_object(s, json_string_value(v)) : NULL;
		if (one)
			(void)json_array_append_new(list, one); /* memory */
	}
	json_array_foreach(json_object_get(host, "Mounts"), i, v)
	{
		const json_t *bind = json_object_get(v, "BindOptions");

		one = mount_object(s, json_str(v, "Type", "bind"), json_str(v, "Source", ""),
			json_str(v, "Target", ""), "", json_bool(v, "ReadOnly", false),
			json_str(bind, "Propagation", "rprivate"));
		if (json_bool(v, "OfVolumes", false) || json_bool(v, "TakenOver", false))
			json_set_text(one, "Mode", "");
		(void)json_array_append_new(list, one); /* memory */
	}
	return list;
}

/* ---- parts which are laid over docker's defaults ---- */

static void omit(json_t *j)
{
	for (size_t i = 0; i < ARRAY_LEN(omitted); i++)
		if (json_is_null(json_object_get(j, omitted[i])))
			(void)json_object_del(j, omitted[i]); /* is there, or need not go */
}

/* The spec's mounts without anonymous volumes, which inspect shows under Volumes or Binds, and without those that VolumesFrom
 * brought. */
static json_t *asked_mounts(const json_t *spec)
{
	json_t *list = json_array(), *m;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(spec, "HostConfig"), "Mounts"), i, m)
	{
		if (!json_bool(m, "OfVolumes", false) && !json_bool(m, "OfBinds", false) &&
			!json_bool(m, "TakenOver", false))
			(void)json_array_append(list, m); /* memory */
	}
	if (json_array_size(list) > 0)
		return list;
	json_decref(list);
	return NULL;
}

/* --security-opt systempaths=unconfined: docker's client asks for no masks and does not pass the word on. */
static bool take_system_paths(json_t *host)
{
	json_t *words = json_deep_copy(json_object_get(host, "SecurityOpt"));
	bool taken = false;

	for (size_t i = json_array_size(words); i-- > 0;) {
		if (str_eq(json_string_value(json_array_get(words, i)), "systempaths=unconfined")) {
			(void)json_array_remove(words, i); /* it is there */
			taken = true;
		}
	}
	if (words)
		json_set(host, "SecurityOpt", words);
	return taken;
}

/* For a container in the host's pid namespace, or a privileged one, docker turns SELinux labels off unless the user
 * sets some, and shows that. */
static void unlabelled(json_t *host)
{
	json_t *given = json_object_get(host, "SecurityOpt"), *words, *word;
	size_t i;

	if (!json_bool(host, "Privileged", false) && !str_eq(json_str(host, "IpcMode", ""), "host") &&
		!str_eq(json_str(host, "PidMode", ""), "host"))
		return;
	json_array_foreach(given, i, word)
	{
		const char *text = json_is_string(word) ? json_string_value(word) : "";

		if (str_starts(text, "label=") || str_starts(text, "label:"))
			return;
	}
	words = json_is_array(given) ? json_copy(given) : json_array();
	(void)json_array_append_new(words, json_string("label=disable")); /* memory */
	json_set(host, "SecurityOpt", words);
}

/* A volume of --mount without a name is shown without its generated name. */
static void nameless_mounts(json_t *host)
{
	json_t *mounts = json_deep_copy(json_object_get(host, "Mounts")), *m;
	size_t i;

	json_array_foreach(mounts, i, m)
	{
		if (json_object_del(m, "Unnamed") == 0)
			(void)json_object_del(m, "Source"); /* it is there */
	}
	if (mounts)
		json_set(host, "Mounts", mounts);
}

static json_t *host_object(const json_t *spec)
{
	json_t *j = json_own(host_config), *given = json_object_get(spec, "HostConfig");
	bool privileged = json_bool(given, "Privileged", false), open;
	json_t *masked = privileged ? NULL : json_array(), *frozen = privileged ? NULL : json_array();

	(void)json_object_update_recursive(j, given); /* memory; no object holds itself */
	open = take_system_paths(j);
	for (const struct mask_path *m = mask_paths; m->path && !privileged && !open; m++)
		(void)json_array_append_new(m->freeze ? frozen : masked, json_string(m->path)); /* memory */
	json_set(j, "MaskedPaths", masked);
	json_set(j, "ReadonlyPaths", frozen);
	unlabelled(j);
	json_set(j, "Mounts", asked_mounts(spec));
	/* docker's default, written down */
	if (json_int(j, "Memory", 0) > 0 && json_int(j, "MemorySwap", 0) == 0)
		json_set(j, "MemorySwap", json_integer(limit_with_swap(json_int(j, "Memory", 0))));
	nameless_mounts(j);
	omit(j);
	return j;
}

static char *in_dir(const struct store *s, const struct state *st, const char *name)
{
	return xasprintf("%s/containers/%s/%s", s->root_path, st->id, name);
}

#define HOST_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"

/* A container in another one's network keeps that one's host name from when it was started, even if that container is
 * gone. */
static void set_shared_name(json_t *j, const struct store *s, const struct state *st)
{
	auto_free char *path = in_dir(s, st, "hostname");
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char name[256];
	ssize_t n = fd >= 0 ? read(fd, name, sizeof(name) - 1) : 0;

	if (n <= 0)
		return;
	name[n] = '\0';
	name[strspn(name, HOST_CHARS)] = '\0'; /* the file's content is up to the container */
	json_set_text(j, "Hostname", name);
}

static json_t *config_object(const struct store *s, const struct state *st, const json_t *spec)
{
	json_t *j = json_own(config), *v;
	const char *key;
	struct utsname host;

	json_object_foreach((json_t *)(uintptr_t)spec, key,
		v) if (!str_eq(key, "HostConfig") && !str_eq(key, "Sbx") &&
		       !str_eq(key, "NetworkingConfig"))(void) json_object_set(j, key, v); /* memory */
	if (!*json_str(j, "Hostname", "") && str_eq(status_network(st), "host") && uname(&host) == 0)
		json_set_text(j, "Hostname", host.nodename);
	else if (!*json_str(j, "Hostname", "") && !str_starts(status_network(st), "container:"))
		json_set(j, "Hostname", json_stringn(st->id, 12));
	if (str_starts(status_network(st), "container:"))
		set_shared_name(j, s, st);
	if (json_array_size(json_object_get(j, "Shell")) == 0)
		json_set(j, "Shell", NULL);
	omit(j);
	return j;
}

/* ---- the whole ---- */

static void set_file(
	json_t *j, const char *key, const struct store *s, const struct state *st, const char *name)
{
	auto_free char *path = in_dir(s, st, name);

	json_set_text(j, key, access(path, F_OK) == 0 || errno != ENOENT ? path : "");
}

static json_t *graph_object(const struct store *s, const struct state *st)
{
	auto_free char *upper = in_dir(s, st, "upper"), *work = in_dir(s, st, "work");
	auto_free char *merged = in_dir(s, st, "merged");
	auto_buf struct buf lower = {0};
	auto_strv struct strv layers = {0};
	json_t *data;

	image_layers_now(s, json_object_get(st->extra, "layers"), &layers);
	for (size_t i = layers.n; i-- > 0;)
		buf_printf(&lower, "%s%s", lower.len ? ":" : "", layers.v[i]);
	data = json_object();
	json_set_text(data, "LowerDir", lower.s);
	json_set_text(data, "MergedDir", merged);
	json_set_text(data, "UpperDir", upper);
	json_set_text(data, "WorkDir", work);
	return json_pack("{s:o, s:s}", "Data", data, "Name", "overlay2");
}

/* The command line: the entrypoint's words, then the command's. */
static void set_command(json_t *j, const json_t *spec)
{
	json_t *args = json_array();

	(void)json_array_extend(args, json_object_get(spec, "Entrypoint")); /* none, or memory */
	(void)json_array_extend(args, json_object_get(spec, "Cmd"));        /* none, or memory */
	json_set(j, "Path", json_incref(json_array_get(args, 0)));
	if (json_is_null(json_object_get(j, "Path")))
		json_set_text(j, "Path", "");
	(void)json_array_remove(args, 0); /* an empty one stays empty */
	json_set(j, "Args", args);
}

/* "Sbx": what we alone know: wishes of our own options, and how it ended. */
static json_t *our_object(const struct state *st, const json_t *spec)
{
	json_t *j = json_deep_copy(json_object_get(spec, "Sbx"));

	if (!j)
		j = json_object();
	json_set(j, "TimedOut", json_boolean(st->timed_out));
	json_set(j, "Result", json_incref(st->result));
	return j;
}

static int set_size(json_t *j, const struct store *s, const struct state *st, struct err *e)
{
	auto_image struct image image = {0};
	int64_t writable = container_size(s, st->id);

	if (writable < 0)
		return err_sys(e, "size of container %.12s", st->id);
	/* without the image, what the container itself has is all there is to count */
	if (st->image_id && image_find(s, st->image_id, &image, e) < 0 && e->kind == ERR_SYSTEM)
		return -1;
	json_set(j, "SizeRw", json_integer(writable));
	json_set(j, "SizeRootFs", json_integer(writable + image.size));
	return 0;
}

json_t *container_inspect(const struct store *s, const char *id, bool size, struct err *e)
{
	auto_state struct state st = {0};
	auto_json json_t *spec = NULL, *j = json_object();
	auto_free char *name = NULL, *log = NULL;
	auto_strv struct strv execs = {0};
	const char *driver;
	bool logged;

	if (state_load(s, id, &st, e) < 0)
		return NULL;
	spec = state_load_spec(s, id, e);
	if (!spec)
		return NULL;
	driver = json_str(json_object_get(json_object_get(spec, "HostConfig"), "LogConfig"), "Type",
		"json-file");
	logged = !str_eq(driver, "none") && !str_eq(driver, "local");
	name = xasprintf("/%s", st.name ? st.name : "");
	log = in_dir(s, &st, "json.log"); /* written once there is output */
	json_set_text(j, "Id", st.id);
	set_time(j, "Created", &st.created);
	set_command(j, spec);
	json_set(j, "State", state_object(&st));
	json_set_text(j, "Image", st.image_id);
	set_file(j, "ResolvConfPath", s, &st, "resolv.conf");
	set_file(j, "HostnamePath", s, &st, "hostname");
	set_file(j, "HostsPath", s, &st, "hosts");
	json_set_text(j, "LogPath", logged && st.started.tv_sec ? log : "");
	json_set_text(j, "Name", name);
	json_set(j, "RestartCount", json_integer(st.restart_count));
	json_set_text(j, "Driver", "overlay2");
	json_set_text(j, "Platform", "linux");
	json_set_text(j, "MountLabel", "");
	json_set_text(j, "ProcessLabel", "");
	json_set_text(j, "AppArmorProfile", "");
	execs_open(s, &st, &execs);
	json_set(j, "ExecIDs", execs.n ? json_from_strv(&execs) : NULL);
	json_set(j, "HostConfig", host_object(spec));
	json_set(json_object_get(j, "HostConfig"), "Links", container_links(s, &st, spec));
	json_set(j, "GraphDriver", graph_object(s, &st));
	if (size && set_size(j, s, &st, e) < 0)
		return NULL;
	json_set(j, "Mounts", container_mounts(s, spec));
	json_set(j, "Config", config_object(s, &st, spec));
	json_set(j, "NetworkSettings", container_network_settings(s, &st, spec));
	json_set(j, "Sbx", our_object(&st, spec));
	return take(j);
}
