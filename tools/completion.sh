#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the bash completion of openvsl and its links from the command table:
#
#	openvsl --dump-commands | sh completion.sh >openvsl.bash
#
# bash gets tables by command: its options, the values of those, what follows
# them; one from aliases to commands; and one function that looks at them.

set -eu

cat <<'X'
# SPDX-License-Identifier: GPL-2.0-only
# bash completion of openvsl; made by tools/completion.sh, do not edit

declare -gA _openvsl_options=(
X
dump=$(cat)
tab=$(printf '\t')

# A command's options, short ones of long ones left out.
printf '%s\n' "$dump" | awk -F"$tab" '
	$1 == "command" { order[++n] = $2 }
	$1 == "option" { words[$2] = words[$2] " " ($4 != "-" ? $4 : $3) }
	END { for (i = 1; i <= n; i++) printf "\t[\"%s\"]=\"%s\"\n", order[i], substr(words[order[i]], 2) }'
printf ')\n\ndeclare -gA _openvsl_aliases=(\n'
printf '%s\n' "$dump" | awk -F"$tab" '
	$1 == "command" && $3 != "-" { printf "\t[%s]=\"%s\"\n", $3, $2 }'
printf ')\n\ndeclare -gA _openvsl_operands=(\n'
printf '%s\n' "$dump" | awk -F"$tab" '
	$1 == "command" { printf "\t[\"%s\"]=\"%s\"\n", $2, $4 }'
printf ')\n\ndeclare -gA _openvsl_values=(\n'
# Values of options that are one of a few: "j|x|k".
printf '%s\n' "$dump" | awk -F"$tab" '
	$1 == "option" && $5 ~ /\|/ {
		gsub(/\|/, " ", $5)
		printf "\t[\"%s %s\"]=\"%s\"\n", $2, $4, $5
		if ($3 != "-")
			printf "\t[\"%s %s\"]=\"%s\"\n", $2, $3, $5
	}'
cat <<'X'
)

_openvsl_devices() {
	local node

	for node in /dev/fct[0-9]*; do
		[ -c "$node" ] && printf '%s\n' "$node"
	done
}

# Addresses of devices that can be bound.
_openvsl_pci() {
	local class

	for class in /sys/bus/pci/devices/*/class; do
		[[ -r $class && $(<"$class") == 0x010802 ]] || continue
		class=${class%/class}
		printf '%s\n' "${class##*/}"
	done
}

# The words that come next in commands that begin with "$1".
_openvsl_commands() {
	local cmd

	for cmd in "${!_openvsl_options[@]}"; do
		[[ $cmd == "$1"* ]] || continue
		cmd=${cmd#"$1"}
		printf '%s\n' "${cmd%% *}"
	done
}

# Values that only the program itself knows.
_openvsl_ask() {
	case $1 in
	--preset) openvsl sim presets ;;
	--field | -F) openvsl status --list-fields ;;
	*) openvsl sim faults ;;
	esac 2>/dev/null | cut -d' ' -f1
}

_openvsl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	local cmd=${_openvsl_aliases[${COMP_WORDS[0]##*/}]-} words="" first=1

	# bash takes --form=j apart: "--form", "=", "j".
	if [[ $cur == = ]]; then
		cur=""
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	if [ -z "$cmd" ]; then
		cmd=${COMP_WORDS[1]-}
		first=2
		if ((COMP_CWORD > 1)) && [ -z "${_openvsl_options[${cmd:-?}]-}" ]; then
			cmd="$cmd ${COMP_WORDS[2]-}"
			first=3
		fi
		if ((COMP_CWORD < first)); then
			local prefix=""
			((first == 3)) && prefix="${COMP_WORDS[1]} "
			words=$(_openvsl_commands "$prefix")
			mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
			return
		fi
	fi
	if [[ $prev == -* && -n ${_openvsl_values["$cmd $prev"]-} ]]; then
		words=${_openvsl_values["$cmd $prev"]}
	elif [[ $prev == --preset || $prev == --field || $prev == -F ]]; then
		words=$(_openvsl_ask "$prev")
	elif [[ $cmd == update && ($prev == -d || $prev == --device) ]]; then
		words=$(_openvsl_devices)
	elif [[ $cur == -* ]]; then
		words=${_openvsl_options[$cmd]-}
	elif [[ $cmd == help ]]; then
		# Behind it stand one word, or the two of a group's command.
		if ((COMP_CWORD == first)); then
			words=$(_openvsl_commands "")
		elif ((COMP_CWORD == first + 1)); then
			words=$(_openvsl_commands "$prev ")
		fi
	elif [[ $cmd == "sim save" || $cmd == "sim load" ]] && ((COMP_CWORD > first)); then
		compopt -o default
		return
	elif [[ $cmd == check || $cmd == update ]]; then
		words=$(_openvsl_devices)
		compopt -o default
	elif [[ $cmd == "sim fault" ]] && ((COMP_CWORD > first)); then
		words=$(_openvsl_ask faults)
	elif [[ ${_openvsl_operands[$cmd]-} == PCI* ]]; then
		# bash takes an address apart: "0000", ":", "03"; what stands before stays.
		local before="" at
		for ((at = COMP_CWORD - 1; at >= first; at--)); do
			[[ ${COMP_WORDS[at]} == : || ${COMP_WORDS[at + 1]} == : ]] || break
			before=${COMP_WORDS[at]}$before
		done
		[[ $cur != : ]] || { before+=: && cur=""; }
		words=$(_openvsl_pci | while read -r at; do
			[[ $at != "$before"* ]] || printf '%s\n' "${at#"$before"}"
		done)
	elif [[ ${_openvsl_operands[$cmd]-} == *DEVICE* ]]; then
		words=$(_openvsl_devices)
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

X
printf 'complete -F _openvsl openvsl%s\n' "$(printf '%s\n' "$dump" |
	awk -F"$tab" '$1 == "command" && $3 != "-" { printf " %s", $3 }')"
