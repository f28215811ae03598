# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: the module comes and goes twenty times (ten where it is slow), with and without cards, and leaves nothing
# memory: 1G
# timeout: 420

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh

# left_behind: what of the driver can still be seen; nothing is wanted.
left_behind() {
	local path

	for path in /dev/openvsl /dev/fct0 /dev/fioa /proc/fusion /sys/class/openvsl \
		/sys/kernel/debug/openvsl /sys/module/openvsl; do
		[ ! -e "$path" ] || echo "$path"
	done
	grep -E ' (fct|fio|openvsl)' /proc/devices || true
}

unload() {
	rmmod openvsl && wait_for 30 test ! -e /dev/openvsl && [ -z "$(left_behind)" ]
}

# One life of the module; which kind is told by its number.
life() {
	case $(($1 % 5)) in
	0 | 3) load_driver ;;
	1) load_driver sim=slc160:64M,raw:32M && [ "$(openvsl status --count)" = 2 ] ;;
	2) load_driver && ready_card 4096 --size 64M ;;
	4) load_driver && make_card --size 64M && openvsl format -qy "/dev/$card" ;;
	esac || return
	[ -c /dev/openvsl ] || wait_for 30 test -c /dev/openvsl || return
	unload || { left_behind && return 1; }
}

# Cards that are made in the same way are the same flash, and still two cards.
two_serials() {
	local one two

	one=$(openvsl sim create --size 64M) && two=$(openvsl sim create --size 64M) &&
		[ "$(cat "/sys/class/openvsl/${one##*/}/serial")" != \
			"$(cat "/sys/class/openvsl/${two##*/}/serial")" ]
}

many_lives() {
	local i

	for i in $(seq "$(sized 20 10)"); do
		life "$i" || { echo "life $i" && return 1; }
	done
}

try "twenty lives (ten where it is slow), some with cards that exist, are formatted or attached" many_lives

try "the parameter sim= makes cards" load_driver sim=slc160:32M,,fast:256M:timed,tiny:16M
is "as many as it says" "$(openvsl status --count)" 3
is "of the kinds it says" "$(cat /sys/class/openvsl/fct1/firmware)" sim-fast
is "the version is one" "$(cat /sys/module/openvsl/version)" \
	"$(openvsl version | sed -n 's/^driver \([^,]*\),.*/\1/p')"
try "auto_attach can be changed" \
	sh -c 'echo 0 >/sys/module/openvsl/parameters/auto_attach'
try "they go with the module" unload

for list in nosuch:32M slc160:1M slc160:32X slc160:32M:timid \
	slc160:32M,nosuch:32M :32M; do
	refuse "the module does not load with sim=$list" load_driver "sim=$list"
done
is "what did not load left nothing" "$(left_behind)" ""
try "and loads after all that" load_driver
try "two cards have two serial numbers" two_serials
try "and goes" unload
done_testing
