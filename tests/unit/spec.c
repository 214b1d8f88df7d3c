/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"
#include "parse.h"
#include "spec.h"
#include "tap.h"

/* Every field that a spec can hold. */
static const char everything[] =
	"{\"Hostname\":\"box\",\"Domainname\":\"example.org\",\"User\":\"app:staff\",\"AttachStdin\":true,"
	"\"AttachStdout\":true,\"AttachStderr\":true,\"ExposedPorts\":{\"80/tcp\":{},\"53/udp\":{}},"
	"\"Tty\":true,\"OpenStdin\":true,\"StdinOnce\":true,\"Env\":[\"A=b\",\"GONE\"],"
	"\"Cmd\":[\"sh\",\"-c\",\"\"],\"Healthcheck\":{\"Test\":[\"CMD-SHELL\",\"true\"],"
	"\"Interval\":1000000000,\"Timeout\":2000000000,\"StartPeriod\":3000000,"
	"\"StartInterval\":4000000,\"Retries\":5},\"Image\":\"debian:12\",\"Volumes\":{\"/data\":{}},"
	"\"WorkingDir\":\"/srv\",\"Entrypoint\":[],\"MacAddress\":\"02:42:ac:11:00:02\","
	"\"Labels\":{\"k\":\"v=w\",\"empty\":\"\"},\"StopSignal\":\"SIGINT\",\"StopTimeout\":7,"
	"\"HostConfig\":{\"NetworkMode\":\"none\",\"RestartPolicy\":{\"Name\":\"on-failure\","
	"\"MaximumRetryCount\":3},\"LogConfig\":{\"Type\":\"local\",\"Config\":{\"max-size\":\"1m\"}},"
	"\"AutoRemove\":true,\"VolumesFrom\":[\"other:ro\"],\"CapAdd\":[\"NET_ADMIN\"],"
	"\"CapDrop\":[\"ALL\"],\"CgroupnsMode\":\"private\",\"Dns\":[\"1.1.1.1\"],"
	"\"DnsOptions\":[\"ndots:1\"],\"DnsSearch\":[\"a.b\"],\"ExtraHosts\":[\"a:1.2.3.4\"],"
	"\"GroupAdd\":[\"100\"],\"IpcMode\":\"none\",\"OomScoreAdj\":5,\"PidMode\":\"host\","
	"\"Privileged\":true,\"PublishAllPorts\":true,\"ReadonlyRootfs\":true,"
	"\"SecurityOpt\":[\"seccomp=unconfined\"],\"StorageOpt\":{\"size\":\"1g\"},\"UTSMode\":\"host\","
	"\"UsernsMode\":\"host\",\"ShmSize\":1048576,\"Sysctls\":{\"net.a\":\"1\"},\"Runtime\":\"runc\","
	"\"CpuShares\":512,\"Memory\":67108864,\"NanoCpus\":1500000000,\"CgroupParent\":\"/p\","
	"\"BlkioWeight\":100,\"CpuPeriod\":100000,\"CpuQuota\":-1,\"CpusetCpus\":\"0-1\","
	"\"CpusetMems\":\"0\",\"DeviceCgroupRules\":[\"c 1:3 rwm\"],\"MemoryReservation\":33554432,"
	"\"MemorySwap\":-1,\"MemorySwappiness\":60,\"OomKillDisable\":true,\"PidsLimit\":0,"
	"\"Annotations\":{\"x\":\"y\"},\"Init\":true,"
	"\"Binds\":[\"/src:/dst:ro,z\",\"name:/vol\"],"
	"\"Mounts\":[{\"Type\":\"bind\",\"Source\":\"/a b\",\"Target\":\"/m1\",\"ReadOnly\":true,"
	"\"BindOptions\":{\"Propagation\":\"rslave\",\"NonRecursive\":true,\"CreateMountpoint\":true}},"
	"{\"Type\":\"volume\",\"Target\":\"/m2\",\"VolumeOptions\":{\"NoCopy\":true}},"
	"{\"Type\":\"tmpfs\",\"Target\":\"/m3\",\"TmpfsOptions\":{\"SizeBytes\":4096,\"Mode\":448}},"
	"{\"Type\":\"tmpfs\",\"Target\":\"/m4\",\"TmpfsOptions\":{}}],"
	"\"Tmpfs\":{\"/t\":\"size=1m\",\"/u\":\"\"},"
	"\"PortBindings\":{\"80/tcp\":[{\"HostIp\":\"127.0.0.1\",\"HostPort\":\"8080\"},"
	"{\"HostIp\":\"\",\"HostPort\":\"81\"},{\"HostIp\":\"::1\",\"HostPort\":\"\"}],"
	"\"53/udp\":[{\"HostIp\":\"\",\"HostPort\":\"\"}]},"
	"\"Devices\":[{\"PathOnHost\":\"/dev/a\",\"PathInContainer\":\"/dev/b\","
	"\"CgroupPermissions\":\"rw\"}],"
	"\"Ulimits\":[{\"Name\":\"nofile\",\"Hard\":200,\"Soft\":100}]},"
	"\"Sbx\":{\"Name\":\"web\",\"ImageId\":\"sha256:00\",\"Platform\":\"linux/amd64\","
	"\"Timeout\":5000000000,\"KillAfter\":1000000,\"CpuTime\":2000000,\"OutputLimit\":1024,"
	"\"OutputLimitAction\":\"kill\",\"AnyPids\":true,\"Ids\":\"one\",\"BareEnv\":true}}";

