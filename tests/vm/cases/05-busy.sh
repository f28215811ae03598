# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: what is in use is not taken away: detach, format, destroy and rmmod say so and change nothing
# memory: 1G
# timeout: 300

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh

need "the driver loads" load_driver
need "a card is ready" ready_card 4096 --size 64M
need "ext4 is made" mkfs.ext4 -q "$disk"
need "it is mounted" mount "$disk" /mnt
head -c 1M /dev/urandom >/mnt/file
sync
sum=$(sha256sum </mnt/file)

answer 5 "$disk is in use (mounted on /mnt)" openvsl detach "/dev/$card"
answer 5 "in use" fio-detach "$disk"
answer 5 "attached" openvsl format -y "/dev/$card"
answer 5 "attached" openvsl sim destroy "/dev/$card"
answer 5 "it is attached already, as $disk" openvsl attach "/dev/$card"
answer 5 "attached" openvsl sim save "/dev/$card" /tmp/image
is "no image was left" "$(ls /tmp/image* 2>/dev/null)" ""
refuse "rmmod is refused" rmmod openvsl
is "the card is still attached" "$(state_of "$card")" attached
echo 3 >/proc/sys/vm/drop_caches
is "the file is there" "$(sha256sum </mnt/file)" "$sum"
try "the file system can be written" touch /mnt/another
umount /mnt

# ---- a plain descriptor is enough ----

exec 7<"$disk"
answer 5 "in use" openvsl detach "/dev/$card"
is "the card is still attached" "$(state_of "$card")" attached
exec 7<&-
exec 7<>"$disk"
answer 5 "in use" openvsl detach "/dev/$card"
exec 7<&-

# ---- swap, a loop device ----

try "it is used as swap" eval 'mkswap "$disk" >/dev/null && swapon "$disk"'
answer 5 "in use (used as swap)" openvsl detach "/dev/$card"
swapoff "$disk"
modprobe -q loop
loop=$(losetup -f --show "$disk")
answer 5 "in use" openvsl detach "/dev/$card"
losetup -d "$loop"

# ---- and when nobody has it any more ----

try "detach" openvsl detach "/dev/$card"
is "the card is detached" "$(state_of "$card")" detached
try "its disk is gone" [ ! -e "$disk" ]
answer 5 "it is not attached" openvsl detach "/dev/$card"
answer 7 "not there yet" openvsl attach -r "/dev/$card"
is "the card is still detached" "$(state_of "$card")" detached
exec 7<"/dev/$card"
refuse "rmmod is refused while a card's node is open" rmmod openvsl
answer 3 "no such card" openvsl format -y /dev/fct77
try "an open node does not keep its card from being destroyed" openvsl sim destroy "/dev/$card"
try "nor its status from failing in order" eval '! openvsl status /dev/$card 2>/dev/null'
exec 7<&-
try "the module goes" rmmod openvsl
done_testing
