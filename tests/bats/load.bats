#!/usr/bin/env bats
# load: images from archives, and hostile archives

load lib

# archive PYTHON: makes t.tar of what the code puts into `files`, a list of names and bytes; layer(), config()
# and docker() help.
archive() {
	python3 - "$1" <<-'END'
		import hashlib, io, json, sys, tarfile
		def layer(*entries):
		    out = io.BytesIO()
		    t = tarfile.open(fileobj=out, mode="w")
		    for name, data in entries:
		        i = tarfile.TarInfo(name); i.size = len(data); t.addfile(i, io.BytesIO(data))
		    t.close()
		    return out.getvalue()
		def digest(b): return hashlib.sha256(b).hexdigest()
		def config(*layers):
		    return json.dumps({"architecture": "amd64", "os": "linux", "config": {"Cmd": ["sh"]},
		        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest(l) for l in layers]}}).encode()
		def docker(config, layers, tags):
		    return json.dumps([{"Config": config, "Layers": layers, "RepoTags": tags}]).encode()
		files = []
		exec(sys.argv[1])
		with tarfile.open("t.tar", "w") as t:
		    for name, data in files:
		        i = tarfile.TarInfo(name)
		        if isinstance(data, str):
		            i.type = tarfile.SYMTYPE; i.linkname = data; t.addfile(i)
		        else:
		            i.size = len(data); t.addfile(i, io.BytesIO(data))
	END
}

refused() {
	run -1 --separate-stderr sbx load -i t.tar
	equal "$stderr" "$1"
	[ -z "$(sbx images -q)" ]
	[ -z "$(ls "$SBX_ROOT/layers" 2>/dev/null)" ]
}

# sha256 NAME DATA: prints the diff id of layer((NAME, DATA))
sha256() {
	archive "print('sha256:' + digest(layer(('$1', b'$2'))))"
}

@test "what docker saved gets its names and its id, plain or compressed" {
	archive "l = layer(('f', b'x')); c = config(l)
open('id', 'w').write('sha256:' + digest(c))
files = [('c.json', c), ('a/layer.tar', l), ('b/layer.tar', '../a/layer.tar'), ('manifest.json', docker('c.json', ['b/layer.tar'], ['$c:1', '$c:2']))]"
	[ "$(sbx load -i t.tar)" = "$(printf 'Loaded image: %s:1\nLoaded image: %s:2' "$c" "$c")" ]
	[ "$(sbx image inspect -f '{{.Id}}' "$c:2")" = "$(cat id)" ]
	gzip -k t.tar
	sbx load -qi t.tar.gz
	for by in gzip bzip2 xz zstd; do
		sbx rmi "$c:1" "$c:2" >/dev/null
		"$by" -c t.tar | sbx load -q
		[ "$(sbx image inspect -f '{{.Id}}' "$c:2")" = "$(cat id)" ]
	done
	sbx rmi "$c:1" "$c:2" >/dev/null
}

@test "what a builder said of the arguments is kept, and told where it is so" {
	for said in True False; do
		archive "l = layer(('f', b'x')); c = json.loads(config(l)); c['config']['ArgsEscaped'] = $said; c = json.dumps(c).encode()
files = [('c.json', c), ('l.tar', l), ('manifest.json', docker('c.json', ['l.tar'], ['$c:1']))]"
		sbx load -q <t.tar >/dev/null
		equal "$(sbx inspect -f '{{.Config.ArgsEscaped}}' "$c:1")" "${said,}"
		equal "$(sbx inspect "$c:1" | grep -c '"ArgsEscaped": true')" "$([ "$said" = True ] && echo 1 || echo 0)"
		sbx rmi "$c:1" >/dev/null
	done
}

