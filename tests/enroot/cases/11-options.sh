t enroot create a b
t enroot create -n
t enroot create --name
t enroot create --name= box.sqsh
t enroot create -nNAME box.sqsh
t enroot create --name=one box.sqsh
t enroot create -n two -- box.sqsh
t enroot create --force=y box.sqsh
t enroot create box.sqsh -n three
t enroot start -rw one
t enroot start --root=y one
t enroot start -e
t enroot start --env= one
t enroot start -m "" one
t enroot start
t enroot exec 1
t enroot exec -e A=1 1
t enroot info x
t enroot info --x
t enroot list --fancy=y
t enroot list x y
t enroot list -- x
t enroot list -f -f | sed 's/  */ /g; /^| <unknown>/d; /^| [0-9]/d'
t enroot remove
t enroot remove -f
t enroot export
t enroot export a b
t enroot import
t enroot import a b
t enroot digest
t enroot load
t enroot batch
t enroot bundle
t enroot bundle a b
