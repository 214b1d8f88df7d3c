#!/bin/sh
# numbers of templates: complex ones, and those that are too large
# tags: template inspect
# weight: rare
trap '$DOCKER volume rm -f $N >/dev/null 2>&1' EXIT
$DOCKER volume create --label va=1 $N >/dev/null
while read -r t; do
  echo "== $t"
  $DOCKER volume inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e
done <<'END'
{{truncate .Name 1e0}}
{{truncate .Name 1+0i}}
{{18446744073709551615}}
{{9223372036854775808}}
{{1e7}} {{1.0}} {{printf "%T" 1.0}} {{printf "%T" 1e3}} {{0x1p3}} {{0b11}} {{0o17}} {{017}} {{1_000}} {{.5}} {{1e400}}
{{1e400}}
{{-1}} {{+1}} {{-0}} {{1e-7}} {{1e20}} {{1e21}} {{123456789.0}} {{0.000001}}
{{1i}} {{-1i}} {{1+1i}} {{1-1i}} {{1.5e1i}} {{0x1i}} {{1e3+2e3i}} {{0i}} {{1+0i}}
{{1ii}}
{{1+2i3}}
{{1 +2i}}
{{printf "%d" 1i}}
{{printf "%v %+v %#v %6.2f %x %e %g %G %s" 1i 1i 1i 1i 1i 1i 1i 1i 1i}}
{{printf "%08.2f|%-8.1f|% f|%+f" 1i 1i 1i 1i}}
{{println 1i 2i}} {{print 1i 2i}} {{html 1i}} {{js 1i}} {{urlquery 1i}}
{{eq 1i 1i 2i}} {{eq 1i 2i}} {{ne 1i 2i}} {{and 1i 0i}} {{or 0i 1i}}
{{index .Labels 1i}}
{{slice .Name 1i}}
{{range 1i}}{{end}}
{{call 1i}}
{{with 1i}}{{.}}{{.X}}{{end}}
{{1i.X}}
{{1i | print}}
{{printf 1i}}
{{printf "%*d" 1i 2}}
{{$x := 1i}}{{$x}} {{printf "%T" $x}}
END
