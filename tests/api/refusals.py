# SPDX-License-Identifier: Apache-2.0
"""What docker's daemon refuses, asked without docker's client, which looks at much of it first; and what it makes of what
its client sends."""
import io
import json
import shutil
import socket
import sys
import tarfile

from client import check, client

NAME = sys.argv[1]
c = client()
docker = c.api


def ask(method, path, body=None, **query):
    r = getattr(docker, "_" + method)(docker._url(path), params=query, **({} if body is None else {"json": body}))
    return r.status_code, json.loads(r.text or "null")


def refused(status, words, method, path, body=None, **query):
    got = ask(method, path, body, **query)
    check(got, (status, {"message": words}))


def create(host=None, endpoints=None, **config):
    return {"Image": "box", "Cmd": ["true"], "HostConfig": host or {},
            "NetworkingConfig": {"EndpointsConfig": endpoints or {}}, **config}


def made(**config):
    status, answer = ask("post", "/containers/create", create(**config))
    check(status, 201)
    j = docker.inspect_container(answer["Id"])
    docker.remove_container(answer["Id"])
    return j


# what docker's client asks of "default" is asked of the network that this is
for host in {"NetworkMode": "default"}, {}:
    check(sorted(made(host=host, endpoints={"default": {}})["NetworkSettings"]["Networks"]), ["bridge"])
# a list that nobody gave is null, one that was given empty stays empty; of Links docker shows those that there are
LISTS = ("Binds Dns DnsOptions DnsSearch ExtraHosts GroupAdd CapAdd CapDrop SecurityOpt VolumesFrom Devices DeviceCgroupRules "
         "DeviceRequests Ulimits BlkioWeightDevice BlkioDeviceReadBps BlkioDeviceWriteBps BlkioDeviceReadIOps "
         "BlkioDeviceWriteIOps").split()
host = made()["HostConfig"]
check({k: host[k] for k in [*LISTS, "PortBindings", "Links"]}, dict.fromkeys([*LISTS, "PortBindings", "Links"]))
host = made(host={**{k: [] for k in LISTS}, "PortBindings": {}, "Links": []})["HostConfig"]
check({k: host[k] for k in [*LISTS, "PortBindings", "Links"]}, {**{k: [] for k in LISTS}, "PortBindings": {}, "Links": None})
# of volumes there are warnings only when there are some, and of an image labels only when it has some
check(ask("get", "/volumes")[1]["Warnings"], None)
check([i["Labels"] for i in ask("get", "/images/json", filters='{"reference":["box"]}')[1]], [None])
# without a config there is no container
for body in {}, {"HostConfig": {}}:
    refused(400, "config cannot be empty in order to create a container", "post", "/containers/create", body)
UNDEFINED = "%s can't be used with links. This would result in undefined behavior"
CONFLICT = "conflicting options: "
other = {"NetworkMode": "container:x"}
for words, config in (
        ("invalid IPv4 address: abc", dict(endpoints={"none": {"IPAMConfig": {"IPv4Address": "abc"}}})),
        ("invalid IPv6 address: abc", dict(endpoints={"none": {"IPAMConfig": {"IPv6Address": "abc"}}})),
        ("user specified IP address is supported on user defined networks only",
         dict(endpoints={"none": {"IPAMConfig": {"IPv4Address": "1.2.3.4"}}})),
        (CONFLICT + UNDEFINED % "container type network", dict(host={"Links": ["a:b"], **other})),
        (CONFLICT + UNDEFINED % "host type networking", dict(host={"Links": ["a:b"], "NetworkMode": "host"})),
        ("could not get container for %s: No such container: %s" % (NAME, NAME), dict(host={"Links": [NAME + ":b"]})),
        (CONFLICT + "port exposing and the container type network mode", dict(host=other, ExposedPorts={"80/tcp": {}})),
        (CONFLICT + "hostname and the network mode", dict(host=other, Hostname="a")),
        (CONFLICT + "dns and the network mode", dict(host={"Dns": ["1.1.1.1"], **other})),
        (CONFLICT + "mac-address and the network mode", dict(host={"NetworkMode": "host"}, MacAddress="02:42:ac:11:00:02")),
        ("Invalid isolation: \"process\" - linux only supports 'default'", dict(host={"Isolation": "process"})),
        ("No such container: " + NAME, dict(host={"PidMode": "container:" + NAME})),
        ("No such container: " + NAME, dict(host={"IpcMode": "container:" + NAME})),
        ("No such container: " + NAME, dict(host={"VolumesFrom": [NAME]}))):
    refused(400, words, "post", "/containers/create", create(**config))
for config in (dict(Cmd=["echo", "a\0b"]), dict(Env=["A=a\0b"]), dict(Labels={"a": "a\0b"}), dict(WorkingDir="/tmp\0")):
    refused(400, "invalid JSON: a string with \\u0000 in it, which neither a program nor a file can be given",
            "post", "/containers/create", create(**config))