static json_t *parsed_json(const char *text)
{
	json_error_t why;

	return json_loads(text, 0, &why);
}

static void test_round_trip(void)
{
	auto_json json_t *in = parsed_json(everything), *out = NULL, *again = NULL;
	auto_spec struct spec s, t;
	struct err e = {0};

	spec_init(&s);
	spec_init(&t);
	ok(in, "the sample is JSON");
	is_int(spec_from_json(&s, in, &e), 0, "a spec with every field is read");
	out = spec_to_json(&s);
	if (!ok(json_equal(in, out), "what is written equals what was read, field for field")) {
		auto_free char *text = json_dumps(out, JSON_INDENT(1));

		fprintf(stderr, "%s\n%s\n", e.text, text);
	}
	is_int(spec_from_json(&t, out, &e), 0, "and is read again");
	again = spec_to_json(&t);
	ok(json_equal(out, again), "with the same meaning");
	is_int(s.mounts[0].read_only, true, "a bind's mode words have their effect");
	is_str(s.mounts[0].why, "--volume /src:/dst:ro,z", "a mount knows whose wish it is");
	is_int((int)s.mounts[1].kind, MOUNT_VOLUME, "a bind of a name is a volume");
	is_str(s.ports.v[2], "[::1]::80/tcp", "an IPv6 address gets its brackets");
	ok(s.entrypoint.set && s.entrypoint.n == 0, "an empty entrypoint is not an unset one");
}

/* null and [] are two things for inspect */
static void test_empty_lists(void)
{
	auto_json json_t *in = parsed_json("{\"HostConfig\":{\"Binds\":[],\"Devices\":[],\"Ulimits\":[],"
					   "\"PortBindings\":{},\"Dns\":[],\"DeviceRequests\":[]}}"),
			 *out = NULL;
	auto_spec struct spec s;
	struct err e;

	spec_init(&s);
	is_int(spec_from_json(&s, in, &e), 0, "empty lists are read");
	out = spec_to_json(&s);
	(void)json_object_update_recursive(in, out); /* memory */
	ok(json_equal(in, out), "and are written, each of them");
}

static void test_unset(void)
{
	auto_spec struct spec s, t;
	auto_json json_t *out = NULL, *zero = parsed_json("{\"StopTimeout\":null,\"Cmd\":\"ls -l\"}");
	struct err e;

	spec_init(&s);
	spec_init(&t);
	out = spec_to_json(&s);
	ok(!json_object_get(out, "Env") && !json_object_get(out, "Hostname") &&
			!json_object_get(json_object_get(out, "HostConfig"), "Memory"),
		"what is not set is not written");
	is_int(spec_from_json(&t, out, &e), 0, "an empty spec is read");
	ok(t.memory == SPEC_UNSET && !t.env.set && !t.user, "and nothing of it is set");
	is_int(spec_from_json(&t, zero, &e), 0, "null and a lone string are read");
	ok(t.stop_timeout == SPEC_UNSET, "null is unset");
	ok(t.cmd.n == 1 && strcmp(t.cmd.v[0], "ls -l") == 0, "a string is a command of one word");
}

