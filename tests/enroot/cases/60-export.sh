enroot create -n a box.sqsh 2>/dev/null
enroot start -w -r a sh -c 'echo new >/new; mkdir -p /d/e; ln -s /new /link' 2>/dev/null
t enroot export a
t ls
t enroot export a
t enroot export -f a
t enroot export --output sub/x.sqsh a
t enroot export -o out.sqsh a
t enroot export -o out.sqsh a
t enroot export nothere
t enroot export x/y
t enroot export ""
enroot create -n b out.sqsh 2>/dev/null
t enroot start b sh -c 'cat /new /link; ls -d /d/e'
