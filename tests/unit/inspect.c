/* SPDX-License-Identifier: Apache-2.0 */
/* What inspect tells of a container; expected words are those of docker for the same container. */
#include "inspect.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/stat.h>

static const char spec_text[] =
	"{\"Hostname\":\"h\",\"Env\":[\"A=1\",\"B=2\"],\"Cmd\":[\"-c\",\"sleep 60\"],\"Entrypoint\":[\"sh\"],"
	"\"Image\":\"python:3\",\"Labels\":{\"b\":\"2\",\"a\":\"1\"},\"ExposedPorts\":{\"80/tcp\":{}},"
	"\"Healthcheck\":{\"Test\":[\"CMD\",\"ok\"],\"Interval\":5025000000,\"Retries\":2},"
	"\"HostConfig\":{\"NetworkMode\":\"none\",\"Binds\":[\"/tmp:/x:ro\",\"anon:/y\"],"
	"\"Mounts\":[{\"Type\":\"bind\",\"Source\":\"/m\",\"Target\":\"/n\",\"ReadOnly\":true}],"
	"\"Tmpfs\":{\"/t\":\"\"},\"Memory\":104857600,\"NanoCpus\":1500000000,\"Init\":true,"
	"\"RestartPolicy\":{\"Name\":\"always\"},\"Ulimits\":[{\"Name\":\"nofile\",\"Hard\":6,\"Soft\":5}],"
	"\"PortBindings\":{\"80/tcp\":[{\"HostIp\":\"\",\"HostPort\":\"8080\"}]}},"
	"\"Sbx\":{\"Name\":\"web\",\"Timeout\":5000000000}}";

static json_t *object;

static void is_shown(const char *text, const char *want, const char *sentence)
{
	struct tmpl_data typed = {.json = object, .fields = inspect_fields, .exact = true};
	auto_buf struct buf out = {0};
	struct err e;
	auto_tmpl struct tmpl *t = tmpl_parse(text, &e);

	buf_puts(&out, "");
	is_str(t && tmpl_exec(t, &typed, &out, &e) == 0 ? out.s : e.text, want, sentence);
}

static void is_keys(const char *path, const char *want, const char *sentence)
{
	auto_buf struct buf b = {0};
	const char *key;
	json_t *v;

	json_object_foreach(*path ? json_object_get(object, path) : object, key, v)
		buf_printf(&b, "%s%s", b.len ? " " : "", key);
	is_str(b.s, want, sentence);
}

static void orders(void)
{
	is_keys("",
		"Id Created Path Args State Image ResolvConfPath HostnamePath HostsPath LogPath Name "
		"RestartCount Driver Platform MountLabel ProcessLabel AppArmorProfile ExecIDs HostConfig "
		"GraphDriver SizeRw SizeRootFs Mounts Config NetworkSettings Sbx",
		"docker's fields in docker's order, ours behind them");
	is_keys("State",
		"Status Running Paused Restarting OOMKilled Dead Pid ExitCode Error StartedAt FinishedAt",
		"State");
	is_keys("Config",
		"Hostname Domainname User AttachStdin AttachStdout AttachStderr ExposedPorts Tty OpenStdin StdinOnce Env "
		"Cmd Healthcheck Image Volumes WorkingDir Entrypoint OnBuild Labels",
		"Config");
}

