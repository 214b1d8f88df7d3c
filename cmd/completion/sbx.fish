# SPDX-License-Identifier: Apache-2.0
# fish completion for sbx: what `sbx __complete` offers, which it takes from the rows that parse options.

function __sbx_offers
	set -l words (commandline -opc)
	set -l current (commandline -ct)
	set -l before (string match -r -- '^--[^=]*=' "$current")
	set -l sbx $words[1]
	set -e words[1]
	for line in (command $sbx __complete $words "$current" 2>/dev/null)
		if not string match -qr '^:[0-9]$' -- "$line"
			echo -- "$before$line"
		else if test "$line" = ":0"
			__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current") | string replace -r -- '^' "$before"
		end
	end
end

complete -c sbx -f -a '(__sbx_offers)'
