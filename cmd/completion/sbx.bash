# SPDX-License-Identifier: Apache-2.0
# bash completion for sbx: what `sbx __complete` offers, which it takes from the rows that parse options.

# The command line as words, in the caller's `words`: COMP_WORDS is cut at "=" and ":" too.
_sbx_words() {
	local line=${COMP_LINE:0:COMP_POINT} word i
	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if ((i == 0)) || [[ $line == [[:space:]]* ]]; then
			line=${line#"${line%%[![:space:]]*}"}
			words+=("")
		fi
		((i < COMP_CWORD)) || word=${word:0:${#line}}
		words[${#words[@]} - 1]+=$word
		line=${line:${#word}}
	done
}

_sbx() {
	local words line current kept breaks=${COMP_WORDBREAKS//[^=:]/} how=0 offers=()
	_sbx_words
	COMPREPLY=()
	while IFS= read -r line; do
		[[ $line == :[0-9] ]] && how=${line#:} || offers+=("${line%%$'\t'*}")
	done < <(command "$1" __complete "${words[@]:1}" 2>/dev/null)

	current=${words[${#words[@]} - 1]}
	[[ $current == --*=* ]] && current=${current#*=}
	kept=${breaks:+${current%"${current##*[$breaks]}"}} # to the shell it is a word of its own
	for line in "${offers[@]}"; do
		[[ $line == "$current"* ]] && COMPREPLY+=("${line#"$kept"}")
	done
	if ((how & 2)); then
		compopt -o nospace 2>/dev/null
	elif ((how & 4)); then
		compopt +o default 2>/dev/null
	else
		((${#COMPREPLY[@]})) || compopt -o filenames 2>/dev/null
		while IFS= read -r line; do
			COMPREPLY+=("${line#"$kept"}")
		done < <(compgen -f -- "$current")
	fi
}

complete -o default -F _sbx sbx
