#!/bin/sh
# the names of an image stand in the order of their full forms
# tags: images, tag
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1; $DOCKER rmi -f $($DOCKER images -q --no-trunc "$N/*") >/dev/null 2>&1' EXIT
$DOCKER create --network none --name $N $IMAGE true >/dev/null
id=$($DOCKER commit -m $N $N $N/z)
for name in $N:2 $N:10 localhost:5000/$N b.example/$N $N/a:x aa.example:80/$N/b library/$N:y; do
	$DOCKER tag $id $name
done
$DOCKER image inspect -f '{{range .RepoTags}}{{println .}}{{end}}' $id | sed "s/$N/NAME/"
$DOCKER rmi -f $id | sed "s/$N/NAME/; /Deleted/d"
