load lib

# tree NAME: makes a small tree to be packed
tree() {
	mkdir -p "$1/bin" "$1/etc" "$1/deep/er"
	cp "$(command -v busybox)" "$1/bin/busybox"
	for applet in sh cat env ls pwd md5sum readlink stat; do
		ln -s busybox "$1/bin/$applet"
	done
	seq 30000 >"$1/deep/er/numbers"
	ln -s er/numbers "$1/deep/link"
	ln "$1/deep/er/numbers" "$1/deep/hard"
}

pack() {
	mksquashfs "$1" "$2" -all-root -noappend -no-progress -quiet "${@:3}" >/dev/null
}

@test "gzip, xz, lzo, lz4 and zstd images run from their path" {
	tree t
	for comp in gzip xz lzo lz4 zstd; do
		pack t "$comp.sqsh" -comp "$comp"
		equal "$(sbx run --rm "./$comp.sqsh" md5sum /deep/link)" \
			"$(md5sum <t/deep/er/numbers | cut -d ' ' -f 1)  /deep/link"
	done
}

@test "images without compression, with small and with large blocks, without fragments" {
	tree t
	pack t none.sqsh -noI -noD -noF -noX
	pack t small.sqsh -b 4096
	pack t large.sqsh -b 1M
	pack t nofrag.sqsh -no-fragments
	for image in none small large nofrag; do
		equal "$(sbx run --rm "./$image.sqsh" md5sum /deep/hard | cut -d ' ' -f 1)" \
			"$(md5sum <t/deep/er/numbers | cut -d ' ' -f 1)"
	done
}

@test "a file given by path is not in the list of images" {
	tree t
	pack t own.sqsh
	sbx run --rm "$PWD/own.sqsh" /bin/ls / >/dev/null
	equal "$(sbx images -q)" ""
}

@test "a file given by path may be replaced by another between two runs" {
	tree t
	echo one >t/mark
	pack t own.sqsh
	equal "$(sbx run --rm ./own.sqsh cat /mark)" one
	echo two >t/mark
	pack t new.sqsh
	mv new.sqsh own.sqsh
	equal "$(sbx run --rm ./own.sqsh cat /mark)" two
}

@test "a name with a space, and one with a colon" {
	tree t
	pack t 'a b:c.sqsh'
	equal "$(sbx run --rm './a b:c.sqsh' cat /deep/link | tail -n 1)" 30000
}

@test "what enroot made: /etc/environment is honoured" {
	tree t
	printf '# comment\nPATH=/bin\nONE=1\nTWO="quoted words"\nTHREE=a=b\n' >t/etc/environment
	pack t enroot.sqsh
	run -0 sbx run --rm -e ONE=mine ./enroot.sqsh env
	contains "$output" ONE=mine
	contains "$output" THREE=a=b
	contains "$output" "PATH=/bin"
}