# what was asked is looked at before the image, and of that is what 404 tells
for words, host, config in (
        ("Minimum memory limit allowed is 6MB", {"Memory": 4 << 20}, {}),
        ("invalid restart policy 'sometimes'", {"RestartPolicy": {"Name": "sometimes"}}, {}),
        ("maximum retry count cannot be used with restart policy 'no'", {"RestartPolicy": {"MaximumRetryCount": 3}}, {}),
        ("invalid Annotations: the empty string is not permitted as an annotation key", {"Annotations": {"": "a"}}, {}),
        ("the working directory 'rel' is invalid, it needs to be an absolute path", {}, {"WorkingDir": "rel"}),
        (CONFLICT + "hostname and the UTS mode", {"UTSMode": "host"}, {"Hostname": "y"})):
    refused(400, words, "post", "/containers/create", create(host, **{**config, "Image": "nosuch"}))
BIND = "invalid volume specification: "
MOUNT = "invalid mount config for type "
for words, host, config in (
        ('bad format for add-host: "x"', {"ExtraHosts": ["x"]}, {}),
        ('invalid IP address in add-host: "y"', {"ExtraHosts": ["x:y"]}, {}),
        ("bad format for links: a:b:c", {"Links": ["a:b:c"]}, {}),
        ('invalid port specification: "x"', {"PortBindings": {"x": []}}, {}),
        ('invalid port specification: "80-90"', {"PortBindings": {"80-90/tcp": None}}, {}),
        ('invalid port specification: "99999"', {"PortBindings": {"80/tcp": [{"HostPort": "99999"}]}}, {}),
        ('invalid port specification: "9-8"', {"PortBindings": {"80/tcp": [{"HostPort": "9-8"}]}}, {}),
        (BIND + "''", {"Binds": [""]}, {}),
        (BIND + "'x': " + MOUNT + "\"volume\": invalid mount path: 'x' mount path must be absolute", {"Binds": ["x"]}, {}),
        (MOUNT + '"nope": field Target must not be empty', {"Mounts": [{"Type": "nope"}]}, {}),
        (MOUNT + '"bind": field VolumeOptions must not be specified',
         {"Mounts": [{"Type": "bind", "Source": "/tmp", "Target": "/x", "VolumeOptions": {}}]}, {}),
        (MOUNT + '"volume": field BindOptions must not be specified',
         {"Mounts": [{"Type": "volume", "Target": "/x", "BindOptions": {}}]}, {}),
        ("invalid JSON: json: cannot unmarshal string into Go struct field HostConfig.HostConfig.RestartPolicy of type container.RestartPolicy",
         {"RestartPolicy": "always"}, {}),
        ("invalid JSON: json: cannot unmarshal string into Go struct field HostConfig.HostConfig.MaskedPaths of type []string", {"MaskedPaths": "x"}, {}),
        ("invalid JSON: json: cannot unmarshal array into Go struct field ContainerConfigWrapper.HostConfig of type container.HostConfig", {}, {"HostConfig": []}),
        ("invalid JSON: json: cannot unmarshal array into Go struct field ContainerConfigWrapper.NetworkingConfig of type network.NetworkingConfig", {}, {"NetworkingConfig": []}),
        ("invalid JSON: json: cannot unmarshal string into Go struct field HealthConfig.Healthcheck.Test of type []string", {}, {"Healthcheck": {"Test": "x"}})):
    refused(400, words, "post", "/containers/create", {**create(host), **config, "Image": "nosuch"})
refused(400, '"x": unknown operating system or architecture: invalid argument', "post", "/containers/create",
        create(Image="nosuch"), platform="x")
refused(400, "No such container: x", "post", "/containers/create", create({"PidMode": "container:x"}, Image="nosuch"))
refused(404, "No such image: nosuch:latest", "post", "/containers/create", create({"NetworkMode": "container:x"}, Image="nosuch"))
for image, platform in (("box", "linux/s390x"), ("box", "windows/amd64")):
    words = "image with reference %s was found but its platform (" % image
    status, answer = ask("post", "/containers/create", create(Image=image), platform=platform)
    check((status, answer["message"].startswith(words)), (404, True))
    status, answer = ask("post", "/images/create", fromImage=image, tag="latest", platform=platform)
    check((status, answer["message"].startswith("pull access denied for box, ")), (404, True))
old = c.api.post(c.api.base_url + "/v1.43/containers/create", json=create(endpoints={"none": {}, "host": {}}))
check((old.status_code, old.json()), (400, {"message": "Container cannot be connected to network endpoints: none, host"}))
for name in "/", "/b", "//ab":
    refused(400, "Invalid container name (%s), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed" % name,
            "post", "/containers/create", create(), name=name)
check(ask("post", "/containers/create", create(), name="/" + NAME)[0], 201)
refused(409, "Conflict, cannot remove the default link name of the container", "delete", "/containers/" + NAME, link=1)
refused(404, "No such container: %s/x" % NAME, "delete", "/containers/%s/x" % NAME)

# no network, with or without a HostConfig
for config in {}, {"HostConfig": None}, {"HostConfig": {"NetworkMode": "bridge"}}:
    status, answer = ask("post", "/containers/create", {"Image": "box", "NetworkDisabled": True, **config})
    check(status, 201)
    j = docker.inspect_container(answer["Id"])
    check((j["Config"]["NetworkDisabled"], list(j["NetworkSettings"]["Networks"])), (True, ["none"]))
    docker.remove_container(answer["Id"])