static void test_refused(void)
{
	static const char *const bad[] = {"[]", "{\"Env\":{}}", "{\"Env\":[1]}", "{\"User\":1}",
		"{\"Tty\":\"yes\"}", "{\"StopTimeout\":1.5}", "{\"Labels\":[]}", "{\"Labels\":{\"a\":1}}",
		"{\"HostConfig\":{\"Memory\":\"1g\"}}", "{\"HostConfig\":{\"Binds\":\"/a:/b\"}}",
		"{\"HostConfig\":{\"Binds\":[\"a:b:c:d\"]}}", "{\"HostConfig\":{\"Mounts\":[1]}}",
		"{\"HostConfig\":{\"Mounts\":[{\"Type\":\"x\",\"Target\":\"/x\"}]}}",
		"{\"HostConfig\":{\"Mounts\":[{\"Type\":\"bind\"}]}}",
		"{\"HostConfig\":{\"PortBindings\":[]}}",
		"{\"HostConfig\":{\"PortBindings\":{\"80\":1}}}", "{\"HostConfig\":{\"Ulimits\":[{}]}}",
		"{\"HostConfig\":{\"Devices\":[{}]}}", "{\"HostConfig\":{\"Tmpfs\":{\"/x\":1}}}"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		auto_json json_t *j = parsed_json(bad[i]);
		auto_spec struct spec s;
		struct err e = {0};
		char sentence[120];

		spec_init(&s);
		(void)snprintf(sentence, sizeof(sentence), "refused: %s", bad[i]);
		ok(j && spec_from_json(&s, j, &e) < 0 && e.kind == ERR_USAGE && *e.text, sentence);
	}
}

static void image_like(struct image_config *c)
{
	*c = (struct image_config){0};
	strv_add(&c->env, "PATH=/bin");
	strv_add(&c->env, "LANG=C");
	strv_add(&c->cmd, "serve");
	strv_add(&c->entrypoint, "/init");
	strv_add(&c->labels, "a=1");
	strv_add(&c->labels, "b=1");
	strv_add(&c->volumes, "/var/lib/x");
	c->workdir = xstrdup("/srv");
	c->user = xstrdup("app");
	c->stop_signal = xstrdup("SIGQUIT");
	c->health = parsed_json("{\"Test\":[\"CMD\",\"ok\"],\"Interval\":5000000000,\"Retries\":2}");
}

static void image_like_done(struct image_config *c)
{
	strv_done(&c->env);
	strv_done(&c->cmd);
	strv_done(&c->entrypoint);
	strv_done(&c->labels);
	strv_done(&c->volumes);
	free(c->workdir);
	free(c->user);
	free(c->stop_signal);
	json_decref(c->health);
}

/* An image that says nothing itself, or one empty word. */
static void test_apply_to_little(void)
{
	struct image_config none = {0};
	struct spec s;

	spec_init(&s);
	s.env.set = s.cmd.set = true;
	strv_add(&s.entrypoint, "sh");
	spec_apply_image(&s, &none);
	ok(!s.env.set && s.cmd.set && !s.cmd.n, "no variables are null, no words of a command a list");
	spec_done(&s);

	spec_init(&s);
	strv_add(&s.cmd, "ls");
	strv_add(&none.entrypoint, "");
	spec_apply_image(&s, &none);
	ok(!s.entrypoint.set && !s.entrypoint.n, "nor is an empty word of an image's an entrypoint");
	spec_done(&s);
	strv_done(&none.entrypoint);
}

