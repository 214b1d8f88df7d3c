/* SPDX-License-Identifier: Apache-2.0 */
#include "endpoint.h"

#include "auto.h"
#include "tap.h"

static void gives(const char *word, const char *want)
{
	auto_free char *host = NULL;
	struct err e = {0};

	(void)endpoint_parse(word, &host, &e);
	is_str(host ? host : e.text, want, want);
}

static void usable(const char *host, const char *want)
{
	struct err e = {0};

	is_str(endpoint_usable(host, &e) == 0 ? "" : e.text, want, host);
}

int main(void)
{
	gives("", "unix:///var/run/docker.sock");
	gives(" \t", "unix:///var/run/docker.sock");
	gives("unix://", "unix:///var/run/docker.sock");
	gives(" unix:///x\n", "unix:///x");
	gives("a", "tcp://a:2375");
	gives(":1", "tcp://localhost:1");
	gives("a:", "tcp://a:2375");
	gives("tcp://a:1/p?q#f", "tcp://a:1/p");
	gives("1:2:3", "tcp://[1:2:3]:2375");
	gives("[::1]:", "tcp://[::1]:2375");
	gives("[::1]", "invalid bind address format: [::1]");
	gives("u@a:1", "tcp://a:1");
	gives("a:b", "parse \"tcp://a:b\": invalid port \":b\" after host");
	gives("a b", "parse \"tcp://a b\": invalid character \" \" in host name");
	gives("[a", "parse \"tcp://[a\": missing ']' in host");
	gives("a%", "parse \"tcp://a%\": invalid URL escape \"%\"");
	gives("a\x01", "parse \"tcp://a\\x01\": net/url: invalid control character in URL");
	gives("unix://x://y", "invalid unix address: x://y");
	gives("foo://", "invalid bind address format: foo://");
	gives("ssh://h", "ssh://h");
	usable("ssh://h/path", "");
	usable("ssh://h?a#b", "ssh host connection is not valid: invalid SSH URL: query parameters are not "
			      "allowed: \"a\"");
	usable("ssh://u:p@h", "ssh host connection is not valid: invalid SSH URL: plain-text password is not "
			      "supported");
	usable("fd://", "unable to parse docker host `fd://`");
	usable("fd://x", "");
	usable("npipe:////./pipe/x", "protocol not available");
	return done_testing();
}