check("NetworkDisabled" in made()["Config"], False)

# what its client sends where nobody asked for anything, or for no masks
j = made(ExposedPorts={}, Volumes={}, Labels={"z": "1", "a": "2", "a.b": "3"},
         host={"MaskedPaths": [], "ReadonlyPaths": []})
check(j["Config"]["Volumes"], None)
check(list(j["Config"]["Labels"]), ["a", "a.b", "z"])
check((j["HostConfig"]["MaskedPaths"], j["HostConfig"]["ReadonlyPaths"]), ([], []))
usual = made(host={"MaskedPaths": None})["HostConfig"]
check(len(usual["MaskedPaths"]) > 5, True)
lists = {k: usual[k] for k in ("MaskedPaths", "ReadonlyPaths")}
check({k: made(host=lists)["HostConfig"][k] for k in lists}, lists)
for host, words in (({"MaskedPaths": ["/proc/uptime"]}, 'MaskedPaths: "/proc/uptime" is none of docker\'s'),
                    ({"ReadonlyPaths": ["/proc/kcore"]}, 'ReadonlyPaths: "/proc/kcore" is none of docker\'s'),
                    ({"MaskedPaths": [], "ReadonlyPaths": ["/proc/bus"]},
                     "MaskedPaths and ReadonlyPaths can be emptied only together")):
    refused(400, words, "post", "/containers/create", create(host))
check(ask("post", "/containers/%s/update" % NAME, {"PidsLimit": -5}), (200, {"Warnings": None}))
check(docker.inspect_container(NAME)["HostConfig"]["PidsLimit"], 0)
check(ask("post", "/containers/%s/update" % NAME, {"Nosuch": 1, "Binds": ["/tmp:/x"], "CpuShares": 7})[0], 200)
j = docker.inspect_container(NAME)["HostConfig"]
check((j["CpuShares"], j["Binds"], "Nosuch" in j), (7, None, False))
for policy in None, {}, {"Name": ""}:
    check(made(host={"RestartPolicy": policy})["HostConfig"]["RestartPolicy"], {"Name": "no", "MaximumRetryCount": 0})

# objects with nothing in them are shown as they were given
wish = {"Type": "volume", "Target": "/v", "VolumeOptions": {"DriverConfig": {}}}
for mount in wish, {**wish, "VolumeOptions": {}}, {"Type": "volume", "Target": "/v"}:
    check(made(host={"Mounts": [mount]})["HostConfig"]["Mounts"], [mount])
check(made(host={"Mounts": [{**wish, "VolumeOptions": {"Labels": {}, "DriverConfig": {"Options": {}}}}]})["HostConfig"]["Mounts"], [wish])
for health in {}, {"Test": []}, {"Test": None, "Interval": 0}:
    check(made(Healthcheck=health)["Config"]["Healthcheck"], {})
check("Healthcheck" in made(Healthcheck=None)["Config"], False)

# a target alone among the binds is an anonymous volume of its own, at its place in the list
binds = ["/tmp:/t:ro", "/anon", "/tmp:/u"]
j = made(host={"Binds": binds}, Volumes={"/anon": {}, "/other": {}})
check((j["HostConfig"]["Binds"], j["HostConfig"].get("Mounts"), j["Config"]["Volumes"]), (binds, None, {"/anon": {}, "/other": {}}))
at = {m["Destination"]: m for m in j["Mounts"]}
check([(at[d]["Type"], at[d]["Mode"]) for d in ("/anon", "/other", "/t", "/u")],
      [("volume", "z"), ("volume", ""), ("bind", "ro"), ("bind", "")])
status, answer = ask("post", "/containers/create", create(host={"Binds": ["/anon"]}, Cmd=["touch", "/anon/x"]))
j = docker.inspect_container(answer["Id"])
docker.start(answer["Id"])
check(docker.wait(answer["Id"])["StatusCode"], 0)
check(docker.inspect_container(answer["Id"])["Mounts"], j["Mounts"])
check((j["HostConfig"]["Binds"], j["Config"]["Volumes"]), (["/anon"], None))
check(docker.inspect_volume(j["Mounts"][0]["Name"])["Driver"], "local")
docker.remove_container(answer["Id"], v=True)
refused(404, "get %s: no such volume" % j["Mounts"][0]["Name"], "get", "/volumes/" + j["Mounts"][0]["Name"])
refused(400, "Duplicate mount point: /anon", "post", "/containers/create", create(host={"Binds": ["/anon", "/anon"]}))

# images and networks
refused(400, "refusing to create an ambiguous tag using digest algorithm as name",
        "post", "/images/box/tag", repo="sha256", tag="abc")
refused(400, '"x": unknown operating system or architecture: invalid argument',
        "post", "/images/create", fromImage="box", platform="x")
twice = [json.dumps({"os": "linux", "architecture": x}) for x in ("amd64", "arm64")]
for method, path in (("get", "/images/get"), ("get", "/images/box/get"), ("post", "/images/load")):
    refused(400, "multiple platform parameters not supported", method, path, names="box", platform=twice)
