#!/bin/sh
# the rows of system df --verbose: all that is in them, and what a table makes shorter
# tags: template system
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm $N $N-a-long-name >/dev/null 2>&1' EXIT
$DOCKER volume create --label v=1 $N >/dev/null
$DOCKER volume create $N-a-long-name >/dev/null
$DOCKER create --name $N --network none -l a=1 -v $N-a-long-name:/w $IMAGE sh -c "echo many words of a command" >/dev/null
clean() { sed "s#$TMP#DIR#g; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/SHORT/g; s/\"[^\"]* ago\"/AGO/g; s/\"[0-9-]* [0-9:]* +0000 UTC\"/TIME/g; s#\"Mountpoint\":\"[^\"]*\"#PLACE#; s/\"Size\":\"[^\"]*\"/SIZE/"; }
for t in "{{range .Containers}}{{if eq .Names \"$N\"}}{{json .}}{{end}}{{end}}" \
  "{{range .Volumes}}{{if eq .Name \"$N\"}}{{json .}}{{end}}{{end}}" \
  "{{range .Containers}}{{if eq .Names \"$N\"}}{{.Command}} {{.Labels}} {{.Mounts}} {{.Networks}} {{.Ports}} {{.LocalVolumes}} {{.Platform}}{{end}}{{end}}" \
  "table {{range .Containers}}{{if eq .Names \"$N\"}}{{.ID}} {{.Command}} {{.Labels}}{{end}}{{end}}" \
  "{{range .Volumes}}{{if eq .Name \"$N\"}}{{.Labels}} {{.Links}} {{.Availability}} {{.Group}} {{.Status}}{{end}}{{end}}" \
  '{{printf "%T %T %T %T" .Images .Containers .Volumes .BuildCache}}' \
  '{{range .Containers}}{{.Nope}}{{end}}' '{{range .Volumes}}{{.Nope}}{{end}}' '{{range .Images}}{{.Nope}}{{end}}' '{{.Nope}}' 'table {{.Nope}}' '{{len .}}'; do
  echo "== $t" | clean
  $DOCKER system df -v --format "$t" 2>&1 | clean
  echo
done
$DOCKER system df -v | grep " $N\$" | sed "s/ [0-9]* [a-z]* ago/ AGO/; s/Less than a second ago/AGO/; s/  */ /g" | clean
$DOCKER system df -v --format raw | awk -v n=$N 'BEGIN { RS = "" } $0 ~ "names: " n || $0 ~ "name: " n "\n" { print }' | sed "s/: [0-9-]* [0-9:]* +0000 UTC/: TIME/; /^size/d" | clean
