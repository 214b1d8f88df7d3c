# Loaded by every file of tests.
#
#   SBX         the program under test
#   SBX_IMAGES  a directory with busybox.sqsh and python.sqsh
#
# Files can run in parallel, as each has a store and a runtime directory of its own; so can the tests of
# a file, as each names its containers $c. No test sleeps: it waits for a line (`behind`, `line`), for
# the end of a container (`sbx wait`), or for a fact (`eventually`).

if declare -F bats_require_minimum_version >/dev/null; then
	bats_require_minimum_version 1.5.0
else
	load old_bats
fi

SBX=${SBX:?the program under test}
box=${SBX_BOX:-${SBX_IMAGES:?a directory of images}/busybox.sqsh}
py=${SBX_PY:-${SBX_IMAGES:-}/python.sqsh}

sbx() {
	"$SBX" "$@"
}

own_store() {
	export SBX_ROOT=$BATS_FILE_TMPDIR/d SBX_RUNTIME=$BATS_FILE_TMPDIR/r
	export XDG_CONFIG_HOME=$BATS_FILE_TMPDIR/none LC_ALL=C
	unset SBX_NETWORK SBX_IDS SBX_FUSE SBX_OVERLAY "${!DOCKER_@}"
	umask 022
	export BATS_TEST_TIMEOUT=${BATS_TEST_TIMEOUT:-180} SBX_LAYERS_IDLE=5
	mkfifo "$BATS_FILE_TMPDIR/never"
}

setup_file() {
	own_store
}

setup() {
	c=t$BATS_TEST_NUMBER
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	end_background
}

teardown_file() {
	sbx ps -aq | xargs -r "$SBX" rm -fv >/dev/null
	nothing_left
}

# Fails if a test has left files or processes. Image servers, which would end after a while without
# clients, are ended here; everything else must have ended by itself.
nothing_left() {
	local -a rest
	if ! eventually nobody_left; then
		echo "processes left behind:"
		mapfile -t rest < <(ours)
		ps -o pid,ppid,stat,comm,args -p "$(IFS=,; echo "${rest[*]}")" || true
		return 1
	fi
	if grep -F "$SBX_ROOT" /proc/self/mountinfo; then
		echo "mounts left behind"
		return 1
	fi
	if [ -d "$SBX_RUNTIME/c" ] && [ -n "$(ls -A "$SBX_RUNTIME/c")" ]; then
		ls -RA "$SBX_RUNTIME/c"
		echo "runtime files of containers left behind"
		return 1
	fi
	if ! eventually no_files_left; then
		find "$SBX_ROOT/containers" "$SBX_ROOT/names" -mindepth 1 -maxdepth 1
		echo "files of containers left behind"
		return 1
	fi
}

# The pids of processes that work for this file's store: those of sbx that were started with its
# SBX_ROOT, and those that see a mount of it.
ours() {
	local pid exe
	{
		grep -lszxF "SBX_ROOT=$SBX_ROOT" /proc/[0-9]*/environ
		grep -lsF -e "$SBX_ROOT" -e "$SBX_RUNTIME" /proc/[0-9]*/mountinfo
	} | cut -d/ -f3 | sort -u | while read -r pid; do
		# not readable: a process of sbx that is not dumpable; gone: a process of this very pipeline
		exe=$(readlink "/proc/$pid/exe") || exe=sbx
		grep -qs '^State:.[^ZX]' "/proc/$pid/status" || continue
		case $exe in
		*bash | *bats* | *parallel* | *perl*) ;; # they run the tests
		*sbx*) echo "$pid" ;;
		*) grep -qsF -e "$SBX_ROOT" -e "$SBX_RUNTIME" "/proc/$pid/mountinfo" && echo "$pid" ;;
		esac
	done
	return 0
}

# Removal by --rm may go on after the client has ended. Files of a creator that was killed cannot be told
# from those of one at work for a minute, so neither they nor the name count.
no_files_left() {
	local young names
	young=$(find "$SBX_ROOT/containers" -mindepth 1 -maxdepth 1 -name '.new-*' 2>/dev/null | wc -l)
	names=$(find "$SBX_ROOT/names" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)
	[ -z "$(find "$SBX_ROOT/containers" -mindepth 1 -maxdepth 1 ! -name '.new-*' 2>/dev/null)" ] &&
		[ "$names" -le "$young" ]
}

nobody_left() {
	end_server # a dying container's supervisor may just have started another one
	[ -z "$(ours)" ]
}

# The pid of the image server, whose root mount is named after the runtime directory that it serves.
server_pid() {
	local pid
	for pid in $(pgrep -x -u "$(id -u)" sbx-layers); do
		grep -qsF " - tmpfs $SBX_RUNTIME " "/proc/$pid/mountinfo" && echo "$pid"
	done
	return 0
}

end_server() {
	local pid
	for pid in $(server_pid); do
		kill "-${1:-TERM}" "$pid" 2>/dev/null || true # it may have ended by itself
	done
	return 0
}

