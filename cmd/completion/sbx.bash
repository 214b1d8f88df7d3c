# SPDX-License-Identifier: Apache-2.0
# bash completion for sbx. Everything it offers, it asks sbx: commands of --help, options of the rows
# which parse them, names of ps and images. So it knows what that sbx knows, and no more.

_sbx_commands() { # [GROUP]
	command "$sbx" ${1:+"$1"} --help 2>/dev/null | while IFS= read -r line; do
		case $line in
		*Commands:* | "Commands that"*) listing=1 ;;
		[A-Z]*) listing= ;;
		"  "[a-z]*) [ -z "$listing" ] || echo "${line%%  [A-Z]*}" ;;
		esac
	done
}

# Options of a command: --name, with "=" when it takes a value, and -x.
_sbx_options() {
	command "$sbx" __options "$1" 2>/dev/null | while IFS= read -r line; do
		line=${line#*$'\t'}
		case $line in *$'\t'hidden*) continue ;; esac
		[ "${line%%$'\t'*}" = "" ] || echo "-${line%%$'\t'*}"
		line=${line#*$'\t'}
		echo "--${line%%$'\t'*}"
	done
}

# Whether the option takes a value.
_sbx_takes_value() { # COMMAND OPTION
	local row letter name arg rest word=${2##*-}
	[[ $2 == --* ]] || word=${2: -1}
	while IFS= read -r row; do
		row=${row#*$'\t'} letter=${row%%$'\t'*} rest=${row#*$'\t'}
		name=${rest%%$'\t'*} rest=${rest#*$'\t'} arg=${rest%%$'\t'*}
		if [ "$2" = "--$name" ] || { [[ $2 != --* ]] && [ "$letter" = "$word" ]; }; then
			[ -n "$arg" ]
			return
		fi
	done < <(command "$sbx" __options "$1" 2>/dev/null)
	return 1
}

_sbx_containers() { # [-a]
	command "$sbx" ps "$@" --format '{{.Names}}' 2>/dev/null
}

_sbx_images() {
	command "$sbx" images --format '{{.Repository}}:{{.Tag}}' 2>/dev/null | grep -v '<none>'
}

_sbx_operands() { # COMMAND NUMBER: what the NUMBERth operand may be
	case $1 in
	run | create) [ "$2" -gt 1 ] || { _sbx_images; compgen -o plusdirs -f -X '!*.sqsh' -- "$current"; } ;;
	eval) [ "$2" -gt 1 ] || _sbx_images; compgen -f -- "$current" ;;
	exec) [ "$2" -gt 1 ] || _sbx_containers ;;
	stop | kill | attach | pause | unpause | top) _sbx_containers ;;
	start | restart | rm | logs | wait | rename | port) _sbx_containers -a ;;
	inspect) _sbx_containers -a; _sbx_images ;;
	rmi | tag | images | history | pull) _sbx_images ;;
	import) compgen -f -- "$current" ;;
	help) _sbx_commands ;;
	esac
}

_sbx_values() { # COMMAND OPTION: what its value may be
	case $2 in
	--network | --net) echo none host ;;
	--pull) echo always missing never ;;
	--ids) echo auto one range ;;
	--restart) echo no always on-failure unless-stopped ;;
	--type) echo container image ;;
	--log-driver) echo json-file local none ;;
	--output-limit-action) echo drop kill ;;
	--env-file | --label-file | --cidfile | --result | -v | --volume | --vars | --stdin | --redact-pattern) compgen -f -- "$current" ;;
	esac
}

_sbx() {
	local sbx=$1 current=${COMP_WORDS[COMP_CWORD]} command='' operands=0 value_of='' word i
	local -a words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
	COMPREPLY=()
	for ((i = 0; i < ${#words[@]}; i++)); do
		word=${words[i]}
		value_of=
		if [[ $word == -* && $word != *=* ]]; then
			_sbx_takes_value "$command" "$word" || continue
			value_of=$word
			((++i < ${#words[@]})) && value_of=
		elif [[ $word == -* ]]; then
			continue
		elif [ -z "$command" ]; then
			command=$word
		elif [[ $command =~ ^(container|image|system|volume|network)$ ]]; then
			command=$word
		else
			((++operands))
		fi
	done
	local offers
	if [ -n "$value_of" ]; then
		offers=$(_sbx_values "$command" "$value_of")
	elif [[ $command =~ ^(run|create|exec)$ ]] && [ "$operands" -gt 0 ]; then
		offers=
	elif [[ $current == -* ]]; then
		offers=$(_sbx_options "$command")
	elif [ -z "$command" ]; then
		offers=$(_sbx_commands)
	elif [[ $command =~ ^(container|image|system|volume|network)$ ]]; then
		offers=$(_sbx_commands "$command")
	else
		offers=$(_sbx_operands "$command" $((operands + 1)))
	fi
	mapfile -t COMPREPLY < <(compgen -W "$offers" -- "$current")
}

complete -o default -F _sbx sbx
