# SPDX-License-Identifier: Apache-2.0
# bash completion for sbx: what `sbx __complete` offers, which it takes from the rows that parse options.

_sbx() {
	local line current=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	while IFS= read -r line; do
		if [ "$line" = :files ]; then
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
		else
			COMPREPLY+=("${line%%$'\t'*}")
		fi
	done < <(command "$1" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}

complete -o default -F _sbx sbx