# eventually COMMAND: repeats it until it succeeds, for at most a minute (longer with sanitizers): what takes a second
# takes ten if twenty others need the processor. It waits by reading a pipe that nobody writes, which starts no process.
eventually() {
	local tries nothing
	for ((tries = 0; tries < 3000 * ${SBX_TEST_SLOW:-1}; tries++)); do
		"$@" && return
		read -rt 0.02 nothing <>"$BATS_FILE_TMPDIR/never" || true
	done
	echo "never came true: $*"
	return 1
}

# behind ARGS...: runs `sbx ARGS` in the background with its standard output on a pipe. Its pid is
# $client, `line` reads the next line. Standard input is nothing, or what $input names.
behind() {
	local pipe
	pipe=$(mktemp -u "$BATS_TEST_TMPDIR/pipe.XXXXXX")
	mkfifo "$pipe"
	"$SBX" "$@" <"${input:-/dev/null}" >"$pipe" 2>"$pipe.err" 3>&- &
	client=$!
	background+=("$client")
	exec {from}<"$pipe"
}

# Reads the next line from the last `behind` into $REPLY. If none comes, it fails before the test's own timeout, but after a
# time that is enough for a busy machine.
line() {
	read -rt $((90 * ${SBX_TEST_SLOW:-1})) -u "$from" || { echo "no line came"; return 1; }
}

# Waits for the client in the background; $status is its exit status.
client_ends() {
	status=0
	wait "$client" 2>/dev/null || status=$?
}

# Kills only those that still run: the pid of one that has ended may be another process's by now.
end_background() {
	local pid running
	running=" $(jobs -pr | tr '\n' ' ')"
	for pid in "${background[@]}"; do
		[[ $running == *" $pid "* ]] || continue
		kill -9 "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true
	done
	return 0
}

background=()

# gone PID: it has ended. A zombie counts, as pid 1 may not wait for orphans (in a container it may be `sleep`).
gone() {
	[ "$(ps -o stat= -p "$1" | cut -c1)" = Z ] || ! kill -0 "$1" 2>/dev/null
}

# sleepers SECONDS: how many processes `sleep SECONDS` the host has. Containers' processes are recognized by
# a time that no other test uses.
sleepers() {
	pgrep -cfx "sleep $1" || true
}

sleeps() {
	[ "$(sleepers "$1")" -eq "${2:-1}" ]
}

# Prints a number of seconds that no other test uses, at least a day.
a_nap() {
	echo $((100000 + RANDOM * 32768 + RANDOM))
}

running() {
	[ "$(sbx inspect -f '{{.State.Running}}' "$1" 2>/dev/null)" = true ]
}

ended() {
	[ "$(sbx inspect -f '{{.State.Status}}' "$1" 2>/dev/null)" = exited ]
}

# connected PID: it has a connected socket; the only one of a `wait` is to the supervisor.
connected() {
	local inode
	inode=$(find "/proc/$1/fd" -lname 'socket:*' -printf '%l\n' 2>/dev/null | tr -dc 0-9)
	awk -v inode="$inode" '$7 == inode && $6 == "03" { found = 1 } END { exit !found }' /proc/net/unix
}

# missing NAME: there is no container of this name.
missing() {
	! sbx inspect --type container "$1" >/dev/null 2>&1
}

# lacking WHY: skips the test, or fails if skips are not allowed.
lacking() {
	[ "${SBX_TEST_STRICT:-0}" = 0 ] || { echo "lacking: $*"; return 1; }
	skip "$*"
}

has_range() {
	grep -qsE "^($(id -un)|$(id -u)):" /etc/subuid &&
		grep -qsE "^($(id -un)|$(id -u)):" /etc/subgid &&
		command -v newuidmap >/dev/null
}

# For tests that run the program under test in an image, which does not have this machine's libraries.
needs_static() {
	is_static || skip "no package gives it: a static program with sanitizers"
}

is_static() {
	! readelf -lW "$SBX" | grep -q INTERP
}

# unsanitized WHAT: skips with sanitizers, which reserve terabytes of memory, more than a container's limit allows.
unsanitized() {
	[ -z "${SBX_TEST_SANITIZED-}" ] || skip "no package gives it: sanitizers with which $1"
}

# equal GOT WANTED
equal() {
	[ "$1" = "$2" ] || { printf 'got:    %s\nwanted: %s\n' "$1" "$2"; return 1; }
}

# contains TEXT PART
contains() {
	[[ $1 == *"$2"* ]] || { printf 'no "%s" in:\n%s\n' "$2" "$1"; return 1; }
}

lacks() {
	[[ $1 != *"$2"* ]] || { printf 'there is "%s" in:\n%s\n' "$2" "$1"; return 1; }
}

# Makes the directory `many`: a sparse file with data at its end, one of 80 pieces (more than a header holds), one that is all
# hole, and a plain file after them.
sparse_files() {
	mkdir many
	truncate -s 3M many/end
	echo end >>many/end
	for i in {1..80}; do
		echo "$i" | dd of=many/pieces bs=1 seek=$((i * 65536)) conv=notrunc status=none
	done
	truncate -s 5000000 many/hole
	head -c 300000 /dev/urandom >many/plain
}
