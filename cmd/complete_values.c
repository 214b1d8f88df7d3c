/* SPDX-License-Identifier: Apache-2.0 */
/* complete_values: offers values of options. */
#include "complete.h"

#include "caps.h"
#include "parse.h"

#include <string.h>
#include <unistd.h>

static void offer_words(struct offers *o, const char *words)
{
	auto_free char *copy = xstrdup(words);
	char *word;

	for (char *at = copy; (word = strsep(&at, " "));)
		complete_offer(o, word, NULL);
}

static void offer_caps(struct offers *o)
{
	complete_offer(o, "ALL", NULL);
	for (int cap = 0; cap_name(cap); cap++)
		complete_offer(o, cap_name(cap), NULL);
}

static void offer_signals(struct offers *o)
{
	for (size_t i = 0; parse_signal_name(i); i++)
		complete_offer(o, parse_signal_name(i), NULL);
	for (int i = 1; i <= 15; i++) {
		auto_free char *up = xasprintf("RTMIN+%d", i), *down = xasprintf("RTMAX-%d", i);

		complete_offer(o, up, NULL);
		if (i <= 14) /* RTMAX-15 is RTMIN+15 */
			complete_offer(o, down, NULL);
	}
}

static void offer_environment(struct offers *o)
{
	for (char **e = environ; *e; e++) {
		auto_free char *name = xstrndup(*e, strcspn(*e, "="));

		complete_offer(o, name, NULL);
	}
}

static void offer_platforms(struct offers *o)
{
	offer_words(o,
		"linux/386 linux/amd64 linux/arm linux/arm/v5 linux/arm/v6 linux/arm/v7 linux/arm64 "
		"linux/arm64/v8 linux/ppc64le linux/s390x linux/riscv64 windows/amd64 wasip1/wasm");
}

static void offer_networks(struct offers *o)
{
	if (str_starts("container:", o->current) && *o->current)
		complete_offer(o, "container:", NULL);
	else if (str_starts(o->current, "container:"))
		complete_names(o, NAMES_CONTAINERS, "container:", "");
	else
		complete_names(o, NAMES_NETWORKS, "", "");
}

static void offer_ipc(struct offers *o)
{
	if (str_starts(o->current, "container:"))
		complete_names(o, NAMES_CONTAINERS, "container:", "");
	else
		offer_words(o, "container: host none private shareable");
}

static void offer_pid(struct offers *o)
{
	if (str_starts(o->current, "container:"))
		complete_names(o, NAMES_CONTAINERS, "container:", "");
	else
		offer_words(o, "container: host");
}

static void offer_links(struct offers *o)
{
	complete_names(o, NAMES_CONTAINERS, "", ":");
}

static void offer_containers(struct offers *o)
{
	complete_names(o, NAMES_CONTAINERS, "", "");
}

static void offer_contexts(struct offers *o)
{
	complete_names(o, NAMES_CONTEXTS, "", "");
}

static void offer_log_options(struct offers *o)
{
	const char *driver = complete_given(o, "log-driver");

	if (str_eq(driver, "none"))
		return;
	offer_words(o,
		str_eq(driver, "local")
			? "max-buffer-size= mode= compress= max-file= max-size="
			: "max-buffer-size= mode= env= env-regex= labels= compress= max-file= max-size=");
}

static void offer_security(struct offers *o)
{
	if (str_starts(o->current, "label="))
		offer_words(o, "label=disable label=level: label=role: label=type: label=user:");
	else if (str_starts(o->current, "seccomp="))
		offer_words(o, "seccomp=unconfined");
	else
		offer_words(o, "apparmor= label= no-new-privileges seccomp= systempaths=unconfined");
}