static void test_apply(void)
{
	struct image_config c;
	struct spec s;

	image_like(&c);
	spec_init(&s);
	strv_add(&s.env, "LANG=de");
	strv_add(&s.env, "X=1");
	strv_add(&s.labels, "b=2");
	s.health.retries = 9;
	spec_apply_image(&s, &c);
	is_str(s.entrypoint.v[0], "/init", "the image's entrypoint, where the user gave none");
	is_str(s.cmd.v[0], "serve", "and its command");
	ok(s.env.n == 3 && strcmp(s.env.v[0], "LANG=de") == 0 && strcmp(s.env.v[1], "X=1") == 0 &&
			strcmp(s.env.v[2], "PATH=/bin") == 0,
		"the user's variables stand before the image's, in the place of those of the same name");
	is_str(strv_env(&s.labels, "b"), "b=2", "and so do labels");
	is_str(s.workdir, "/srv", "the image's directory");
	is_str(s.user, "app", "the image's user");
	is_str(s.stop_signal, "SIGQUIT", "the image's stop signal");
	ok(s.volumes.n == 1, "the image's volumes");
	ok(s.health.retries == 9 && s.health.interval_ns == 5000000000 && s.health.test.n == 2,
		"health: the user's numbers, the image's test");
	spec_done(&s);

	spec_init(&s);
	strv_add(&s.cmd, "ls");
	spec_apply_image(&s, &c);
	ok(s.entrypoint.n == 1 && s.cmd.n == 1 && strcmp(s.cmd.v[0], "ls") == 0,
		"a command keeps the entrypoint");
	spec_done(&s);

	spec_init(&s);
	strv_add(&s.entrypoint, "sh");
	spec_apply_image(&s, &c);
	ok(s.entrypoint.n == 1 && s.cmd.n == 0, "an entrypoint makes the image's command void");
	spec_done(&s);

	spec_init(&s);
	strv_add(&s.entrypoint, "");
	strv_add(&s.cmd, "ls");
	spec_apply_image(&s, &c);
	ok(!s.entrypoint.set && s.entrypoint.n == 0 && s.cmd.n == 1, "an empty entrypoint is none at all");
	spec_done(&s);

	spec_init(&s);
	strv_add(&s.entrypoint, "");
	spec_apply_image(&s, &c);
	ok(!s.entrypoint.n && !s.cmd.n, "and makes the image's command void");
	spec_done(&s);

	spec_init(&s);
	s.entrypoint.set = s.cmd.set = s.env.set = true;
	spec_apply_image(&s, &c);
	ok(s.entrypoint.set && !s.entrypoint.n && s.cmd.n == 1,
		"a list of no entrypoint keeps the image's command");
	ok(s.env.n == 2, "a list of no variables is the image's");
	spec_done(&s);
	test_apply_to_little();
	image_like_done(&c);
}