for key, values, words in (("type", ["x"], "invalid filter: 'type'='x'"), ("nosuch", ["1"], "invalid filter 'nosuch'"),
                           ("dangling", ["true", "0"], 'got more than one value for filter key "dangling"'),
                           ("dangling", ["x"], 'invalid value for filter \'dangling\', must be "true" (or "1"), or "false" (or "0")')):
    refused(400, words, "get", "/networks", filters=json.dumps({key: values}))
# of filters the keys count, too, as they are spelled, and where they have no values
for path, key in (("/containers/json", "NAME"), ("/images/json", "Reference"), ("/volumes", "Name"), ("/networks", "NAME")):
    refused(400, "invalid filter '%s'" % key, "get", path, filters=json.dumps({key: ["x"]}))
    for values in [], {}, None:
        refused(400, "invalid filter 'nosuch'", "get", path, filters=json.dumps({"nosuch": values}))
    check(ask("get", path, filters=json.dumps({"label": []}))[0], 200)
check([len(ask("get", "/networks", filters=json.dumps({"name": [x]}))[1]) for x in ("none", " none")], [1, 0])
check(ask("get", "/networks/"), ask("get", "/networks"))
check([n.name for n in c.networks.list(filters={"dangling": False})], ["bridge", "host", "none"])
docker.create_network(NAME)
refused(501, "a container keeps the network that it was created with: networks of sbx connect nothing",
        "post", "/networks/%s/connect" % NAME, {"Container": NAME})
refused(409, "container %s is not connected to the network %s" % (docker.inspect_container(NAME)["Id"], NAME),
        "post", "/networks/%s/disconnect" % NAME, {"Container": NAME})
refused(400, "container cannot be disconnected from host network or connected to host network",
        "post", "/networks/host/connect", {"Container": NAME})
refused(404, "No such container: nope", "post", "/networks/%s/connect" % NAME, {"Container": "nope"})
refused(404, "network nope not found", "post", "/networks/nope/connect", {"Container": NAME})
refused(400, 'invalid name or ID supplied: ""', "post", "/networks/none/connect", {})
for force, network, words in ((True, "none", "endpoint nope not found"), (True, "nope", "network nope not found"),
                              (False, "nope", "No such container: nope")):
    refused(404, words, "post", "/networks/%s/disconnect" % network, {"Container": "nope", "Force": force})
refused(404, "network none not found", "get", "/networks/none", scope="swarm")
refused(400, 'invalid value for verbose: x: strconv.ParseBool: parsing "x": invalid syntax', "get", "/networks/none", verbose="x")
check(ask("get", "/networks/none", scope="local", verbose="1")[0], 200)
refused(409, "network with name %s already exists" % NAME, "post", "/networks/create",
        {"Name": NAME, "IPAM": {"Config": [{"Subnet": "x"}]}})
docker.remove_network(NAME)

# new networks: in the order of docker's daemon
FROM = "the network depends on a configuration network"
CONFIG = ("configuration network can only contain network specific fields. Network operator fields like "
          "[ ingress | internal | attachable | scope ] are not supported.")
