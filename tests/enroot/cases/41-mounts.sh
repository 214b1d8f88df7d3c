enroot create -n a box.sqsh 2>/dev/null
mkdir -p dir/sub
echo x >dir/f
t enroot start -m dir:/made/deep a cat /made/deep/f
t enroot start -m "$PWD/dir/f:/made/f" a cat /made/f
t enroot start -m "$PWD/dir:/d:none:rbind,ro,x-create=dir" a touch /d/new
t enroot start -m "$PWD/dir:/d" a touch /d/new
t ls dir
t enroot start --mount=tmpfs:/t:tmpfs:x-create=dir,mode=700 a stat -c %a /t
t enroot start -m tmpfs:/t:x-create=dir,mode=711 a stat -c %a /t
t enroot start -m "$PWD/dir:/tmp:bind" a cat /tmp/f
t enroot start -m "$PWD/dir:/nothere:bind" a true
t enroot start -m "$PWD/dir:/d:x-create=dir,bind" a cat /d/f
t enroot start -m "$PWD/dir" a ls "$PWD/dir"
t enroot start -m "$PWD/none:/d:none:rbind,x-create=dir,nofail,silent" a echo went on
t enroot start -m "$PWD/none:/d:none:rbind,x-create=dir,nofail" a echo went on
t enroot start -m "$PWD/dir:../d:none:rbind,x-create=dir" a true
t enroot start -m "$PWD/dir:/usr/../../d:none:rbind,x-create=dir,nofail" a true
t enroot start -m "$PWD/dir:/usr/../d:none:rbind,x-create=dir" a ls /d
t enroot start -m "$PWD/dir:/d:ext4:rbind,x-create=dir" a ls /d
t enroot start -m "a b" a true
t enroot start -m ":x" a true
t enroot start -m "x:" a true
t enroot start -m "x::y" a true
t enroot start -m "$PWD/dir:/d" -m "$PWD/dir/sub:/d/f" a true
t enroot start -m "$PWD/dir:/tmp/d" -m "$PWD/dir/f:/tmp/f" a cat /tmp/d/f /tmp/f
t enroot start -m "$PWD/dir:/d:none:x-create=dir,bind" -m "/nowhere:/m:none:x-create=dir,x-move" a ls /d
t enroot start -m "none:/tmp:none:remount,bind,ro" a touch /tmp/x
t enroot start -m "none:/tmp:slave" a sh -c "echo slave"
t enroot start -m "none:/tmp:none:x-detach" a sh -c 'echo x >/tmp/file'
t enroot start -m "$PWD/dir:/d:x-create=dir,rbind,noexec" a sh -c 'grep -c " /d .*noexec" /proc/self/mounts'
t enroot start -m "$PWD/dir:/d:x-create=dir,rbind,nosuid,nodev" a sh -c 'grep " /d " /proc/self/mounts | grep -c nosuid,nodev'
t enroot start -m "$PWD/dir/f:/deep/er/file:x-create=file,bind" a cat /deep/er/file
t enroot start -m "tmpfs:/t" a sh -c 'ls -d /t'
t enroot start -m "proc:/p:proc:x-create=dir" --pid a sh -c 'ls -d /p/1'
mkdir -p .config/enroot/mounts.d
printf '%s\n' "# words" "$PWD/dir /one none bind,ro,x-create=dir 0 0" '${HOME}/dir /two x-create=dir,bind' "$PWD/dir /three none bind,x-create=dir 0 -1" "$PWD/dir /four none bind,x-create=dir 0 1" >.config/enroot/mounts.d/10.fstab
t enroot start a sh -c 'ls -d /one/f /two/f /three/f; ls /four'
echo "/nowhere/at/all /five" >.config/enroot/mounts.d/20.fstab
enroot start a true; echo $?