@test "an OCI layout is loaded" {
	archive "l = layer(('f', b'x')); c = config(l); b = lambda x: 'blobs/sha256/' + digest(x)
d = lambda x: {'digest': 'sha256:' + digest(x), 'size': len(x)}
m = json.dumps({'config': d(c), 'layers': [d(l)]}).encode()
i = dict(d(m), annotations={'io.containerd.image.name': 'docker.io/library/$c:1'})
files = [(b(l), l), (b(c), c), (b(m), m), ('index.json', json.dumps({'manifests': [i]}).encode()), ('oci-layout', b'{}')]"
	[ "$(sbx load <t.tar)" = "Loaded image: $c:1" ]
	sbx rmi "$c:1" >/dev/null
}

@test "an OCI layout for another kind of machine is refused" {
	archive "l = layer(('f', b'x')); c = config(l).replace(b'linux', b'windows'); b = lambda x: 'blobs/sha256/' + digest(x)
d = lambda x: {'digest': 'sha256:' + digest(x), 'size': len(x)}
m = json.dumps({'config': d(c), 'layers': [d(l)]}).encode()
files = [(b(l), l), (b(c), c), (b(m), m), ('index.json', json.dumps({'manifests': [d(m)]}).encode()), ('oci-layout', b'{}')]"
	refused "cannot load windows image on linux"
}

# As buildx writes them: the index has the name, and one manifest, without a platform, is an attestation. That has a list of
# all that is in the image, which nobody reads here, however long it is.
@test "of an index in an OCI layout the image for this machine is loaded, under the index's name" {
	arch=$(sbx version -f '{{.Server.Arch}}')
	archive "b = lambda x: 'blobs/sha256/' + digest(x)
d = lambda x, **more: dict({'digest': 'sha256:' + digest(x), 'size': len(x)}, **more)
m = lambda c, *l: json.dumps({'config': d(c), 'layers': [d(x) for x in l]}).encode()
l = layer(('f', b'x')); c = config(l); mine = m(c, l); said = json.dumps({'predicate': 'x' * (9 << 20)}).encode(); none = config(said); proof = m(none, said)
p = lambda os, arch: {'platform': {'os': os, 'architecture': arch}}
open('id', 'w').write('sha256:' + digest(c))
n = json.dumps({'manifests': [d(b'not in the archive', **p('linux', 'sparc')), d(mine, **p('linux', '$arch')),
    d(proof, annotations={'vnd.docker.reference.type': 'attestation-manifest'}, **p('unknown', 'unknown'))]}).encode()
i = d(n, annotations={'io.containerd.image.name': 'docker.io/library/$c:1', 'org.opencontainers.image.ref.name': '1'})
files = [(b(x), x) for x in (l, c, mine, said, none, proof, n)]
files.append(('index.json', json.dumps({'manifests': [i]}).encode()))"
	equal "$(sbx load <t.tar)" "Loaded image: $c:1"
	equal "$(sbx images -aq --no-trunc)" "$(cat id)"
	sbx rmi "$c:1" >/dev/null
}

@test "more layers than a process may have files open at first" {
	archive "ls = [layer(('f', b'%d' % n)) for n in range(80)]; c = config(*ls)
files = [('c.json', c)] + [('%d/layer.tar' % n, l) for n, l in enumerate(ls)]
files.append(('manifest.json', docker('c.json', ['%d/layer.tar' % n for n in range(80)], ['$c:1'])))"
	(ulimit -Sn 64 && sbx load -qi t.tar)
	sbx rmi "$c:1" >/dev/null
}

@test "a layer that is not the one of the config is refused" {
	archive "l = layer(('f', b'x')); c = config(layer(('g', b'y')))
files = [('c.json', c), ('l.tar', l), ('manifest.json', docker('c.json', ['l.tar'], ['$c:1']))]"
	cp t.tar mixed.tar
	want=$(sha256 g y) got=$(sha256 f x)
	mv mixed.tar t.tar
	refused "invalid diffID for layer 0: expected \"$want\", got \"$got\""
}

@test "names that lead out are refused" {
	archive "files = [('../c.json', b'{}')]"
	refused '"../c.json" is outside of the archive'
	archive "files = [('a/l.tar', '../../../etc/passwd')]"
	refused '"a/l.tar" leads outside of the archive'
	archive "files = [('manifest.json', docker('/etc/passwd', ['../../x'], []))]"
	refused "open /etc/passwd: no such file or directory"
}

