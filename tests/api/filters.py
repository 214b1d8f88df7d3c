# SPDX-License-Identifier: Apache-2.0
"""Filters as docker's daemon reads them: values that are set to false, and keys without values. A prune never takes more."""
import json
import sys

from client import check, client

NAME = sys.argv[1]
c = client()
docker = c.api


def ask(method, path, filters, **query):
    r = getattr(docker, "_" + method)(docker._url(path), params={"filters": json.dumps(filters), **query})
    return r.status_code, json.loads(r.text)


def prune(kind, filters):
    return ask("post", "/%s/prune" % kind, filters)


def refused(words, got):
    check(got, (400, {"message": words}))


OURS = {NAME: True}


def container(**labels):
    return docker.create_container("box", ["true"], labels={NAME: "", **labels})["Id"]


def gone(filters):
    status, answer = prune("containers", filters)
    check(status, 200)
    return sorted(answer["ContainersDeleted"] or [])


# containers: what is set to false restricts, too
one, other = container(one=""), container(other="")
check(gone({"label": {NAME: False, "nosuch": False}}), [])
check(gone({"label": {NAME: True, "nosuch": None}}), [])
check(gone({"label": OURS, "until": {"1h": False}}), [])
check(gone({"label": OURS, "label!": {}}), [])
refused("invalid filter 'until'", prune("containers", {"label": OURS, "until": {}}))
refused("more than one until filter specified", prune("containers", {"label": OURS, "until": {"1h": False, "2h": True}}))
check(gone({"label": OURS, "label!": {"one": False}}), [other])
check(gone({"label": OURS, "label!": {"one": True, "other": False}}), [one])

# volumes: "all" is any word of Go's, on or off; networks; images
docker.create_volume(NAME, labels={NAME: ""})
for values in {}, {"false": False}, {"F": True}:
    check(prune("volumes", {"label": OURS, "all": values})[1]["VolumesDeleted"], [])
refused("invalid filter 'all=[true 0]': only one value is expected", prune("volumes", {"label": OURS, "all": {"true": True, "0": False}}))
refused("invalid filter 'all': strconv.ParseBool: parsing \"x\": invalid syntax", prune("volumes", {"label": OURS, "all": {"x": True}}))
check(prune("volumes", {"label": {NAME: False, "nosuch": False}, "all": {"1": True}})[1]["VolumesDeleted"], [])
check([v["Name"] for v in ask("get", "/volumes", {"name": {NAME: False}, "driver": {"local": False}})[1]["Volumes"]], [NAME])
check(ask("get", "/volumes", {"label": {NAME: False}, "driver": {"x": False}})[1]["Volumes"], [])
check(prune("volumes", {"label": {NAME: False}, "all": {"1": False}})[1]["VolumesDeleted"], [NAME])

docker.create_network(NAME, labels={NAME: ""})
check(prune("networks", {"label": {NAME: False, "nosuch": False}})[1]["NetworksDeleted"], None)
for filters, names in (({"dangling": {}}, [NAME]), ({"dangling": {"true": False}}, [NAME]), ({"type": {"custom": False}}, [NAME]),
                       ({"type": {}}, []), ({"driver": {"bridge": False}}, [])):
    check([n["Name"] for n in ask("get", "/networks", {"label": OURS, **filters})[1]], names)
check(prune("networks", {"label": {NAME: False}})[1]["NetworksDeleted"], [NAME])

for values, words in ({"true": False}, "=[true]"), ({}, ""), ({"1": True, "false": True}, "=[1 false]"):
    refused("invalid filter 'dangling%s'" % words, prune("images", {"label": OURS, "dangling": values}))
    for path in "/images/json", "/volumes":
        refused("invalid filter 'dangling%s'" % words, ask("get", path, {"dangling": values}))
check(ask("get", "/images/json", {"dangling": {"true": True, "false": False, "x": True}, "label": OURS}), (200, []))
check(len(ask("get", "/images/json", {"reference": {"box": False}})[1]), 1)
check(ask("get", "/images/json", {"reference": {}})[1], [])

# containers listed: expressions are found, what must be equal is not, and some keys want a value
k = container()
for filters, found in (({"name": {NAME: False}}, 0), ({"status": {"created": False}}, 1), ({"status": {"running": False}}, 0),
                       ({"health": {"none": False}}, 0), ({"health": {}}, 1), ({"ancestor": {"box": False}}, 1),
                       ({"ancestor": {}}, 0), ({"id": {k[:12]: False}}, 1), ({"id": {}}, 1), ({"volume": {}}, 0),
                       ({"network": {}}, 0), ({"network": {"bridge": False}}, 1), ({"exited": {}}, 1)):
    check((filters, len(ask("get", "/containers/json", {"label": OURS, **filters}, all=1)[1])), (filters, found))
check(gone({"label": {NAME: False}}), [k])
