#!/bin/sh
# what the client's file cannot hold of what it has is said in Go's words, whichever member it is and however its name is spelled
# tags: cli
# weight: rare
mkdir c
while IFS= read -r text; do
	printf '%s' "$text" >c/config.json
	echo "# $text"
	$DOCKER --config c volume inspect nosuch$N 2>&1 | sed "s/$N/N/g"
done <<'X'
{"HttpHeaders":3}
{"HttpHeaders":{"a":"b","c":3}}
{"HttpHeaders":{"a":null}}
{"auths":[]}
{"auths":{"a":1}}
{"auths":{"a":{"email":[]}}}
{"auths":{"a":{"EMAIL":[],"other":3}}}
{"credHelpers":[]}
{"credHelpers":{"a":{}}}
{"pruneFilters":{}}
{"pruneFilters":["a=b",3]}
{"cliPluginsExtraDirs":"x"}
{"proxies":"x"}
{"proxies":{"default":3}}
{"proxies":{"default":{"httpProxy":3}}}
{"plugins":{"a":3}}
{"plugins":{"a":{"b":3}}}
{"features":{"buildkit":true}}
{"aliases":3}
{"PSFORMAT":3}
{"psFormat":3,"HttpHeaders":3}
{"HttpHeaders":3,"psFormat":3}
{"nosuchFormat":3,"kubernetes":3,"stackOrchestrator":3}
X
echo '{"VOLUMESFORMAT":"{{.Name}}!"}' >c/config.json
$DOCKER volume create $N-v >/dev/null
$DOCKER --config c volume ls --filter name=$N-v 2>&1 | sed "s/$N/N/"
$DOCKER volume rm $N-v >/dev/null
