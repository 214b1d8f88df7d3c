/* SPDX-License-Identifier: Apache-2.0 */
#include "passwd.h"

#include "auto.h"
#include "str.h"

#include <string.h>

/* The rules are docker's, with two exceptions for safety: a row with an invalid number is ignored (docker takes the
 * number for 0, so that "app:x:oops:1" is root), and everything behind the first colon of -u is the group. */

#define ID_MAX 2147483647u /* docker's; the kernel could do 4294967294 */

struct span {
	const char *s;
	size_t n;
};

static bool span_is(struct span a, const char *s)
{
	return strlen(s) == a.n && memcmp(a.s, s, a.n) == 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* The next line which is neither blank nor a comment, without blanks around it (and so
 * without CR). */
static bool next_line(const char **at, struct span *out)
{
	while (**at) {
		const char *s = *at, *end = strchrnul(s, '\n');

		*at = *end ? end + 1 : end;
		while (s < end && is_blank(*s))
			s++;
		while (end > s && is_blank(end[-1]))
			end--;
		if (s == end || *s == '#')
			continue;
		*out = (struct span){s, (size_t)(end - s)};
		return true;
	}
	return false;
}

static bool next_field(struct span *rest, char separator, struct span *out)
{
	const char *end;

	if (!rest->s)
		return false;
	end = memchr(rest->s, separator, rest->n);
	if (!end) {
		*out = *rest;
		*rest = (struct span){0};
		return true;
	}
	*out = (struct span){rest->s, (size_t)(end - rest->s)};
	*rest = (struct span){end + 1, rest->n - out->n - 1};
	return true;
}

/* Digits only. Too large a number is one all the same: UINT32_MAX, which no check of
 * range lets pass. */
static bool read_id(struct span word, uint32_t *out)
{
	uint64_t id = 0;

	if (word.n == 0)
		return false;
	for (size_t i = 0; i < word.n; i++) {
		if (word.s[i] < '0' || word.s[i] > '9')
			return false;
		id = id * 10 + (uint64_t)(word.s[i] - '0');
		if (id > UINT32_MAX)
			id = UINT32_MAX;
	}
	*out = (uint32_t)id;
	return true;
}

struct user_row {
	struct span name, home;
	uint32_t uid, gid;
};

static bool next_user(const char **at, struct user_row *out)
{
	struct span line, password, uid, gid, comment;

	while (next_line(at, &line)) {
		struct user_row row = {0};

		if (!next_field(&line, ':', &row.name) || !next_field(&line, ':', &password) ||
			!next_field(&line, ':', &uid) || !next_field(&line, ':', &gid) ||
			!read_id(uid, &row.uid) || !read_id(gid, &row.gid))
			continue;
		if (next_field(&line, ':', &comment))
			(void)next_field(&line, ':', &row.home); /* a row may end before it */
		*out = row;
		return true;
	}
	return false;
}

struct group_row {
	struct span name, members;
	uint32_t gid;
};

static bool next_group(const char **at, struct group_row *out)
{
	struct span line, password, gid;

	while (next_line(at, &line)) {
		struct group_row row = {0};

		if (!next_field(&line, ':', &row.name) || !next_field(&line, ':', &password) ||
			!next_field(&line, ':', &gid) || !read_id(gid, &row.gid))
			continue;
		(void)next_field(&line, ':', &row.members); /* a row may end before it */
		*out = row;
		return true;
	}
	return false;
}

static bool has_member(const struct group_row *row, struct span name)
{
	struct span rest = row->members, member;

	while (next_field(&rest, ',', &member))
		if (member.n == name.n && memcmp(member.s, name.s, name.n) == 0)
			return true;
	return false;
}

/* A word of the command line: a number, wherever it is one, else a name. */
struct who {
	const char *name;
	bool given, numeric;
	uint32_t id;
};

static int out_of_range(struct err *e)
{
	return err_set(e, ERR_USAGE, "uids and gids must be in range 0-%u", ID_MAX);
}

static int read_who(const char *word, struct who *out, struct err *e)
{
	bool negative = word[0] == '-';
	const char *digits = word + (word[0] == '-' || word[0] == '+');
	struct who w = {.name = word, .given = *word != '\0'};

	w.numeric = read_id((struct span){digits, strlen(digits)}, &w.id);
	if (w.numeric && (w.id > ID_MAX || (negative && w.id != 0)))
		return out_of_range(e);
	*out = w;
	return 0;
}

static bool who_is(const struct who *w, struct span name, uint32_t id)
{
	return w->numeric ? w->id == id : span_is(name, w->name);
}

static int add_group(struct identity *out, uint32_t gid, struct err *e)
{
	if (gid > ID_MAX)
		return out_of_range(e);
	for (size_t i = 0; i < out->n_groups; i++)
		if (out->groups[i] == gid)
			return 0;
	if (out->n_groups == GROUPS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "a user can be in %d groups at most", GROUPS_MAX);
	out->groups[out->n_groups++] = gid;
	return 0;
}

/* The first row of the user decides, whatever comes after it. */
static int find_user(const struct who *user, const char *passwd, struct user_row *row, bool *found,
	struct err *e)
{
	const struct who root = {.given = true, .numeric = true};
	const struct who *w = user->given ? user : &root;

	while (next_user(&passwd, row)) {
		if (!who_is(w, row->name, row->uid))
			continue;
		*found = true;
		return row->uid > ID_MAX || row->gid > ID_MAX ? out_of_range(e) : 0;
	}
	*found = false;
	*row = (struct user_row){.uid = w->id};
	if (!w->numeric)
		return err_set(e, ERR_USAGE,
			"unable to find user %.256s: no matching entries in passwd file", w->name);
	return 0;
}

static int find_gid(const struct who *w, const char *group, gid_t *out, struct err *e)
{
	struct group_row row;

	while (next_group(&group, &row)) {
		if (!who_is(w, row.name, row.gid))
			continue;
		if (row.gid > ID_MAX)
			return out_of_range(e);
		*out = row.gid;
		return 0;
	}
	if (!w->numeric)
		return err_set(e, ERR_USAGE,
			"unable to find group %.256s: no matching entries in group file", w->name);
	*out = w->id;
	return 0;
}

/* That of the first row with this uid: docker looks it up by number, not by the name that led to it. */
void identity_home(struct identity *who, const char *passwd)
{
	struct user_row row;

	memcpy(who->home, "/", 2);
	while (passwd && next_user(&passwd, &row)) {
		if (row.uid != who->uid)
			continue;
		if (row.home.n > 0 && row.home.n < sizeof(who->home)) {
			memcpy(who->home, row.home.s, row.home.n);
			who->home[row.home.n] = '\0';
		}
		return;
	}
}

static int add_memberships(struct span name, const char *group, struct identity *out, struct err *e)
{
	struct group_row row;

	while (next_group(&group, &row))
		if (has_member(&row, name) && add_group(out, row.gid, e) < 0)
			return -1;
	return 0;
}

/* The first row counts whose name or whose number, as it is written, equals the word: a group may be called 77. */
static int add_wanted(const char *word, const char *group, struct identity *out, struct err *e)
{
	struct group_row row;
	struct who w;

	while (next_group(&group, &row)) {
		char number[16];

		(void)snprintf(number, sizeof(number), "%u", row.gid);
		if (span_is(row.name, word) || str_eq(number, word))
			return add_group(out, row.gid, e);
	}
	if (read_who(word, &w, e) < 0)
		return -1;
	if (!w.numeric)
		return err_set(e, ERR_USAGE,
			"Unable to find group %.256s: no matching entries in group file", word);
	return add_group(out, w.id, e);
}

int identity_find(const char *user, const char *const *add, size_t n_add, const char *passwd,
	const char *group, struct identity *out, struct err *e)
{
	const char *colon = strchrnul(user, ':');
	auto_free char *name = xstrndup(user, (size_t)(colon - user));
	struct identity id = {0};
	struct user_row row;
	/* what follows a third colon is passed over */
	auto_free char *primary = *colon ? xstrndup(colon + 1, strcspn(colon + 1, ":")) : xstrdup("");
	struct who u, g;
	bool found;

	passwd = passwd ? passwd : "";
	group = group ? group : "";
	if (read_who(name, &u, e) < 0 || read_who(primary, &g, e) < 0)
		return -1;
	if (find_user(&u, passwd, &row, &found, e) < 0)
		return -1;
	id.uid = row.uid;
	id.gid = row.gid;
	if (g.given && find_gid(&g, group, &id.gid, e) < 0)
		return -1;
	/* The primary group is in the list too, so that a file's "all but this group"
	 * cannot be evaded. */
	if (add_group(&id, id.gid, e) < 0)
		return -1;
	if (found && !g.given && add_memberships(row.name, group, &id, e) < 0)
		return -1;
	for (size_t i = 0; i < n_add; i++)
		if (add_wanted(add[i], group, &id, e) < 0)
			return -1;
	identity_home(&id, passwd);
	*out = id;
	return 0;
}
