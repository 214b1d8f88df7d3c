#include "api.h"
const struct api_route api_archive[] = {{0}};
const struct api_route api_networks[] = {{0}};
const struct api_route api_volumes[] = {{0}};
