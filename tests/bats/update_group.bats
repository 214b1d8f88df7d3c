# The control group that a running container gets by an update, of whichever version it is.
load lib

# with_group: skips where no container can get one.
with_group() {
	sbx run -d --name "$c-probe" "$box" sleep 100000 >/dev/null
	sbx update --cpus 0.5 "$c-probe" >/dev/null 2>&1
	inside "$(sbx inspect -f '{{.State.Pid}}' "$c-probe")" ||
		skip "no package gives it: a control group that may be made while a container runs"
}

# inside PID: whether it is in a container's group.
inside() {
	grep -q '/sbx-[0-9a-f]\{64\}' "/proc/$1/cgroup"
}

# pid_of SECONDS: of the `sleep` that sleeps so long.
pid_of() {
	pgrep -f "^sleep $1\$"
}

@test "an exec that starts while the group is made ends up in it" {
	with_group
	local nap
	nap=$(a_nap)
	# A lease holds up who looks for the user, who is on his way inside, as long as its holder likes.
	cat >holder <<'END'
import fcntl, os, signal
fd = os.open("/etc/passwd", os.O_WRONLY)
signals = [signal.SIGIO, signal.SIGUSR1]
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("held", flush=True)
while signal.sigwait(signals) == signal.SIGIO:
    print("asked", flush=True)
os.close(fd)
signal.pause()
END
	sbx run -d --name "$c" -v "$PWD/holder:/holder:ro" "$py" python3 -S /holder >/dev/null
	eventually eval 'sbx logs "$c" | grep -q held'
	behind exec "$c" sleep "$nap"
	eventually eval 'sbx logs "$c" | grep -q asked'
	sbx update --cpus 0.5 "$c" >/dev/null
	inside "$(sbx inspect -f '{{.State.Pid}}' "$c")"
	sbx kill -s USR1 "$c" >/dev/null
	eventually pid_of "$nap"
	eventually inside "$(pid_of "$nap")"
}

@test "an update while paused makes the group at unpause" {
	with_group
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	sbx pause "$c" >/dev/null
	sbx update --cpus 0.5 "$c" >/dev/null
	local pid
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	! inside "$pid"
	sbx unpause "$c" >/dev/null
	inside "$pid"
}
