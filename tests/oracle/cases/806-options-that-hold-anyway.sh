#!/bin/sh
# options of --mount which say what holds anyway are kept as said
# tags: create inspect volume
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm $N-v >/dev/null 2>&1' EXIT
for o in type=volume,src=$N-v,volume-nocopy=false type=volume,volume-driver= type=volume,volume-nocopy type=volume,volume-label=a type=volume \
	type=bind,src=/usr,bind-propagation= type=bind,src=/usr,bind-propagation=rprivate type=bind,src=/usr,readonly=false \
	type=tmpfs,tmpfs-size=0 type=tmpfs; do
	$DOCKER create --name $N --network none --mount $o,dst=/d -v $N-v:/e:nocopy $IMAGE true >/dev/null
	$DOCKER inspect -f '{{json .HostConfig.Binds}} {{json .HostConfig.Mounts}}' $N | sed "s/$N/NAME/g"
	$DOCKER rm -fv $N >/dev/null
done
