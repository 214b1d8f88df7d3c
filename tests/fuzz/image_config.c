/* SPDX-License-Identifier: Apache-2.0 */
/* An image's config, an instruction and a config which change it: config 0xff line 0xff config. */
#include "change.h"
#include "fuzz.h"
#include "image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = fuzz_next(&data, &size), *line = fuzz_next(&data, &size),
		       *other = fuzz_next(&data, &size);
	auto_json json_t *config = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *again = NULL,
			 *over = json_loads(other, JSON_REJECT_DUPLICATES, NULL);
	auto_image_config struct image_config c = {0};
	auto_strv struct strv changes = {0};
	struct err e = {0};

	strv_add(&changes, line);
	if (json_is_object(config))
		(void)change_config(config, &changes, &e);
	if (json_is_object(config) && json_is_object(over))
		(void)change_merge(config, over, &e);
	if (image_config_parse(config, &c, &e) == 0) {
		again = image_config_json(&c);
		image_config_compact(again);
	}
	return 0;
}