/* One wish as JSON, and what docker says to it; NULL: it is fine. */
static const struct {
	const char *json, *words;
} checks[] = {
	{"{\"Cmd\":[\"x\"]}", NULL},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"CapAdd\":[\"sys_ptrace\",\"all\"]}}", NULL},
	{"{}", "no command specified"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"Memory\":1048576}}", "Minimum memory limit allowed is 6MB"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"Memory\":0,\"MemorySwap\":0}}", NULL},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"Memory\":67108864,\"MemorySwap\":33554432}}",
		"Minimum memoryswap limit should be larger than memory limit, see usage"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"Memory\":67108864,\"MemorySwap\":-1}}", NULL},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"MemorySwap\":33554432}}",
		"You should always set the Memory limit when using Memoryswap limit, see usage"},
	{"{\"Cmd\":[\"x\"],\"WorkingDir\":\"rel\"}",
		"the working directory 'rel' is invalid, it needs to be an absolute path"},
	{"{\"Cmd\":[\"x\"],\"StopSignal\":\"bogus\"}", "Invalid signal: bogus"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"RestartPolicy\":{\"Name\":\"bogus\"}}}",
		"invalid restart policy 'bogus'"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"RestartPolicy\":{\"Name\":\"\",\"MaximumRetryCount\":0}}}",
		NULL},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"AutoRemove\":true,\"RestartPolicy\":{\"Name\":\"always\"}}}",
		"can't create 'AutoRemove' container with restart policy"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"Binds\":[\"/a:/x:bogus\"]}}", "invalid mode: bogus"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"Binds\":[\"/a:/\"]}}",
		"invalid volume specification: '/a:/': invalid mount config for type \"bind\": invalid "
		"specification: destination can't be '/'"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"Binds\":[\"/a:/x\",\"/b:/x/\"]}}", "Duplicate mount point: /x"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"CapAdd\":[\"bogus\"]}}",
		"invalid CapAdd: unknown capability: \"CAP_BOGUS\""},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"SecurityOpt\":[\"bogus=1\"]}}",
		"invalid --security-opt 2: \"bogus=1\""},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"Runtime\":\"runsc\"}}",
		"unknown or invalid runtime name: runsc"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"NetworkMode\":\"container:y\"},\"Hostname\":\"h\"}",
		"conflicting options: hostname and the network mode"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"NanoCpus\":1,\"CpuQuota\":5000}}",
		"Conflicting options: Nano CPUs and CPU Quota cannot both be set"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"CpusetCpus\":\"0-x\"}}",
		"Invalid value 0-x for cpuset cpus: invalid format: 0-x"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"Sysctls\":{\"kernel.panic\":\"1\"}}}",
		"sysctl 'kernel.panic=1' is not allowed"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"Sysctls\":{\"net./../x\":\"1\"}}}",
		"sysctl 'net./../x=1' is not allowed"},
	{"{\"Cmd\":[\"x\"],\"Sbx\":{\"Name\":\"a b\"}}",
		"Invalid container name (a b), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed"},
	{"{\"Cmd\":[\"x\"],\"Sbx\":{\"Platform\":\"bogus\"}}",
		"error parsing specified platform: \"bogus\": unknown operating system or architecture: "
		"invalid argument"},
	{"{\"Cmd\":[\"x\"],\"Sbx\":{\"Ids\":\"many\"}}", "--ids many: must be auto, one or range"},
	{"{\"Cmd\":[\"x\"],\"HostConfig\":{\"LogConfig\":{\"Type\":\"foo\"}}}",
		"error looking up logging plugin foo: plugin \"foo\" not found"},
};

static void test_complete(void)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		auto_json json_t *j = parsed_json(checks[i].json);
		auto_spec struct spec s;
		struct err e = {0};
		int r;

		spec_init(&s);
		if (spec_from_json(&s, j, &e) < 0) {
			is_str(e.text, checks[i].words, checks[i].json);
			continue;
		}
		r = spec_check_asked(&s, &e) < 0 || spec_complete(&s, &e) < 0 ||
		                    spec_check_command(&s, &e) < 0 || spec_check_named(&s, &e) < 0
		            ? -1
		            : 0;
		is_str(r < 0 ? e.text : NULL, checks[i].words, checks[i].json);
		if (r == 0 && s.cap_add.n == 2) {
			is_str(s.cap_add.v[0], "sys_ptrace", "capabilities are kept as they were said");
			is_str(s.cap_add.v[1], "all", "and so are all of them");
		}
		if (r == 0 && i == 0) {
			is_int(s.shm_size, 64 << 20, "/dev/shm has 64 MB where nothing was said");
			is_str(s.restart, "no", "no restarts by default");
			is_str(s.log_driver, "json-file", "docker's log driver by default");
		}
	}
}

static void test_platform(void)
{
	static const char *const rows[][3] = {
		{"linux/amd64", "x86_64", NULL},
		{"linux/arm64", "aarch64", NULL},
		{"linux/amd64", "i386", NULL},
		{"linux/arm64", "x86_64",
			"image with reference it was found but its platform (linux/x86_64) does not match the "
			"specified platform (linux/arm64)"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct err e = {0};
		int r = spec_check_platform(rows[i][0], "it", rows[i][1], &e);

		is_str(r < 0 ? e.text : NULL, rows[i][2], rows[i][1]);
	}
}

int main(void)
{
	test_platform();
	test_round_trip();
	test_empty_lists();
	test_unset();
	test_refused();
	test_apply();
	test_complete();
	return done_testing();
}
