/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings about members of a request that have no effect here, for the answer; the command line prints the same to stderr. */
#include "api.h"

#include "enforce.h"
#include "log.h"
#include "publish.h"

static void say(struct strv *out, bool asked, const char *field)
{
	if (asked)
		strv_addf(out,
			"%s has no effect here: it needs privileges on the host, or a feature which "
			"containers of this kind lack",
			field);
}

static bool is_set(const char *s)
{
	return s && *s;
}

static bool any(const json_t *list)
{
	return json_array_size(list) > 0;
}

static void endpoints(const struct spec *s, struct strv *out)
{
	static const char *const fields[] = {"Aliases", "IPAMConfig", "Links", "MacAddress", "DriverOpts"};
	bool asked[ARRAY_LEN(fields)] = {0};
	const char *network;
	const json_t *one;

	json_object_foreach(s->endpoints, network, one) for (size_t i = 0; i < ARRAY_LEN(fields); i++)
	{
		const json_t *v = json_object_get(one, fields[i]);

		asked[i] = asked[i] || json_array_size(v) || json_object_size(v) ||
		           is_set(json_string_value(v));
	}
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		say(out, asked[i], fields[i]);
}

json_t *api_warnings(const struct spec *s)
{
	auto_strv struct strv words = {0};

	say(&words, s->blkio_weight != SPEC_UNSET, "BlkioWeight");
	say(&words, any(s->weight_devices), "BlkioWeightDevice");
	say(&words, any(s->read_bps), "BlkioDeviceReadBps");
	say(&words, any(s->write_bps), "BlkioDeviceWriteBps");
	say(&words, any(s->read_iops), "BlkioDeviceReadIOps");
	say(&words, any(s->write_iops), "BlkioDeviceWriteIOps");
	say(&words, is_set(s->cgroup_parent), "CgroupParent");
	say(&words, s->device_cgroup_rules.n > 0, "DeviceCgroupRules");
	say(&words, s->links.n > 0, "Links");
	say(&words, is_set(s->mac_address), "MacAddress");
	say(&words, s->oom_kill_disable, "OomKillDisable");
	say(&words, is_set(s->userns_mode), "UsernsMode");
	endpoints(s, &words);
	if (publish_warning(s))
		strv_add(&words, publish_warning(s));
	if (log_warning(s))
		strv_add(&words, log_warning(s));
	enforce_warnings(s, &words);
	return json_from_strv(&words);
}

void api_update_warnings(const json_t *change, struct strv *out)
{
	static const char *const fields[] = {"BlkioWeight", "BlkioWeightDevice", "BlkioDeviceReadBps",
		"BlkioDeviceWriteBps", "BlkioDeviceReadIOps", "BlkioDeviceWriteIOps", "OomKillDisable"};

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		const json_t *v = json_object_get(change, fields[i]);

		say(out, json_integer_value(v) || json_array_size(v) || json_is_true(v), fields[i]);
	}
}
