load lib

man=$BATS_TEST_DIRNAME/../../man

setup() {
	[ -d "$man" ] || skip "the pages are not beside the tests"
	cd "$BATS_TEST_TMPDIR" || return
	sbx __options >rows
	[ -s rows ]
}

# page COMMAND: its man page: sbx-inspect.1 for "container inspect", sbx-volume-ls.1 for "volume ls", sbx.1
# for no command
page() {
	local words=$1
	[ -e "$man/sbx-${words// /-}.1" ] || words=${words#container }
	[ -e "$man/sbx-${words// /-}.1" ] || words=${words#image }
	echo "$man/sbx${words:+-${words// /-}}.1"
}

@test "every command has a page" {
	cut -f 1 rows | sort -u | while read -r command; do
		[ -e "$(page "$command")" ] || { echo "no page: $command"; exit 1; }
	done
	for command in run create start exec stop kill restart rm ps logs wait inspect images import rmi tag version info; do
		[ -e "$(page "$command")" ]
	done
}

@test "every option has its entry, with its letter and with a value if it takes one" {
	python3 - "$man" <<-'PY'
		import os, re, sys
		missing = []
		def entries(path):
		    text = open(path).read()
		    other = re.search(r'^\.\\" options: (\S+)$', text, re.M)
		    items = re.findall(r"^\.It ((?:Fl \S+ , )?Fl -.*)$", text, re.M)
		    return items + (entries(os.path.join(sys.argv[1], other[1])) if other else [])
		for row in open("rows"):
		    command, letter, name, arg, flags, _ = row.rstrip("\n").split("\t")
		    if "hidden" in flags.split(",") or name == "help":
		        continue
		    path = os.path.join(sys.argv[1], "sbx-%s.1" % command.replace(" ", "-"))
		    if not os.path.exists(path):
		        word = re.sub("^(container|image) ", "", command).replace(" ", "-")
		        path = os.path.join(sys.argv[1], "sbx%s.1" % ("-" + word if word else ""))
		    want = ("Fl %s , " % letter if letter else "") + "Fl -" + name
		    found = [i for i in entries(path) if i == want or i.startswith(want + " Ar ")] if os.path.exists(path) else []
		    if not found or ((" Ar " in found[0]) != bool(arg)):
		        missing.append("%s: .It %s%s" % (os.path.basename(path), want, " Ar ..." if arg else ""))
		print("\n".join(missing))
		sys.exit(bool(missing))
	PY
}

@test "no page describes an option which is not there" {
	python3 - "$man" <<-'PY'
		import glob, os, re, sys
		rows = [r.rstrip("\n").split("\t") for r in open("rows")]
		commands = {r[0] for r in rows}
		wrong = []
		for path in glob.glob(sys.argv[1] + "/sbx*.1"):
		    word = os.path.basename(path)[3:-2].lstrip("-")
		    have = {r[2] for r in rows if word in (r[0].replace(" ", "-"),
		            re.sub("^(container|image) ", "", r[0]).replace(" ", "-"))}
		    if not have and word:
		        continue  # the command does not exist yet
		    for name in re.findall(r"^\.It (?:Fl \S+ , )?Fl -(\S+)", open(path).read(), re.M):
		        if name not in have:
		            wrong.append("%s: --%s" % (os.path.basename(path), name))
		print("\n".join(wrong))
		sys.exit(bool(wrong))
	PY
}

@test "the pages refer to pages that are there" {
	grep -ho '^\.Xr sbx[a-z-]* [15]' "$man"/*.[15] | sort -u | while read -r _ name section; do
		[ -e "$man/$name.$section" ] || { echo "no $name($section)"; exit 1; }
	done
}

@test "every row has a sentence of help" {
	! awk -F '\t' '$6 == ""' rows | grep .
}
