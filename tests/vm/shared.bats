# The control group is ours, but not all of the processes in it.

load ../bats/lib

@test "memory, processes and processors are held by a group, the set of processors by affinity" {
	run -0 --separate-stderr sbx run --rm -m 64m --pids-limit 20 --cpus 0.5 --cpuset-cpus 1 --result result "$box" nproc
	equal "$output" 1
	contains "$stderr" "--cpuset-cpus holds by processor affinity alone"
	lacks "$stderr" "--cpus has no effect"
	python3 -c '
import json
by = json.load(open("result"))["enforced_by"]
assert [by[k] for k in ("memory", "pids", "cpus")] == ["cgroup2"] * 3, by'
}
