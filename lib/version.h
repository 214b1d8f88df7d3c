/* SPDX-License-Identifier: Apache-2.0 */
/* version: version numbers. */
#pragma once

#define DOCKER_VERSION "28.2.2" /* the docker client that sbx follows in options and messages */
#ifndef SBX_VERSION
#define SBX_VERSION "0.1"
#endif
#define API_VERSION     "1.50" /* of docker's Engine API: the newest and the oldest that is spoken */
#define API_VERSION_MIN "1.24"
