t enroot list
t enroot create box.sqsh
t enroot list
t enroot create box.sqsh
t enroot create --force box.sqsh
t enroot create -n x/y box.sqsh
t enroot create -n other "$PWD/box.sqsh"
t enroot create no.sqsh
t enroot create sub/no.sqsh
t enroot create ""
echo x >text
t enroot create text
mkdir dir
t enroot create dir
cp box.sqsh plain
t enroot create plain
ln -s box.sqsh link.sqsh
t enroot create link.sqsh
t enroot create -n l link.sqsh
t enroot list
ENROOT_FORCE_OVERRIDE=y t enroot create box.sqsh
t enroot remove -f box other
t enroot list
t enroot remove -f plain nothere l
t enroot list
t enroot remove -f x/y
t enroot remove -f ""
