#!/bin/sh
# aliases and logins of a config.json, one that cannot be read, and formats of plugins
# tags: config errors
# weight: rare
mkdir c
try() {
	echo "== $*"
	$DOCKER --config "$TMP/c" "$@" >out 2>err
	rc=$?
	sed '/^$/d' out | head -n 2
	sed "s#$TMP/##g; /^\$/d" err
	echo "rc=$rc"
}
file() {
	echo "==== $1"
	printf %s "$1" >c/config.json
}
file '{"aliases":{"foo":"ps"}}'
for words in 'context show' 'context show --nosuch' nosuch '-H bogus:// ps' '--nosuch ps'; do
	try $words
done
while read -r line; do
	file "$line"
	try context show
done <<'END'
{"aliases":{"builder":"buildx"}}
{"aliases":{"builder":"nosuch -a"}}
{"aliases":{"builder":""}}
{"aliases":{"builder":"ps"}}
{"aliases":{"builder":"ps -a"}}
{"aliases":{"builder":" ps"}}
{"aliases":{"builder":"-a"}}
{"aliases":{"builder":"container ls"}}
{"aliases":{"builder":"container nosuch"}}
{"aliases":{"builder":null}}
{"aliases":{"builder":5}}
{"aliases":{"Builder":"buildx"}}
{"aliases":{"fo\"o":null}}
{"aliases":"x"}
{"aliases":{}}
{"auths":{"x":{"auth":"!!!"}}}
{"auths":{"x":{"auth":"YQ=="}}}
{"auths":{"x":{"auth":"YTpi"}}}
{"auths":{"x":{"auth":"Og=="}}}
{"auths":{"x":{"auth":"YWI6"}}}
{"auths":{"x":{"auth":"YT=="}}}
{"auths":{"x":{"auth":"YTr="}}}
{"auths":{"x":{"auth":"YTp="}}}
{"auths":{"x":{"auth":"Y"}}}
{"auths":{"x":{"auth":"YTpiOg"}}}
{"auths":{"x":{"auth":"YTpi==="}}}
{"auths":{"x":{"auth":"YTpiOmM="}}}
{"auths":{"x":{"auth":"YTpiOmM=YQ=="}}}
{"auths":{"x":{"auth":"YTpiYTpiYT!i"}}}
{"auths":{"x":{"auth":"YTpiYTpi="}}}
{"auths":{"x":{"auth":"YTpiYTpiY=a="}}}
{"auths":{"x":{"auth":"YTpiYTpiYa=a"}}}
{"auths":{"x":{"auth":"YTpiYTpiYa="}}}
{"auths":{"x":{"auth":"YTpiYTpiYa==\n"}}}
{"auths":{"x":{"auth":"Y\nTpiYT\npiYa!="}}}
{"auths":{"x":{"AUTH":"!"}}}
{"Auths":{"x":{"auth":"!"}}}
{"auths":{"x":{"auth":"!"}},"psFormat":5}
{"auths":{"x":{"auth":""},"y":null}}
{"credsStore":"nosuch","credHelpers":{"x":"y"},"plugins":{"x":{"y":"z"}},"features":{"x":"y"}}
null
END
file '{"auths":{"x":{"auth":"!"}},"pluginsFormat":"X{{"}'
try plugin ls
try plugin ls -q
rm c/config.json
mkdir c/config.json
try context show
rmdir c/config.json
ln -s config.json c/config.json
try context show
rm c/config.json
echo '== a file'
: >f
$DOCKER --config "$TMP/f" context show 2>&1 | sed "s#$TMP/##g"
