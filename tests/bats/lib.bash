# What every file of tests stands on.
#
#   SBX         the program under test
#   SBX_IMAGES  a directory with busybox.sqsh and python.sqsh
#
# Each file has a store and a runtime directory of its own, so files run beside each other; each
# test names its containers by $c, so tests do too. Nothing sleeps: a test waits for a line
# (`behind`, `line`), for the end of a container (`sbx wait`), or for a fact (`eventually`).

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

# No test need wait for a server which leaves when it has been idle: it is ended here, but
# everything else must have gone by itself.
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

# The processes which work for this file's store: those of ours which were started with its
# SBX_ROOT, and those which see a mount out of it, by pid.
ours() {
	local pid exe
	{
		grep -lszxF "SBX_ROOT=$SBX_ROOT" /proc/[0-9]*/environ
		grep -lsF -e "$SBX_ROOT" -e "$SBX_RUNTIME" /proc/[0-9]*/mountinfo
	} | cut -d/ -f3 | sort -u | while read -r pid; do
		# hidden from us: one of ours; gone: one of those who look
		exe=$(readlink "/proc/$pid/exe") || exe=sbx
		grep -qs '^State:.[^ZX]' "/proc/$pid/status" || continue
		case $exe in
		*bash | *bats* | *parallel* | *perl*) ;; # who runs the tests
		*sbx*) echo "$pid" ;;
		*) grep -qsF -e "$SBX_ROOT" -e "$SBX_RUNTIME" "/proc/$pid/mountinfo" && echo "$pid" ;;
		esac
	done
	return 0
}

# What --rm removes may still be on its way when the client has ended. What a killed creator left
# looks like one who is at work, until it is a minute old: neither that nor its name counts.
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

# The image server: the root of its mount namespace names the runtime directory it serves.
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
		kill "-${1:-TERM}" "$pid" 2>/dev/null || true # it may have left by itself
	done
	return 0
}

# Until COMMAND succeeds, for a minute at most (longer where all is slow): what is done in a second takes ten where twenty
# others want the processor. Reading a pipe which nobody writes waits without starting a process.
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

# The next line of what `behind` started last, in $REPLY. That none will ever come is told before the test's own
# time is over; a busy machine may well take ten seconds for what is done in one.
line() {
	read -rt $((90 * ${SBX_TEST_SLOW:-1})) -u "$from" || { echo "no line came"; return 1; }
}

# How the client in the background ended, in $status.
client_ends() {
	status=0
	wait "$client" 2>/dev/null || status=$?
}

# Of those alone that still run: the number of one that has ended may be another's by now, who would be killed.
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

# Where pid 1 does not wait for orphans (a container's sleep), a zombie is as far gone as it gets.
gone() {
	[ "$(ps -o stat= -p "$1" | cut -c1)" = Z ] || ! kill -0 "$1" 2>/dev/null
}

# Processes of containers are told apart by what they do: `sleep` for a time that no other
# test sleeps. They are counted on the host.
sleepers() {
	pgrep -cfx "sleep $1" || true
}

sleeps() {
	[ "$(sleepers "$1")" -eq "${2:-1}" ]
}

# A number of seconds that is nobody else's, at least a day.
a_nap() {
	echo $((100000 + RANDOM * 32768 + RANDOM))
}

running() {
	[ "$(sbx inspect -f '{{.State.Running}}' "$1" 2>/dev/null)" = true ]
}

ended() {
	[ "$(sbx inspect -f '{{.State.Status}}' "$1" 2>/dev/null)" = exited ]
}

# connected PID: it has a connected socket, and `wait` opens none but its supervisor's.
connected() {
	local inode
	inode=$(find "/proc/$1/fd" -lname 'socket:*' -printf '%l\n' 2>/dev/null | tr -dc 0-9)
	awk -v inode="$inode" '$7 == inode && $6 == "03" { found = 1 } END { exit !found }' /proc/net/unix
}

# missing NAME: no container of this name, as the command line sees it.
missing() {
	! sbx inspect --type container "$1" >/dev/null 2>&1
}

# A skip tells why; where skips are not wanted it is a failure.
lacking() {
	[ "${SBX_TEST_STRICT:-0}" = 0 ] || { echo "lacking: $*"; return 1; }
	skip "$*"
}

has_range() {
	grep -qsE "^($(id -un)|$(id -u)):" /etc/subuid &&
		grep -qsE "^($(id -un)|$(id -u)):" /etc/subgid &&
		command -v newuidmap >/dev/null
}

# For what runs the program under test inside of an image, which has not the libraries of this machine.
needs_static() {
	is_static || skip "no package gives it: a static program with sanitizers"
}

is_static() {
	! readelf -lW "$SBX" | grep -q INTERP
}

# unsanitized WHAT: a sanitizer takes memory by the terabyte, which no limit that a container has grants.
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

# The directory `many`: a file with data at its end, one of 80 pieces (more than a header holds), one that is all hole,
# and a plain one behind.
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