@test "a layer which writes outside of itself is refused" {
	archive "l = layer(('../../x', b'x')); c = config(l)
files = [('c.json', c), ('l.tar', l), ('manifest.json', docker('c.json', ['l.tar'], ['$c:1']))]"
	refused '"../../x" leads out of the image'
}

@test "links that lead to themselves, and nothing at all, are errors" {
	archive "files = [('a', 'b'), ('b', 'a'), ('manifest.json', docker('a', [], []))]"
	refused "open a: no such file or directory"
	echo junk >t.tar
	refused "unexpected EOF"
	: >t.tar
	refused "invalid archive: does not contain a manifest.json"
	archive "files = [('other', b'x')]"
	refused "invalid archive: does not contain a manifest.json"
}

@test "a list of few bytes that would take a day to go through is refused; one image under many names is not" {
	archive "l = layer(('f', b'x')); c = config(l)[:-1] + b', \"x\": \"' + b'x' * 4000000 + b'\"}'
files = [('c.json', c), ('l.tar', l), ('manifest.json', json.dumps([{'Config': 'c.json', 'Layers': ['l.tar']}] * 100000).encode())]"
	refused "c.json is named too often"
	archive "files = [('c.json', config()), ('manifest.json', json.dumps([{'Config': 'c.json', 'Parent': 'x'}] * 20000).encode())]
files += [('%d' % n, b'') for n in range(20000)]"
	refused "c.json is named too often"
	archive "l = layer(('f', b'x')); c = config(l)
m = json.dumps({'schemaVersion': 2, 'config': {'digest': 'sha256:' + digest(c)}, 'layers': [{'digest': 'sha256:' + digest(l)}]}).encode()
files = [('blobs/sha256/' + digest(b), b) for b in (l, c, m)] + [('index.json', json.dumps({'manifests': [
    {'digest': 'sha256:' + digest(m), 'annotations': {'org.opencontainers.image.ref.name': 'many-%d:1' % n}} for n in range(150)]}).encode())]"
	equal "$(sbx load -i t.tar | grep -c '^Loaded image: many-')" 150
	sbx rmi -f "$(sbx images -q --no-trunc many-7)" >/dev/null
}

@test "an environment that would take minutes to go through is refused" {
	archive "c = json.dumps({'os': 'linux', 'config': {'Env': ['A%d=' % n for n in range(100000)]}, 'rootfs': {'type': 'layers', 'diff_ids': []}}).encode()
files = [('c.json', c), ('manifest.json', docker('c.json', [], []))]"
	refused "image config: Env holds more than 16384 words"
}

@test "an archive that is cut leaves nothing" {
	archive "l = layer(('f', b'x' * 100000)); c = config(l)
files = [('c.json', c), ('l.tar', l), ('manifest.json', docker('c.json', ['l.tar'], ['$c:1']))]"
	head -c 50000 t.tar >cut
	mv cut t.tar
	refused "unexpected EOF"
}