@test "what enroot made: /etc/rc starts the command" {
	tree t
	cat >t/etc/rc <<-'RC'
		mkdir -p "/work" 2> /dev/null
		cd "/work" || exit 1

		if [ -s /etc/rc.local ]; then
		    . /etc/rc.local
		fi

		if [ $# -gt 0 ]; then
		    exec "/bin/env" "FROM=rc" "$@"
		else
		    exec "/bin/env" "FROM=rc" '/bin/sh' '-c' 'echo default'
		fi
	RC
	printf 'PATH=/bin\n' >t/etc/environment
	pack t enroot.sqsh
	equal "$(sbx run --rm ./enroot.sqsh)" default
	equal "$(sbx run --rm ./enroot.sqsh sh -c 'pwd; echo $FROM')" $'/work\nrc'
}

@test "exec bits, owners, modes, times, links and devices are the image's" {
	tree t
	chmod 4755 t/bin/busybox
	chmod 640 t/deep/er/numbers
	touch -d '2001-02-03 04:05:06 UTC' t/deep/er/numbers
	mkfifo t/pipe
	pack t own.sqsh
	equal "$(sbx run --rm ./own.sqsh sh -c '
		stat -c "%a %u %h %Y" /deep/er/numbers; readlink /deep/link; stat -c %F /pipe; stat -c %a /bin/busybox')" \
		$'640 0 2 981173106\ner/numbers\nfifo\n4755'
}

@test "thousands of files, long names, deep directories" {
	tree t
	(cd t/deep && for i in {1..3000}; do : >"file $i"; done)
	long=$(printf 'n%.0s' {1..255})
	echo deep >"t/$long"
	mkdir -p t/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p
	pack t own.sqsh
	equal "$(sbx run --rm ./own.sqsh sh -c "ls /deep | /bin/busybox wc -l; cat /$long; ls -d /a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p")" \
		$'3003\ndeep\n/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p'
}

@test "a directory of the image can be removed and made again (userxattr)" {
	tree t
	mkdir -p t/full/of/things
	touch t/full/a t/full/of/b
	pack t own.sqsh
	run -0 sbx run --rm ./own.sqsh /bin/busybox sh -c '
		/bin/busybox rm -rf /full && /bin/busybox mkdir /full && ls -A /full && /bin/busybox mv /deep /moved && cat /moved/link | /bin/busybox tail -n 1'
	equal "$output" 30000
}

# ways COMMAND...: runs it with each fallback forced
ways() {
	for way in "SBX_FUSE=off" "SBX_OVERLAY=off" "SBX_FUSE=off SBX_OVERLAY=off"; do
		# shellcheck disable=SC2086
		export ${way?}
		"$@" || { echo "with $way"; return 1; }
		unset SBX_FUSE SBX_OVERLAY
	done
}

works() {
	run -0 sbx run --name "$c-$RANDOM" ./own.sqsh /bin/busybox sh -c '
		cat /deep/link | /bin/busybox tail -n 1
		echo written >/deep/new && cat /deep/new
		/bin/busybox rm -rf /deep/er && ls /deep
		stat -c %a /etc/secret'
	equal "$output" $'30000\nwritten\nhard\nlink\nnew\n600' || return
	equal "$(sbx run --rm ./own.sqsh ls /deep)" $'er\nhard\nlink'
}

@test "without /dev/fuse, and without overlay: all the same to who is inside" {
	tree t
	echo x >t/etc/secret
	chmod 600 t/etc/secret
	pack t own.sqsh
	ways works
}

specials() {
	equal "$(sbx run --rm "$c" stat -c '%n %F %a %h %Y' /etc/p /etc/l /deep/p /deep/l)" \
		$'/etc/p fifo 642 2 1000000000\n/etc/l symbolic link 777 2 1000000000\n/deep/p fifo 642 2 1000000000\n/deep/l symbolic link 777 2 1000000000'
}

@test "... so are pipes and links, with their times and their several names" {
	tree t
	mkfifo -m 642 t/etc/p
	ln -s somewhere t/etc/l
	touch -h -d @1000000000 t/etc/p t/etc/l
	# neither mksquashfs nor tar makes one file of these
	python3 - <<-'END'
		import tarfile
		t = tarfile.open("t.tar", "w")
		t.add("t", ".")
		for name in "pl":
		    i = tarfile.TarInfo("deep/" + name)
		    i.type, i.linkname = tarfile.LNKTYPE, "etc/" + name
		    t.addfile(i)
		t.close()
	END
	sbx import t.tar "$c" >/dev/null
	specials
	ways specials
	sbx rmi "$c" >/dev/null
}

@test "... and what an exec and a second start see" {
	tree t
	pack t own.sqsh
	again() {
		local name=$c-$RANDOM
		sbx run -d --name "$name" ./own.sqsh /bin/busybox sleep 100000 >/dev/null
		sbx exec "$name" sh -c 'echo kept >/kept'
		sbx restart -t 0 "$name" >/dev/null
		equal "$(sbx exec "$name" cat /kept)" kept || return
		sbx rm -f "$name" >/dev/null
	}
	ways again
}

@test "... and no image server runs without /dev/fuse" {
	export SBX_ROOT=$BATS_TEST_TMPDIR/d SBX_RUNTIME=$BATS_TEST_TMPDIR/r SBX_FUSE=off
	sbx run -d --name "$c" "$box" sh -c 'sleep 100000' >/dev/null
	lacks "$(sbx exec "$c" cat /proc/mounts)" "fuse"
	sbx rm -f "$c"
}

@test "a store whose file system has no user xattrs" {
	# a tmpfs, which has none before Linux 6.6
	run -0 unshare -Urm --propagation private bash -c '
		set -e
		mkdir small
		mount -t tmpfs none small
		export SBX_ROOT=$PWD/small/d SBX_RUNTIME=$PWD/small/r
		"$0" run --rm "$1" sh -c "rm -rf /var && mkdir /var && ls -A /var && echo good"
		"$0" run --rm "$1" sh -c "echo again"' "$SBX" "$box"
	equal "$output" $'good\nagain'
}