NO_PLUGIN = "could not find plugin nope in v1 plugin registry: plugin not found"
config = lambda subnet="10.9.0.0/24", **more: {"IPAM": {"Config": [{"Subnet": subnet, **more}]}}
options = lambda key, value: {"Options": {"com.docker.network." + key: value}}
for status, words, asked in (
        (400, "Invalid subnet 10.9.0.0/33 : invalid CIDR address: 10.9.0.0/33", {"Driver": "nope", **config("10.9.0.0/33")}),
        (400, "Invalid subnet  : invalid CIDR address: ", config("")),
        (403, CONFIG, {"ConfigOnly": True, "Scope": "local"}),
        (403, CONFIG, {"ConfigOnly": True, "Internal": True, "ConfigFrom": {"Network": "x"}}),
        (403, "a configuration network cannot depend on another configuration network",
         {"ConfigOnly": True, "ConfigFrom": {"Network": "x"}}),
        (403, "user specified configurations are not supported if " + FROM, {"ConfigFrom": {"Network": "x"}, **config()}),
        (403, "network driver options are not supported if " + FROM, {"ConfigFrom": {"Network": "x"}, "Options": {"a": "b"}}),
        (404, NO_PLUGIN, {"Driver": "nope", "Ingress": True}),
        (403, "Ingress network can only be global scope network", {"Ingress": True, "Scope": "swarm"}),
        (403, "cannot create a swarm scoped network when swarm is not active", {"Scope": "swarm"}),
        (500, 'This node is not a swarm manager. Use "docker swarm init" or "docker swarm join" to connect this node to '
         "swarm and try again.", {"Scope": "x", "ConfigFrom": {"Network": "nope"}}),
        (404, 'configuration network "nope" does not exist', {"ConfigFrom": {"Network": "nope"}}),
        (404, 'configuration network "none" does not exist', {"ConfigFrom": {"Network": "none"}}),
        (403, 'only one instance of "host" network is allowed', {"Driver": "host", **config(Gateway="x")}),
        (404, NO_PLUGIN, {"IPAM": {"Driver": "nope"}}),
        (400, "ipv4 pool is empty", {"IPAM": {"Driver": "null"}}),
        (400, "invalid gateway address x in Ipam configuration", config(Gateway="x", IPRange="x")),
        (400, 'failed to parse pool request for address space "LocalDefault" pool "10.9.0.0/24" subpool "x": Invalid '
         "Address SubPool", config(Gateway="10.8.0.1", IPRange="x")),
        (400, "failed to allocate gateway (10.8.0.1): Requested address is out of range", config(Gateway="10.8.0.1")),
        (400, "non parsable secondary ip address (a:) passed for network " + NAME, config(AuxiliaryAddresses={"a": ""})),
        (403, "auxiliary address: (a:10.8.0.1) must belong to the master pool: 10.9.0.0/24",
         config(AuxiliaryAddresses={"a": "10.8.0.1"})),
        (400, "failed to parse com.docker.network.bridge.enable_icc value: x (strconv.ParseBool: parsing \"x\": invalid "
         "syntax)", options("bridge.enable_icc", "x")),
        (400, "failed to parse com.docker.network.driver.mtu value: x (strconv.Atoi: parsing \"x\": invalid syntax)",
         options("driver.mtu", "x")),
        (400, "invalid MTU number: -1", options("driver.mtu", "-1")),
        (400, "failed to parse com.docker.network.bridge.host_binding_ipv4 value: x (nil ip)",
         options("bridge.host_binding_ipv4", "x")),
        (400, "invalid JSON: json: cannot unmarshal object into Go struct field IPAM.IPAM.Config of type []network.IPAMConfig",
         {"IPAM": {"Config": {}}}),
        (400, "invalid JSON: json: cannot unmarshal string into Go struct field IPAM.IPAM.Config of type network.IPAMConfig",
         {"IPAM": {"Config": ["x"]}}),
        (400, "invalid JSON: json: cannot unmarshal number into Go struct field IPAMConfig.IPAM.Config.Subnet of type string",
         {"IPAM": {"Config": [{"Subnet": 1}]}}),
        (400, "invalid JSON: json: cannot unmarshal array into Go struct field NetworkCreateRequest.Labels of type map[string]string",
         {"Labels": ["x"]})):
    refused(status, words, "post", "/networks/create", {"Name": NAME, **asked})
check(ask("post", "/networks/create", {"Name": NAME, "ConfigOnly": True, "Driver": "nope", "Labels": {"a": "b"}, **config()})[0], 201)
check(ask("post", "/networks/create", {"Name": NAME + "f", "ConfigFrom": {"Network": NAME}})[0], 201)
j = docker.inspect_network(NAME + "f")
check((j["Driver"], j["Labels"], j["IPAM"]["Config"], j["ConfigFrom"]),
      ("bridge", {"a": "b"}, [{"Subnet": "10.9.0.0/24"}], {"Network": NAME}))
check((docker.inspect_network(NAME)["Driver"], docker.inspect_network(NAME)["ConfigOnly"]), ("null", True))
refused(403, 'error while removing network: configuration network "%s" is in use' % NAME, "delete", "/networks/" + NAME)
docker.remove_network(NAME + "f")
docker.remove_network(NAME)

# registries: nobody here speaks with them
NO_REGISTRY = "sbx has no client for registries yet: "
for status, words, path, query in (
        (501, NO_REGISTRY + "`sbx save` writes an image to an archive", "/images/box/push", {"tag": "latest"}),
        (501, NO_REGISTRY + "`sbx save` writes an image to an archive", "/images/box/push", {}),
        (400, "invalid reference format: repository name (library/BAD) must be lowercase", "/images/BAD/push", {}),
        (501, NO_REGISTRY + "there is nothing to log in to", "/auth", {})):
    refused(status, words, "post", path, {}, **query)
r = docker._post(docker._url("/images/box/push"), params={"tag": "nosuch"})
words = "An image does not exist locally with the tag: box"
check((r.status_code, [json.loads(line) for line in r.text.splitlines()]),
      (200, [{"status": "The push refers to repository [docker.io/library/box]"},
             {"error": words, "errorDetail": {"message": words}}]))
for status, words, query in (
        (400, "Limit 101 is outside the range of [1, 100]", dict(limit=101)),
        (400, "Limit 0 is outside the range of [1, 100]", dict(limit=0)),
        (500, 'strconv.Atoi: parsing "x": invalid syntax', dict(limit="x")),
        (400, "Invalid filter 'nope'", dict(filters='{"nope":["x"]}', limit=200)),
        (400, "Invalid filter 'stars=x'", dict(filters='{"stars":["x"]}')),
        (400, "Invalid filter 'is-official=[x]'", dict(filters='{"is-official":["x"]}')),
        (400, 'Invalid repository name (ex: "registry.domain.tld/myrepos")', dict(term="http://x/y", limit=200)),
        (501, NO_REGISTRY + "there is nothing to search in", {})):
    refused(status, words, "get", "/images/search", **{"term": "x", **query})