@test "a list of images, a config, a layer or a name that is none is refused in docker's words" {
	while IFS='|' read -r json words; do
		archive "files = [('manifest.json', b'''$json''')]"
		refused "$words"
	done <<-'END'
		|EOF
		[{|unexpected EOF
		hello|invalid character 'h' looking for beginning of value
		null|invalid manifest, manifest cannot be null (but can be [])
		{}|json: cannot unmarshal object into Go value of type []tarexport.manifestItem
		["x"]|json: cannot unmarshal string into Go value of type tarexport.manifestItem
		[{"Config": 1}]|json: cannot unmarshal number into Go struct field manifestItem.Config of type string
		[{"Layers": "x"}]|json: cannot unmarshal string into Go struct field manifestItem.Layers of type []string
	END
	while IFS='|' read -r json words; do
		archive "l = layer(('f', b'x'))
files = [('c.json', b'''$json'''), ('l.tar', l), ('manifest.json', docker('c.json', ['l.tar'], ['$c:1']))]"
		refused "$words"
	done <<-'END'
		|unexpected end of JSON input
		{"a":|unexpected end of JSON input
		hello|invalid character 'h' looking for beginning of value
		[]|json: cannot unmarshal array into Go value of type image.Image
		{}|invalid image JSON, no RootFS key
		{"rootfs": {}}|invalid manifest, layers length mismatch: expected 1, got 0
		{"os": "windows"}|cannot load windows image on linux
	END
	archive "l = layer(('f', b'x')); c = config(l) + b' ' * (9 << 20)
files = [('c.json', c), ('l.tar', l), ('manifest.json', docker('c.json', ['l.tar'], []))]"
	refused "c.json: $(tar -xOf t.tar c.json | wc -c) bytes of JSON"
	archive "l = layer(('f', b'x')); files = [('manifest.json', docker('c.json', ['l.tar'], []) + b' ' * (9 << 20))]"
	refused "manifest.json: $(tar -xOf t.tar manifest.json | wc -c) bytes of JSON"
	archive "l = layer(('f', b'x')); c = config(l)
files = [('c.json', c), ('l.tar', l * 100 + b'junk' * 200), ('manifest.json', docker('c.json', ['none.tar'], []))]"
	refused "open none.tar: no such file or directory"
	archive "files = [('c.json', config(b'junk')), ('l.tar', b'junk' * 200), ('manifest.json', docker('c.json', ['l.tar'], []))]"
	refused "archive/tar: invalid tar header"
}

@test "of several images, one of which is damaged, none is stored" {
	archive "l = layer(('f', b'x')); m = layer(('g', b'y' * 100000))
files = [('1.json', config(l)), ('2.json', config(m)), ('2.tar', m[:5000]), ('1.tar', l), ('manifest.json', json.dumps([
    {'Config': '1.json', 'Layers': ['1.tar'], 'RepoTags': ['$c:1']}, {'Config': '2.json', 'Layers': ['2.tar'], 'RepoTags': ['$c:2']}]).encode())]"
	refused "unexpected EOF"
}

@test "an archive without names tells ids, one of none an empty line, and a name that moves is told" {
	archive "l = layer(('f', b'x')); m = layer(('g', b'y'))
open('ids', 'w').write('sha256:%s sha256:%s' % (digest(config(l)), digest(config(m))))
files = [('1.json', config(l)), ('2.json', config(m)), ('2.tar', m), ('1.tar', l), ('manifest.json', json.dumps([
    {'Config': '1.json', 'Layers': ['1.tar'], 'RepoTags': ['$c:1']}, {'Config': '2.json', 'Layers': ['2.tar'], 'RepoTags': None}]).encode())]"
	read -r one two <ids || true
	equal "$(sbx load -i t.tar)" "$(printf 'Loaded image: %s:1\nLoaded image ID: %s\nLoaded image ID: %s' "$c" "$one" "$two")"
	archive "files = [('manifest.json', b'[]')]"
	equal "$(sbx load -i t.tar | od -An -c)" "  \n"
	archive "m = layer(('g', b'y'))
files = [('2.json', config(m)), ('2.tar', m), ('manifest.json', docker('2.json', ['2.tar'], ['$c:1', '$c']))]"
	run -1 --separate-stderr sbx load -i t.tar
	equal "$output" ""
	equal "$stderr" "invalid tag \"$c\""
	equal "$(sbx images --no-trunc -q "$c")" "$one"
	archive "m = layer(('g', b'y'))
files = [('2.json', config(m)), ('2.tar', m), ('manifest.json', docker('2.json', ['2.tar'], ['$c:1']))]"
	equal "$(sbx load -i t.tar)" "The image $c:1 already exists, renaming the old one with ID $one to empty string
Loaded image: $c:1"
	sbx rmi "$c:1" "$one" >/dev/null
}

@test "a layer whose first name begins as JSON does is one, whatever made the archive" {
	for format in USTAR GNU PAX; do
		archive "tarfile.DEFAULT_FORMAT = tarfile.${format}_FORMAT; l = layer(('[x]', b'x')); m = layer(('{x', b'y')); c = config(l, m)
files = [('c.json', c), ('l', l), ('m', m), ('manifest.json', docker('c.json', ['l', 'm'], ['$c:1']))]"
		sbx load -qi t.tar
		sbx save -o again.tar "$c:1"
		sbx rmi "$c:1" >/dev/null
		sbx load -qi again.tar
		sbx create --name "$c" "$c:1" true >/dev/null
		equal "$(sbx cp "$c:/[x]" - | tar -xO)$(sbx cp "$c:/{x" - | tar -xO)" xy
		sbx rm "$c" >/dev/null
		sbx rmi "$c:1" >/dev/null
	done
	# of before there was a magic in headers
	archive "l = bytearray(layer(('[x]', b'x'))); l[257:512] = bytes(255); l[148:156] = b' ' * 8
l[148:156] = b'%06o\\0 ' % sum(l[:512]); l = bytes(l); c = config(l)
files = [('c.json', c), ('l', l), ('manifest.json', docker('c.json', ['l'], ['$c:1']))]"
	sbx load -qi t.tar
	sbx rmi "$c:1" >/dev/null
}

@test "a layer that the store has may be missing in the archive" {
	archive 'l = layer(("f", b"one")), layer(("g", b"two")); c = config(l[0]); files += [("c.json", c), ("l0", l[0]), ("manifest.json", docker("c.json", ["l0"], ["below:1"]))]'
	mv t.tar below.tar
	archive 'l = layer(("f", b"one")), layer(("g", b"two")); c = config(*l); files += [("c.json", c), ("l1", l[1]), ("manifest.json", docker("c.json", ["l0", "l1"], ["above:1"]))]'
	refused 'open l0: no such file or directory'
	sbx load -qi below.tar
	equal "$(sbx load -i t.tar)" 'Loaded image: above:1'
	sbx rmi below:1 >/dev/null
	sbx create --name "$c" above:1 >/dev/null
	equal "$(sbx cp "$c:/f" - | tar -xO)" one
	sbx rm "$c" >/dev/null
	sbx rmi above:1 >/dev/null
	[ -z "$(ls "$SBX_ROOT/layers")" ]
}

# The other holds it as a command does that has just stored it, or that clears away what a killed one left.
@test "a layer that another command has locked, and whose image is removed meanwhile, is loaded all the same" {
	archive "l = layer(('f', b'x')); c = config(l); import os
open('layer', 'w').write(digest(l))
files = [('blobs/sha256/' + digest(l), l), ('pad', b'[' + os.urandom(1 << 20).hex().encode()), ('blobs/sha256/' + digest(c), c),
    ('manifest.json', docker('blobs/sha256/' + digest(c), ['blobs/sha256/' + digest(l)], ['$c:1']))]"
	sbx load -qi t.tar
	mkfifo in
	sbx load -qi in 3>&- &
	loads=$!
	exec {to}>in
	flock "$SBX_ROOT/layers/$(cat layer).sqsh" head -c 1048576 t.tar >&"$to" # the layer was read, or this would not end
	sbx rmi "$c:1" {to}>&- >/dev/null
	tail -c +1048577 t.tar >&"$to"
	exec {to}>&-
	wait "$loads"
	equal "$(sbx cp "$(sbx create --name "$c" "$c:1" true):/f" - | tar -xO)" x
	sbx rm "$c" >/dev/null
	sbx rmi "$c:1" >/dev/null
}

@test "an image of nothing at all is saved and loaded" {
	sbx import - nothing:1 </dev/null >/dev/null
	sbx save -o t.tar nothing:1
	sbx rmi nothing:1 >/dev/null
	equal "$(sbx load -i t.tar)" 'Loaded image: nothing:1'
	sbx rmi nothing:1 >/dev/null
}

@test "layers that an image has twice are one of the stack, the upper one" {
	kind="awk '\$2 == \"/\" { print \$3 }' /proc/self/mounts"
	sbx import "$box" "$c:0" >/dev/null
	sbx save "$c:0" -o box.tar
	archive "o = tarfile.open('box.tar'); m = json.load(o.extractfile('manifest.json'))[0]
b = o.extractfile(m['Layers'][0]).read(); e = layer(); f = layer(('f', b'1'), ('d/f', b'1')); g = layer(('f', b'2'), ('d/.wh..wh..opq', b''), ('d/g', b'2'))
a = [b, e, f, g, e, f, e]; c = config(*a)
files = [('c.json', c), ('b.tar', b), ('e.tar', e), ('f.tar', f), ('g.tar', g),
    ('manifest.json', docker('c.json', ['befg'[[b, e, f, g].index(l)] + '.tar' for l in a], ['$c:1']))]"
	sbx load -qi t.tar
	equal "$(sbx image inspect -f '{{len .RootFS.Layers}}' "$c:1")" 7
	equal "$(sbx run --rm --network none "$c:1" sh -c 'cat /f /d/f; echo /d/*')" "11/d/f /d/g"
	equal "$(sbx run --rm --network none "$c:1" sh -c "$kind")" "$(sbx run --rm --network none "$c:0" sh -c "$kind")"
	sbx rmi "$c:0" "$c:1" >/dev/null
}

@test "a whiteout is one by its name, and may be told twice" {
	archive "
def whiteouts():
    out = io.BytesIO(); t = tarfile.open(fileobj=out, mode='w')
    d = tarfile.TarInfo('.wh.a/'); d.type = tarfile.DIRTYPE; t.addfile(d)
    for name in '.wh.b', 'b/.wh..wh..opq': t.addfile(tarfile.TarInfo(name))
    t.close()
    return out.getvalue()
l = [layer(('a/f', b'1'), ('b/f', b'1'), ('c', b'1')), whiteouts()]; c = config(*l)
files = [('c.json', c), ('0.tar', l[0]), ('1.tar', l[1]), ('manifest.json', docker('c.json', ['0.tar', '1.tar'], ['$c:1']))]"
	sbx load -qi t.tar
	sbx create --name "$c" "$c:1" true >/dev/null
	equal "$(sbx export "$c" | tar -t | grep -E '^\.?/?(\.wh\.)?[abc](/|$)')" c
	sbx rm "$c" >/dev/null
	sbx rmi "$c:1" >/dev/null
}

@test "an image keeps its parent where that is in the archive too" {
	archive "l = layer(('f', b'x')); h = {'created_by': 'a'}
def image(*steps): return json.dumps(dict(json.loads(config(l)), history=list(steps))).encode()
p = image(h); k = image(h, {'created_by': 'b'}); x = image({'created_by': 'b'}, h)
i = lambda j: 'sha256:' + digest(j)
open('ids', 'w').write(i(p) + ' ' + i(x))
item = lambda n, j, **m: dict({'Config': n, 'Layers': ['l.tar'], 'RepoTags': ['$c:' + n]}, **m)
files = [('k', k), ('p', p), ('x', x), ('l.tar', l), ('manifest.json', json.dumps([item('k', k, Parent=i(p)), item('p', p)]).encode())]
bad = files[:4] + [('manifest.json', json.dumps([item('p', p), item('x', x, Parent=i(p))]).encode())]
t = tarfile.open('bad.tar', 'w')
for name, data in bad:
    e = tarfile.TarInfo(name); e.size = len(data); t.addfile(e, io.BytesIO(data))
t.close()"
	read -r parent wrong <ids || true
	for times in 1 2; do
		sbx load -qi t.tar
		equal "$(sbx image inspect -f '{{.Parent}}' "$c:k" "$c:p")" "$parent"
		sbx save "$c:k" -o alone.tar
		sbx save "$c:k" "$c:p" -o t.tar
		sbx rmi "$c:k" "$c:p" >/dev/null
	done
	sbx load -qi alone.tar
	equal "$(sbx image inspect -f '{{.Parent}}' "$c:k")" ""
	sbx rmi "$c:k" >/dev/null
	mv bad.tar t.tar
	refused "image $parent is not a valid parent for $wrong"
}