static void offer_event_filters(struct offers *o)
{
	static const struct {
		const char *key;
		unsigned kinds;
		const char *words;
	} known[] = {
		{"container=", NAMES_CONTAINERS, NULL},
		{"image=", NAMES_IMAGES, NULL},
		{"network=", NAMES_NETWORKS, NULL},
		{"volume=", NAMES_VOLUMES, NULL},
		{"scope=", 0, "scope=local scope=swarm"},
		{"type=", 0, "type=container type=image type=network type=volume type=daemon type=plugin"},
		{"event=", 0,
			"event=attach event=commit event=connect event=copy event=create event=delete event=destroy "
			"event=detach event=die event=disconnect event=exec_create event=exec_detach event=exec_die "
			"event=exec_start event=export event=health_status event=import event=kill event=load "
			"event=mount event=oom event=pause event=prune event=pull event=rename event=resize "
			"event=restart event=save event=start event=stop event=tag event=top event=unmount "
			"event=unpause event=untag event=update"},
		{"label=", 0, NULL},
		{"daemon=", 0, NULL},
		{"node=", 0, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (!str_starts(o->current, known[i].key))
			continue;
		if (known[i].words)
			offer_words(o, known[i].words);
		complete_names(o, known[i].kinds, known[i].key, "");
		return;
	}
	offer_words(o, "container= daemon= event= image= label= network= node= scope= type= volume=");
}

static void offer_filters(struct offers *o)
{
	if (str_eq(o->command->name, "events"))
		offer_event_filters(o);
}

static void offer_no_words(struct offers *o)
{
	o->how = OFFER_OR_FILES;
}

/* "ctrl-" is only half of a key, so no space may follow. */
static void offer_keys(struct offers *o)
{
	complete_offer(o, "ctrl-", NULL);
	o->open = o->fitting;
}

void complete_values(struct offers *o, const struct opt *row)
{
	static const struct {
		const char *option, *words;
		void (*offer)(struct offers *);
	} known[] = {
		{"attach", "stderr stdin stdout", NULL},
		{"cap-add", NULL, offer_caps},
		{"cap-drop", NULL, offer_caps},
		{"cgroupns", "host private", NULL},
		{"cidfile", NULL, offer_no_words},
		{"context", NULL, offer_contexts},
		{"detach-keys", NULL, offer_keys},
		{"device", NULL, offer_no_words},
		{"env", NULL, offer_environment},
		{"env-file", NULL, offer_no_words},
		{"file", NULL, offer_no_words},
		{"filter", NULL, offer_filters},
		{"ids", "auto one range", NULL},
		{"input", NULL, offer_no_words},
		{"ipc", NULL, offer_ipc},
		{"label-file", NULL, offer_no_words},
		{"link", NULL, offer_links},
		{"log-driver", "json-file local none", NULL},
		{"log-level", "debug info warn error fatal panic", NULL},
		{"log-opt", NULL, offer_log_options},
		{"mount", "type=bind, type=volume, type=tmpfs, type=image,", NULL},
		{"net", NULL, offer_networks},
		{"network", NULL, offer_networks},
		{"output", NULL, offer_no_words},
		{"output-limit-action", "drop kill", NULL},
		{"pid", NULL, offer_pid},
		{"platform", NULL, offer_platforms},
		{"pull", "always missing never", NULL},
		{"redact-pattern", NULL, offer_no_words},
		{"restart", "no always on-failure unless-stopped", NULL},
		{"result", NULL, offer_no_words},
		{"security-opt", NULL, offer_security},
		{"signal", NULL, offer_signals},
		{"stdin", NULL, offer_no_words},
		{"stop-signal", NULL, offer_signals},
		{"storage-opt", "size=", NULL},
		{"type", "container image network volume", NULL},
		{"ulimit",
			"core= cpu= data= fsize= locks= memlock= msgqueue= nice= nofile= nproc= rss= rtprio= rttime= "
			"sigpending= stack=",
			NULL},
		{"userns", "host", NULL},
		{"uts", "host", NULL},
		{"vars", NULL, offer_no_words},
		{"volume", NULL, offer_no_words},
		{"volume-driver", "local", NULL},
		{"volumes-from", NULL, offer_containers},
	};

	o->how = str_eq(row->arg, "file") ? OFFER_OR_FILES : OFFER_ALONE;
	if (str_eq(row->name, "format"))
		offer_words(o, strstr(row->help, "'table'") ? "json table" : "json");
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (!str_eq(known[i].option, row->name))
			continue;
		if (known[i].offer)
			known[i].offer(o);
		else
			offer_words(o, known[i].words);
	}
}