# plugins and builds: there are none
for words, query in ("invalid filter 'nope'", '{"nope":["x"]}'), ("invalid filter 'enabled=[x]'", '{"enabled":["x"]}'):
    refused(400, words, "get", "/plugins", filters=query)
refused(404, 'plugin "a/b" not found', "get", "/plugins/a/b/json")
refused(404, 'plugin "a" not found', "delete", "/plugins/a")
refused(500, 'strconv.Atoi: parsing "x": invalid syntax', "post", "/plugins/a/enable", timeout="x")
for path in "enable?timeout=0", "disable", "set", "upgrade?remote=a", "push":
    refused(404, 'plugin "a" not found', "post", "/plugins/a/" + path)
for words, query in (
        ("invalid filter 'nope'", {"nope": ["x"]}),
        ("\"until\" filter expects a duration (e.g., '24h'): time: invalid duration \"x\"", {"until": ["x"]}),
        ("filters expect only one value", {"until": ["1h", "2h"]}),
        ("filters expect only one value", {"id": ["1", "2"]}),
        ('conflicting filters: "until" and "unused-for"', {"until": ["1h"], "unused-for": ["1h"]})):
    refused(400, "failed to prune build cache: " + words, "post", "/build/prune", filters=json.dumps(query))
refused(500, "build ID not provided", "post", "/build/cancel")
check(ask("post", "/build/cancel", id="x"), (200, None))
check(ask("post", "/build/prune", filters='{"until":["1h"]}')[0], 200)
check(ask("post", "/build/prune", filters='{"label":["a","b"],"label!":["c"],"id":["d"]}')[0], 200)  # system prune of labels

# of a name that means another image by now, a container is shown with its image's id
docker.tag("box", "was-" + NAME)
docker.create_container("was-" + NAME, "true", name=NAME + "b")
docker.create_container("box", "sleep 1000", name=NAME + "c")
rows = lambda: {r["Names"][0]: r["Image"] for r in docker.containers(all=True)}
check(rows()["/%sb" % NAME], "was-" + NAME)
docker.remove_image("was-" + NAME)
check(rows()["/%sb" % NAME], docker.inspect_image("box")["Id"])
check(rows()["/" + NAME], "box")

# signals, sizes and times: which of them are looked at before the container
N = NAME + "-none"
for words, status, path, query in (
        ("invalid signal: FOO", 400, N + "/kill", dict(signal="FOO")),
        ("invalid signal: 0", 400, N + "/kill", dict(signal="0")),
        ("cannot kill container: %s: No such container: %s" % (N, N), 404, N + "/kill", dict(signal="99")),
        ("cannot kill container: %s: The linux daemon does not support signal 99" % NAME, 400, NAME + "/kill", dict(signal="99")),
        ('strconv.Atoi: parsing "x": invalid syntax', 500, N + "/stop", dict(t="x")),
        ('strconv.Atoi: parsing "x": invalid syntax', 500, N + "/restart", dict(t="x", signal="FOO")),
        ("No such container: " + N, 404, N + "/stop", dict(signal="FOO")),
        ('invalid resize height "": invalid syntax', 400, N + "/resize", {}),
        ('invalid resize height "-1": value out of range', 400, N + "/resize", dict(h="-1", w="x")),
        ('invalid resize width "9999999999": value out of range', 400, N + "/resize", dict(h="1", w="9999999999")),
        ("No such container: " + N, 404, N + "/resize", dict(h="1", w="00002"))):
    refused(status, words, "post", "/containers/" + path, **query)
refused(400, 'invalid resize width "": invalid syntax', "post", "/exec/none/resize", h=1)
check(ask("post", "/containers/%s/stop" % NAME, signal="FOO")[0], 304)
check(ask("post", "/containers/create", create(Cmd=["nosuch"]), name=NAME + "d")[0], 201)
status, answer = ask("post", "/containers/%sd/restart" % NAME)
check((status, answer["message"].startswith("Cannot restart container %sd: " % NAME)), (400, True))
docker.remove_container(NAME + "d")
for path in ("/containers/create", "/containers/%s/exec" % NAME, "/containers/%s/update" % NAME, "/networks/create",
             "/volumes/create", "/networks/none/connect", "/commit?container=" + NAME, "/exec/none/start"):
    refused(400, "invalid JSON: not an object", "post", path, [1])

refused(400, "Bad parameters: you must choose at least one stream", "get", "/containers/%s/logs" % N)
refused(400, "cannot have stream=true and one-shot=true", "get", "/containers/%s/stats" % NAME, **{"one-shot": 1})
refused(404, "No such container: " + N, "get", "/containers/%s/attach/ws" % N)
refused(400, "starting container with non-empty request body was deprecated since API v1.22 and removed in v1.24",
        "post", "/containers/%s/start" % NAME, {"HostConfig": {}})
refused(400, "checkpoint is only supported in experimental mode", "post", "/containers/%s/start" % NAME, checkpoint="x")
refused(400, "invalid JSON: json: cannot unmarshal string into Go struct field UpdateConfig.RestartPolicy of type container.RestartPolicy",
        "post", "/containers/%s/update" % NAME, {"RestartPolicy": "x"})