static void values(const struct store *s)
{
	auto_free char *volume =
		xasprintf("volume %s/volumes/anon/_data /y anon local true\n", s->root_path);
	auto_free char *mounts = xasprintf("bind /tmp /x   false\n%sbind /m /n   false\n", volume);

	is_shown("{{.HostConfig.Ulimits}} {{json .HostConfig.Ulimits}}",
		"[nofile=5:6] [{\"Name\":\"nofile\",\"Hard\":6,\"Soft\":5}]",
		"a ulimit has a text of its own");
	is_shown("{{.Config.Healthcheck}} {{.Config.Healthcheck.Timeout}} {{json .Config.Healthcheck.Interval}}",
		"{[CMD ok] 5.025s 0s 0s 0s 2} 0s 5025000000",
		"so has a duration; what was not said is 0");
	is_shown("{{index .HostConfig.Mounts 0}}", "{bind /m /n true  <nil> <nil> <nil> <nil> <nil>}",
		"all members of a wish for a mount");
	is_shown("{{index .Mounts 0}}", "{bind  /tmp /x  ro false rprivate}", "and of a mount");
	is_shown("{{.Id}}",
		"template: :1:2: executing \"\" at <.Id>: can't evaluate field Id in type struct",
		"a struct's members have Go's names");
	is_shown("{{.Name}} {{.Path}} {{.Args}} {{json .Args}}",
		"/web sh [-c sleep 60] [\"-c\",\"sleep 60\"]", "name and command");
	is_shown("{{.State.Status}} {{.State.Running}} {{.State.Pid}} {{.State.ExitCode}} [{{.State.Error}}] "
		 "{{.State.StartedAt}}",
		"created false 0 0 [] 0001-01-01T00:00:00Z", "the state of a created container");
	is_shown("{{if .State.Health}}x{{else}}none{{end}}", "none", "no health check");
	is_shown("{{.HostConfig.Memory}} {{.HostConfig.NanoCPUs}} {{.HostConfig.Init}} "
		 "{{json .HostConfig.Tmpfs}} {{.HostConfig.ShmSize}}",
		"104857600 1500000000 true {\"/t\":\"\"} 67108864", "what was asked for");
	is_shown("{{.HostConfig.RestartPolicy.Name}} {{.HostConfig.RestartPolicy.MaximumRetryCount}} "
		 "{{.HostConfig.LogConfig.Type}} {{.HostConfig.IpcMode}} {{.HostConfig.PidsLimit}}",
		"always 0 json-file private <nil>", "docker's defaults where nothing was asked for");
	is_shown("{{range .HostConfig.Ulimits}}{{.Name}} {{.Soft}} {{.Hard}}{{end}}", "nofile 5 6",
		"ulimits");
	is_shown("{{.HostConfig.CapAdd}} {{.HostConfig.DNS}} {{.HostConfig.Sysctls}}", "[] [] map[]",
		"null is an empty list, and a member which docker leaves out an empty map");
	is_shown("{{range $port, $to := .HostConfig.PortBindings}}{{$port}} {{(index $to 0).HostPort}}{{end}}",
		"80/tcp 8080", "port bindings");
	is_shown("{{json .NetworkSettings.Ports}} {{range $k, $v := .NetworkSettings.Networks}}{{$k}}{{end}}",
		"{} none", "no network, no ports");
	is_shown("{{index .Config.Labels \"a\"}}{{index .Config.Labels \"nosuch\"}} {{.Config.Labels}}",
		"1 map[a:1 b:2]", "labels");
	is_shown("{{range .Config.Env}}{{println .}}{{end}}", "A=1\nB=2\n", "the environment");
	is_shown("{{.GraphDriver.Name}} {{len .HostConfig.MaskedPaths | lt 5}}", "overlay2 true",
		"the driver, hidden paths");
	is_shown("{{range .Mounts}}{{.Type}} {{.Source}} {{.Destination}} {{if eq .Type \"volume\"}}"
		 "{{.Name}} {{.Driver}}{{else}} {{end}} {{.RW}}\n{{end}}",
		mounts, "mounts of -v and --mount");
	is_shown("{{.SizeRw}}", "5", "bytes of its own");
	is_shown("{{.Sbx.Timeout}} {{.Sbx.TimedOut}}", "5000000000 false", "what is ours");
}

int main(void)
{
	char top[] = "/tmp/sbx-unit-XXXXXX";
	auto_json json_t *spec = json_loads(spec_text, 0, NULL);
	auto_state struct state st = {.status = ST_CREATED};
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_free char *root = NULL, *runtime = NULL;
	struct err e;
	int dir = -1, fd;

	if (!mkdtemp(top))
		return 1;
	root = xasprintf("%s/root", top);
	runtime = xasprintf("%s/run", top);
	(void)setenv("SBX_ROOT", root, 1);
	(void)setenv("SBX_RUNTIME", runtime, 1);
	st.name = xstrdup("web");
	st.image = xstrdup("python:3");
	st.network = xstrdup("none");
	if (!ok(store_open(&s, &e) == 0 && state_create(&s, &st, spec, NULL, &dir, &e) == 0, "a container"))
		return 1;
	(void)mkdirat(dir, "upper", 0700); /* there already when the store makes it */
	fd = openat(dir, "upper/f", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	ok(fd >= 0 && write(fd, "12345", 5) == 5, "a file in its own layer");
	close(fd);
	close(dir);
	object = container_inspect(&s, st.id, true, &e);
	if (!ok(object, "is inspected"))
		return 1;
	orders();
	values(&s);
	json_decref(object);
	(void)state_remove_tree(AT_FDCWD, top, &e); /* what stays lies in /tmp */
	return done_testing();
}
