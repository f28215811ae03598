# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What a guest can do to the machine it runs on.

# QEMU ends with the status 2 * VALUE + 1 as soon as VALUE is written here.
exit_port() {
	printf '%b' "\\0$(printf '%o' "$1")" |
		dd of=/dev/port bs=1 seek=$((0xf4)) conv=notrunc status=none
}

# leave STATUS: end the machine in an orderly way; 16 tells our own end from
# QEMU's.
leave() {
	sync
	[ ! -c /dev/port ] || exit_port $((16 + $1))
	/vsl/busybox poweroff -f
	sleep 60
}

# power_cut: the machine is gone before this returns: nothing is synced. The case
# needs "boots: N" in its head to be started again, with BOOT counting from 1.
power_cut() {
	exit_port 126
	sleep 60
}

# restart: as a user would have it done, but for the programs, which are not told. It
# needs "boots: N", too.
restart() {
	printf '# guest restarts\n' >/dev/ttyS1
	/vsl/busybox reboot -f
	sleep 60
}

# restart_by_kexec: on in a new kernel, with BOOT one more; the machine and its devices
# are not reset. The case needs "kexec: yes" in its head. Programs are not told here either.
restart_by_kexec() {
	local tree=/tmp/kexec

	mkdir -p "$tree"/{bin,dev,proc,sys,root}
	cp /vsl/busybox "$tree/bin/"
	cp /vsl/guest/init "$tree/"
	chmod +x "$tree/init"
	cp -a /vsl "$tree/"
	sed -i "s/^BOOT=.*/BOOT=$((BOOT + 1))/" "$tree/vsl/env"
	(cd "$tree" && find . | /vsl/busybox cpio -o -H newc >/tmp/kexec.initrd 2>/dev/null)
	rm -r "$tree"
	kexec /vsl/kernel /tmp/kexec.initrd "$(cat /proc/cmdline)"
}

# machine COMMAND...: a command for QEMU's monitor, such as device_del card0. The first
# return ends what the monitor took for typed before the line was made quiet (main): the
# line had given its own words back to it.
machine() {
	printf '\r%s\r' "$*" >/dev/ttyS2
}