status, answer = ask("post", "/containers/%s/update" % NAME, {"BlkioWeight": 500})
check((status, [w.split()[0] for w in answer["Warnings"]]), (200, ["BlkioWeight"]))

# wrong types, in the words of Go's decoder; null among strings is ""
UNMARSHAL = "invalid JSON: json: cannot unmarshal %s into Go struct field %s of type %s"
for kind, where, go, config, host in (
        ("string", "HostConfig.HostConfig.Memory", "int64", {}, {"Memory": "1g"}),
        ("number 1.5", "HostConfig.HostConfig.Memory", "int64", {}, {"Memory": 1.5}),
        ("number", "ContainerConfigWrapper.Env", "string", {"Env": ["A=b", 1]}, {}),
        ("number", "ContainerConfigWrapper.Cmd", "string", {"Cmd": 5}, {}),
        ("array", "ContainerConfigWrapper.Cmd", "string", {"Cmd": [5]}, {}),
        ("string", "ContainerConfigWrapper.NetworkDisabled", "bool", {"NetworkDisabled": "x"}, {}),
        ("number", "ContainerConfigWrapper.ExposedPorts", "struct {}", {"ExposedPorts": {"80/tcp": 1}}, {}),
        ("array", "ContainerConfigWrapper.ExposedPorts", "nat.PortSet", {"ExposedPorts": []}, {}),
        ("string", "HealthConfig.Healthcheck.Interval", "time.Duration", {"Healthcheck": {"Interval": "5s"}}, {}),
        ("number", "PortBinding.HostConfig.PortBindings.HostPort", "string", {}, {"PortBindings": {"80/tcp": [{"HostPort": 80}]}}),
        ("object", "HostConfig.HostConfig.PortBindings", "[]nat.PortBinding", {}, {"PortBindings": {"80/tcp": {}}}),
        ("string", "Ulimit.HostConfig.Ulimits.Soft", "int64", {}, {"Ulimits": [{"Name": "nofile", "Soft": "x"}]}),
        ("string", "DeviceRequest.HostConfig.DeviceRequests.Capabilities", "[]string", {},
         {"DeviceRequests": [{"Capabilities": ["gpu"]}]}),
        ("number", "HostConfig.HostConfig.BlkioWeightDevice", "blkiodev.WeightDevice", {}, {"BlkioWeightDevice": [1]}),
        ("string", "HostConfig.HostConfig.BlkioWeightDevice", "[]*blkiodev.WeightDevice", {}, {"BlkioWeightDevice": "x"}),
        ("string", "HostConfig.HostConfig.ConsoleSize", "[2]uint", {}, {"ConsoleSize": "x"}),
        ("string", "HostConfig.HostConfig.ConsoleSize", "uint", {}, {"ConsoleSize": [1, "x"]}),
        ("number", "HostConfig.HostConfig.IpcMode", "container.IpcMode", {}, {"IpcMode": 1}),
        ("string", "TmpfsOptions.HostConfig.Mounts.TmpfsOptions.SizeBytes", "int64", {},
         {"Mounts": [{"TmpfsOptions": {"SizeBytes": "x"}}]})):
    refused(400, UNMARSHAL % (kind, where, go), "post", "/containers/create", {**create(host), **config, "Image": "nosuch"})
check(made(Labels={"a": None})["Config"]["Labels"], {"a": ""})
refused(400, UNMARSHAL % ("string", "ExecOptions.Detach", "bool"), "post", "/containers/none/exec", {"Cmd": ["x"], "Detach": "x"})
refused(400, UNMARSHAL % ("number", "IPAMConfig.IPAM.Config.Subnet", "string"), "post", "/networks/create",
        {"Name": NAME, "IPAM": {"Config": [{"Subnet": 1}]}})
for method in "get", "delete":
    refused(404, "get %s: no such volume" % (300 * "a"), method, "/volumes/" + 300 * "a")
refused(400, 'keep-storage is in bytes and expects an integer, got x: strconv.Atoi: parsing "x": invalid syntax',
        "post", "/build/prune", **{"keep-storage": "x"})

