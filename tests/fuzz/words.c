/* SPDX-License-Identifier: Apache-2.0 */
/* Every word that stands behind an option, given to all of their parsers at once. */
#include "fuzz.h"
#include "parse.h"
#include "ref.h"
#include "stamp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *s = fuzz_text(data, size), *ip = NULL, *os = NULL, *arch = NULL,
		       *variant = NULL, *device = NULL, *policy = NULL, *proto = NULL;
	auto_network_word struct network_word network = {0};
	auto_strv struct strv list = {0}, more = {0};
	auto_spec struct spec spec = {0};
	struct spec_ulimit ulimit = {0};
	struct timespec moment = {0};
	auto_free char *text2 = NULL;
	auto_ref struct ref ref = {0};
	unsigned char keys[16];
	auto_json json_t *objects = NULL;
	struct err e = {0};
	int64_t n, first, last;
	size_t n_keys;
	bool yes;

	spec_init(&spec);
	(void)parse_bool(s, &yes, &e);
	(void)parse_int(s, &n, &e);
	(void)parse_uint(s, 65535, &n, &e);
	(void)parse_bytes(s, &n, &e);
	(void)parse_duration(s, true, &n, &e);
	(void)parse_nano_cpus(s, &n, &e);
	(void)parse_signal(s);
	(void)parse_env(s, &e);
	(void)parse_label(s, &e);
	(void)parse_env_file("file", s, strlen(s), &list, &e);
	(void)parse_volume(&spec, s, "/cwd", &e);
	(void)parse_mount(&spec, s, "/cwd", &e);
	(void)parse_tmpfs(&spec, s, &e);
	(void)parse_mounts_asked(&spec, &e);
	(void)parse_mounts_check(&spec, &e);
	(void)parse_csv(s, &list, &e);
	(void)parse_publish(s, &list, &more, &e);
	(void)parse_expose(s, &more, &e);
	(void)parse_port_filter(s, &first, &last, &proto, &e);
	(void)parse_add_host(s, &list, &e);
	(void)parse_ip(s, &ip, &e);
	(void)parse_dns_search(s, &list, &e);
	(void)parse_network(s, &network, &e);
	(void)parse_hostname_ok(s);
	(void)parse_mac_ok(s);
	(void)parse_ulimit(s, &ulimit, &e);
	(void)parse_restart(s, &policy, &n, &e);
	(void)parse_pid_mode(s, &e);
	(void)parse_uts_mode(s, &e);
	(void)parse_userns_mode(s, &e);
	(void)parse_cgroupns_mode(s, &e);
	(void)parse_ipc_mode(s, &e);
	(void)parse_is_cdi(s);
	(void)parse_device(s, &device, &e);
	(void)parse_device_rule(s, &e);
	(void)parse_sysctl(s, &e);
	(void)parse_security_opt(s, &e);
	(void)parse_gpus(s, &objects, &e);
	(void)parse_throttle(s, true, &objects, &e);
	(void)parse_weight_device(s, &objects, &e);
	(void)parse_platform(s, &os, &arch, &variant, &e);
	(void)parse_detach_keys(s, keys, &n_keys, sizeof(keys), &e);
	free(parse_clean_path(s));
	free(ref_familiar(s, &e));
	if (ref_parse(s, &ref, &e) == 0) {
		auto_free char *full = ref_full(&ref);
		auto_ref struct ref again = {0};

		/* The whole spelling of a reference is one, too, and means the same. */
		assert(ref_parse(full, &again, &e) == 0);
		text2 = ref_full(&again);
		assert(strcmp(full, text2) == 0);
	}
	(void)stamp_parse(s, &moment, &moment, &e);
	return 0;
}
