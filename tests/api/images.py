# SPDX-License-Identifier: Apache-2.0
import hashlib
import json
import sys

import docker

from client import check, client, refused, tar_of

c = client()
box = c.images.get("box")
check(box.tags, ["box:latest"])
for spelling in "box:latest", "docker.io/library/box", "library/box:latest", box.id, box.short_id:
    check(c.images.get(spelling).id, box.id)
try:
    c.images.get("nosuch")
    raise AssertionError("it is there")
except docker.errors.ImageNotFound as e:
    assert "No such image: nosuch:latest" in e.explanation
try:
    c.containers.create("nosuch")
    raise AssertionError("it is there")
except docker.errors.ImageNotFound:
    pass
check(c.images.pull("box").id, box.id)
refused(404, "pull access denied for nosuch", c.images.pull, "nosuch")
assert box.id in [i.id for i in c.images.list()]
check([i.id for i in c.images.list(name="box")], [box.id])
box.tag(sys.argv[1], "v1")
check(c.images.get(sys.argv[1] + ":v1").id, box.id)
assert len(box.history()) >= 1
c.images.remove(sys.argv[1] + ":v1")
refused(404, "No such image", c.images.get, sys.argv[1] + ":v1")

# In the config of an image as well, keys are taken in any case, and the last one counts.
layer = tar_of({"f": b"x"})
digest = hashlib.sha256(layer).hexdigest()
config = ('{"architecture":"amd64","OS":"linux","Author":"me","RootFS":{"type":"layers","Diff_IDs":["sha256:%s"]},"Config":'
          '{"Cmd":["a"],"Cmd":["b"],"cmd":["c"],"ENV":["A=b"],"labels":{"cmd":"d"}},"History":[{"Created_By":"z"}]}' % digest)
name = hashlib.sha256(config.encode()).hexdigest() + ".json"
manifest = json.dumps([{"Config": name, "RepoTags": [sys.argv[1] + ":v0"], "Layers": ["layer.tar"]}])
i, = c.images.load(tar_of({name: config.encode(), "layer.tar": layer, "manifest.json": manifest.encode()}))
check((i.id, i.attrs["Author"], i.history()[0]["CreatedBy"]), ("sha256:" + name[:-5], "me", "z"))
check([i.attrs["Config"][k] for k in ("Cmd", "Env", "Labels")], [["c"], ["A=b"], {"cmd": "d"}])
check(sum(len(b) for b in i.save()) > 0, True)
c.images.remove(i.id, force=True)

# what a container wrote becomes an image
k = c.containers.run("box", ["sh", "-c", "echo made > /made"], detach=True)
k.wait()
i = k.commit(sys.argv[1], "v2", changes="CMD cat /made")
check(c.containers.run(sys.argv[1] + ":v2", remove=True), b"made\n")
k.remove()
# An image without a name has one for old clients, in either listing.
for version, there in ("1.49", True), ("1.50", False):
    config = client(version=version).images.get(i.id).attrs["Config"]
    check(("Hostname" in config, "Tty" in config, "Image" in config, "Cmd" in config, "User" in config), (there, there, there, True, True))
k = c.containers.run("box", ["true"], detach=True)
k.wait()
nameless = k.commit()
k.remove()
old = client(version="1.41")
for rows in old.api.images(), old.df()["Images"]:
    row, = [r for r in rows if r["Id"] == nameless.id]
    check((row["RepoTags"], row["RepoDigests"]), (["<none>:<none>"], ["<none>@<none>"]))
row, = [r for r in c.df()["Images"] if r["Id"] == nameless.id]
check(row["RepoTags"], [])
c.images.remove(nameless.id)
c.images.remove(i.id, force=True)
