# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: wrong calls and wrong command lines get exactly the error that the manual says
# memory: 1G
# timeout: 420

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh

# The calls, as root and as nobody. Without the program there would be no results.
command -v ioctl-abuse >/dev/null || bail "ioctl-abuse is not in the guest"
load_driver || bail "the driver does not load"
make_card --size 16MiB || bail "no card can be made"
ioctl-abuse root "$card"
chmod 666 "/dev/$card" /dev/openvsl
setpriv --reuid=65534 --regid=65534 --clear-groups ioctl-abuse user "$card"
chmod 644 "/dev/$card" /dev/openvsl
setpriv --reuid=65534 --regid=65534 --clear-groups ioctl-abuse user "$card" | sed 's/ - / - read-only /'
for seed in 1 2 3; do
	make_card --preset tiny || bail "no card can be made"
	ioctl-abuse storm "$card" "$seed"
done
rmmod openvsl
load_driver

# The command lines: no card is needed for most.
make_card --size 16MiB
fct=/dev/$card
answer 2 "no such command" openvsl frmat
answer 2 "no such command" openvsl sim frobnicate
answer 2 "" openvsl format
answer 2 "" openvsl attach
answer 2 "" openvsl detach
answer 2 "" openvsl format --nosuch "$fct"
answer 2 "" openvsl format -Z "$fct"
answer 2 "" openvsl format -y -b abc "$fct"
answer 2 "" openvsl format -y -b "" "$fct"
answer 2 "" openvsl format -y -b -512 "$fct"
answer 6 "3000" openvsl format -y -b 3000 "$fct"
answer 6 "0 bytes" openvsl format -y -b 0 "$fct"
answer 6 "8192" openvsl format -y -b 8K "$fct"
answer 2 "is not a size" openvsl format -y -s much "$fct"
answer 2 "is not a size" openvsl format -y -s 12Q "$fct"
answer 2 "is not a size" openvsl format -y -s -5M "$fct"
answer 6 "too small" openvsl format -y -s 0 "$fct"
answer 6 "too small" openvsl format -y -s 0% "$fct"
answer 6 "too large" openvsl format -y -s 1T "$fct"
answer 6 "too large" openvsl format -y -o 9999999999999999999 "$fct"
answer 6 "too large" openvsl format -y -o 99999999999999999999 "$fct"
answer 6 "above the advertised" openvsl format -y -s 101% "$fct"
answer 2 "twice" openvsl format -y -s 50% -o 60% "$fct"
answer 2 "there is no terminal to answer on; say --yes" openvsl format "$fct"
answer 5 "not formatted" openvsl attach "$fct"
answer 2 "" openvsl sim create --size
answer 2 "is not a size" openvsl sim create --size big
answer 6 "16 MiB" openvsl sim create --size 0
answer 6 "16 MiB" openvsl sim create --size 1M
answer 6 "16 MiB" openvsl sim create --size 18T
answer 2 "no preset" openvsl sim create --size 64M --preset unobtainium
answer 2 "no preset" openvsl sim create --size 64M --preset much-too-long-a-name-for-a-preset
answer 2 "not a number" openvsl sim create --size 64M --seed seven
answer 2 "what is" openvsl sim create 64M
answer 2 "takes a card and the name" openvsl sim fault "$fct"
answer 2 "no such fault" openvsl sim fault "$fct" bad-luck
answer 2 "would fit" openvsl sim fault --count many "$fct" slow
answer 2 "no such fault" openvsl sim fault --unit 5000 "$fct" slow
answer 5 "no such fault was planted" openvsl sim fault --count 0 "$fct" slow
answer 5 "it has power" openvsl sim power "$fct"
answer 7 "no LEDs" openvsl beacon "$fct"
answer 3 "no such card" openvsl attach /dev/fct200
answer 3 "no such card" openvsl attach fct1000
answer 3 "no card is attached under that name" openvsl detach /dev/fioz
is "the card is as it was" "$(state_of "$card")" detached
is "and still not formatted" "$(fio-status -a "$fct" | grep -c 'not low-level formatted')" 1

# Not root.
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
try "anybody may ask for the status" as_nobody fio-status -a
answer 10 "root" as_nobody openvsl format -y "$fct"
answer 10 "root" as_nobody openvsl attach "$fct"
answer 10 "root" as_nobody openvsl sim create --size 16MiB
answer 10 "root" as_nobody openvsl sim destroy "$fct"
answer 10 "root" as_nobody openvsl sim cut "$fct"
answer 10 "root" as_nobody openvsl sim fault "$fct" slow

rmmod openvsl
answer 3 "the driver is not loaded" openvsl format -y /dev/fct0
answer 3 "the driver is not loaded" openvsl sim create --size 16MiB
done_testing