# types and words of bodies, before what they are about
for status, words, path, body in (
        (400, "No exec command specified", "/containers/%s/exec" % N, {}),
        (400, "invalid JSON: json: cannot unmarshal string into Go struct field ExecOptions.Env of type []string", "/containers/%s/exec" % N, {"Cmd": ["true"], "Env": "x"}),
        (404, "No such container: " + N, "/containers/%s/exec" % N, {"Cmd": ["true"]}),
        (400, "invalid JSON: Detach must be a boolean", "/exec/none/start", {"Detach": "x"}),
        (404, "No such exec instance: none", "/exec/none/start", {"Detach": None}),
        (400, "invalid JSON: json: cannot unmarshal number into Go struct field VolumeCreateBody.Name of type string", "/volumes/create", {"Name": 5}),
        (400, "invalid JSON: json: cannot unmarshal array into Go struct field VolumeCreateBody.Driver of type string", "/volumes/create", {"Driver": ["local"]}),
        (400, "invalid JSON: json: cannot unmarshal array into Go struct field VolumeCreateBody.DriverOpts of type map[string]string", "/volumes/create", {"DriverOpts": ["x"]}),
        (400, "invalid JSON: json: cannot unmarshal number into Go struct field VolumeCreateBody.Labels of type string", "/volumes/create", {"Labels": {"a": 5}}),
        (400, "invalid JSON: json: cannot unmarshal number into Go struct field NetworkCreateRequest.Name of type string", "/networks/create", {"Name": 5}),
        (400, "invalid JSON: json: cannot unmarshal bool into Go struct field NetworkCreateRequest.Options of type string", "/networks/create", {"Name": N, "Options": {"a": True}}),
        (400, "invalid JSON: Container must be a string", "/networks/none/connect", {"Container": 5}),
        (400, "invalid JSON: Force must be a boolean", "/networks/none/disconnect", {"Container": "x", "Force": "x"})):
    refused(status, words, "post", path, body)
status, answer = ask("post", "/volumes/create", {"Name": NAME, "Labels": {"a": None}})
check((status, answer["Labels"]), (201, {"a": ""}))
docker.remove_volume(NAME)

# a name and its tag, which are two words here
for path, query in (("/images/box/tag", {}), ("/images/create", {"fromSrc": "-"}), ("/commit", {"container": NAME})):
    refused(400, "invalid tag format", "post", path, repo="x", tag="b/d", **query)
    refused(400, "cannot import digest reference", "post", path, repo="x@sha256:" + 64 * "a", **query)
refused(400, "invalid tag format", "post", "/images/create", fromImage="x", tag="b/d")
check(ask("post", "/images/box/tag", repo="box:other", tag=NAME)[0], 201)
check(ask("delete", "/images/box:" + NAME), (200, [{"Untagged": "box:" + NAME}]))
refused(400, 'invalid name or ID supplied: ""', "post", "/commit")
refused(400, "invalid reference format: repository name (library/BAD) must be lowercase", "get", "/distribution/BAD/json")
for method, path in ("get", "/services/x"), ("delete", "/nodes/x"), ("post", "/secrets/x/update"):
    status, answer = ask(method, path)
    check((status, answer["message"][:34]), (503, "This node is not a swarm manager. "))
refused(503, "This node is not part of a swarm", "post", "/swarm/leave")

# moments, as docker's client sends them: no words of users
for sent in "10m", "x", "+", "1.0.0", "2030-01-01T00:00:00Z", "9" * 20:
    word = sent.partition(".")[2] or sent
    problem = "value out of range" if sent[0] == "9" else "invalid syntax"
    for key in "since", "until":
        for path in "/events", "/containers/%s/logs" % NAME:
            refused(500, 'strconv.ParseInt: parsing "%s": %s' % (word, problem), "get", path, stdout=1, **{key: sent})
for since, until in ("5", "1"), ("10.000000005", "10.000000001"), ("1900000000", "0"):
    refused(400, "`since` time (%s) cannot be after `until` time (%s)" % (since, until), "get", "/events",
            since=since, until=until)
for text in "x", "[]", '{"a":1}', '{"a":{"b":1}}', '{"a":["b",1]}', '{"a":["b"],"c":{"d":true}}':
    for path in "/events", "/containers/json", "/images/json", "/networks", "/volumes":
        refused(400, "invalid filter", "get", path, filters=text, until=1)
check(ask("get", "/containers/json", filters="null")[0], 200)

# moments before 1970, as docker's client counts the year 0
docker.start(NAME + "c")
refused(500, "ps: error: unknown gnu long option", "get", "/containers/%sc/top" % NAME, ps_args="--nope")
if shutil.which("ps"):
    check(ask("get", "/containers/%sc/top" % NAME, ps_args="-p 1 -o pid"), (200, {"Processes": None, "Titles": ["PID"]}))
docker.remove_container(NAME + "c", force=True)
docker.start(NAME)
docker.wait(NAME)
for moment in "-62167219200.000000000", "-5", "-0.5":
    r = docker._get(docker._url("/containers/%s/logs" % NAME), params={"stdout": 1, "since": moment})
    check((r.status_code, r.content), (200, b""))

# an archive that nobody reads, because the first word of the request was wrong: its sender hears why
big = io.BytesIO()
with tarfile.open(fileobj=big, mode="w") as t:
    info = tarfile.TarInfo("a")
    info.size = 64 << 20
    t.addfile(info, io.BytesIO(bytes(info.size)))
for _ in range(5):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(150)
    s.connect(docker.base_url.replace("http+docker://localhost", "") or docker._custom_adapter.socket_path)
    s.sendall(b"POST /v1.41/images/create?fromSrc=-&changes=RUN+x HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
              % big.getbuffer().nbytes)
    s.sendall(big.getbuffer())
    answer = s.makefile("rb").read()
    check(answer.split(b"\r\n")[0], b"HTTP/1.1 400 Bad Request")
    check(b"is not a valid change command" in answer, True)
for name in NAME, NAME + "b":
    docker.remove_container(name)
