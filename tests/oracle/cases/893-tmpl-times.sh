#!/bin/sh
# moments in formats of network inspect are Go's time.Time
# tags: template inspect
# weight: rare
while read -r t; do
  echo "== $t"
  $DOCKER network inspect -f "$t" none >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e
done <<'END'
{{.Created.Add 0 | printf "%T"}}
{{.Created.Equal .Created}} {{.Created.After .Created}} {{.Created.Before .Created}} {{.Created.Compare .Created}} {{.Created.Sub .Created}}
{{printf "%T" .Created.Unix}} {{printf "%T" .Created.UnixNano}} {{printf "%T" .Created.UnixMilli}} {{printf "%T" .Created.UnixMicro}}
{{printf "%T" .Created.MarshalJSON}}
{{.Created.Foo}}
{{.Created.Date}}
{{.Created.Clock}}
{{.Created.Zone}}
{{.Created.ISOWeek}}
{{.Created.Format 1}}
{{.Created.Format}}
{{lt 19 (len .Created)}}
{{index .Created 0}}
{{eq .Created .Created}}
{{lt .Created .Created}}
{{if .Created}}y{{end}}
{{not .Created}}
{{.Created.In nil}}
{{.Created.Format ""}}
{{.Created.Format "foo"}}
{{.Created.UTC.Location}} {{.Created.Local.UTC.Location}} {{(.Created.In .Created.UTC.Location).Location}}
{{eq (len (.Created.Format "2006-01-02T15:04:05")) 19}} {{eq (.Created.Format "2006") (printf "%d" .Created.Year)}}
{{eq (.Created.Format "1 2 15 4 5") (printf "%d %d %02d %d %d" .Created.Month .Created.Day .Created.Hour .Created.Minute .Created.Second)}}
{{eq (.Created.Format "January Jan") (printf "%s %.3s" .Created.Month .Created.Month)}} {{eq (.Created.Format "Monday Mon") (printf "%s %.3s" .Created.Weekday .Created.Weekday)}}
{{.Created.UTC.Format "MST -0700 -07:00 -07 Z07:00 Z0700 -07:00:00 foo Janus Monx"}}
{{eq (.Created.Format "06 01 02 03 04 05 002") (.Created.Format "06 01 02 03 04 05 002")}} {{eq (printf "%03d" .Created.YearDay) (.Created.Format "002")}}
{{(.Created.Truncate 86400000000000).UTC.Format "15:04:05.000 3 PM pm|.999|,00|"}}
{{(.Created.UTC.Truncate 86400000000000).Add 3723004005006 | printf "%.0s"}}{{(((.Created.UTC.Truncate 86400000000000).Add 3723004005006).Format "15:04:05.000000000 .000 ,999999999 3:4:5PM")}}
{{(.Created.Add 5000000000).Sub .Created}} {{.Created.Sub (.Created.Add 1)}} {{.Created.Before (.Created.Add 1)}} {{(.Created.Add 1).Compare .Created}}
{{eq .Created.Unix (.Created.UTC).Unix}} {{eq (printf "%d" .Created.UnixNano) (printf "%d%09d" .Created.Unix .Created.Nanosecond)}}
{{eq (printf "%s" .Created.MarshalText) (print (slice (json .Created) 1 (len (printf "%s" .Created.MarshalJSON | slice "x" 1))))}}
{{eq (printf "\"%s\"" .Created.MarshalText) (printf "%s" .Created.MarshalJSON)}} {{eq (printf "%s" .Created.MarshalJSON) (json .Created)}}
{{$c := .Created}}{{eq $c.Year .Created.Year}} {{with .Created}}{{eq .Year $c.Year}}{{end}} {{eq ("2006" | .Created.Format) (.Created.Format "2006")}}
{{eq .Created.GoString (printf "%#v" .Created)}}
{{printf "%d %s %v" .Created.Month .Created.Month .Created.Month | len | lt 5}}
END
