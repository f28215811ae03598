# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: an ordinary NVMe disk as a card: given, formatted, attached, verified, taken back
# memory: 2G
# timeout: 600
# together: nvme
# disk: flat 1G
# qemu: -drive file=%flat%,if=none,id=flat,format=raw,cache=unsafe
# qemu: -device nvme,serial=flat512,drive=flat,addr=8

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

address=$(at 08)
need "the driver loads" load_driver
is "it takes nothing that it was not given" "$(cards_of "$address")" ""
need "the card is given to it" give "$address"
need "it is a card" card_of "$address"
is "its serial number is the disk's" "$(cat "/sys/class/openvsl/$card/serial")" flat512
is "it is blank" "$(state_of "$card")" detached
note "$(openvsl status -a "/dev/$card" 2>&1)"
need "it is formatted" openvsl format -y "/dev/$card"
need "it is attached" attach_card "$card"
is "its status says where it is" "$(openvsl status -a "/dev/$card" | grep -cF "PCI:${address#0000:}")" 1
is_warm() {
	openvsl status -a "/dev/$card" | grep -qi 'temperature: 49.8'
}
try "and how warm it is" wait_for 30 is_warm
sensor=$(echo "$pci/devices/$address"/hwmon/hwmon*)
is "and its sensor says the same" "$(cat "$sensor/name" "$sensor/temp1_label" "$sensor/temp1_input" | paste -sd ' ')" \
	"openvsl $card 49850"
note "the device calls itself $(cat "/sys/class/openvsl/$card/firmware"), and its slot says 1.0"
is "what is in its slots of firmware" "$(openvsl status -a "/dev/$card" | grep -F 'Firmware slots:' | tr -d '\t')" \
	"Firmware slots: 1 1.0 (runs)"
is "its error log is empty" "$(openvsl status --json "/dev/$card" | jq -c '.devices[0].error_log')" \
	'{"entries":0,"last":null}'
head -c 4096 /dev/zero >/tmp/firmware
answer 7 "it takes no firmware from a host" fio-update-iodrive -y -d "$card" /tmp/firmware
is "its disk has the card for a parent" \
	"$(readlink -f "/sys/block/${disk#/dev/}/device/..")" "$(readlink -f "$pci/devices/$address/openvsl")"
size=$(sized 32M 8M)

try "4 KiB random write, depth 64, read back" verified random --rw=randwrite --bs=4k \
	--iodepth=64 --size="$size" --verify=crc32c --do_verify=1
try "4 MiB sequential write, read back" verified sequence --rw=write --bs=4m --iodepth=16 \
	--offset=256M --size="$size" --verify=crc32c --verify_interval=64k --do_verify=1
try "two jobs at once, with syncs" fio --filename="$disk" --direct=1 \
	--ioengine=libaio --iodepth=16 --rw=randrw --bs=4k --fsync=16 --offset=512M \
	--size="$(sized 8M 2M)" --name=one --name=two
try "every size from 512 bytes on, unaligned memory, discards" exercise "$disk" 16 "$(sized 600 200)" 1
is "the audit finds nothing" "$(audit_of "$card")" 0

try "detach" openvsl detach -q "/dev/$card"
answer 7 "it takes no firmware from a host" fio-update-iodrive -y -d "$card" /tmp/firmware
try "attach" attach_card "$card"
note "the first 64 MiB were written over by exercise; what was behind is still there"
try "what was written is still right" verified sequence --rw=write --bs=4m --iodepth=16 \
	--offset=256M --size="$size" --verify=crc32c --verify_interval=64k --verify_only

refuse "the module stays while the disk is open" eval 'rmmod openvsl 7<"$disk"'
try "the module goes with the card attached" rmmod openvsl
need "the driver loads again" load_driver
need "the card is there again" give "$address"
need "it was attached by itself" wait_for 30 is_state fct0 attached
card=fct0
disk=/dev/$(cat /sys/class/openvsl/fct0/disk)
try "what was written is still right" verified sequence --rw=write --bs=4m --iodepth=16 \
	--offset=256M --size="$size" --verify=crc32c --verify_interval=64k --verify_only
need "the card is taken back" take "$address"
is "no card is left" "$(echo /sys/class/openvsl/fct*)" '/sys/class/openvsl/fct*'
need "and given again" give "$address"
need "it was attached by itself" wait_for 30 is_state fct0 attached
try "the module goes" rmmod openvsl
done_testing
