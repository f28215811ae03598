// SPDX-License-Identifier: GPL-2.0-only
/*
 * kexec.c - go on in another kernel, without the firmware between.
 *
 *	kexec KERNEL INITRD COMMAND-LINE
 *
 * The kernel is told in the same way as by "kexec -s -l" and "kexec -e": devices are
 * shut down as for a restart, programs are not told.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fprintf(stderr, "kexec: %s: %s\n", path, strerror(errno));
	return fd;
}

int main(int argc, char **argv)
{
	int kernel;
	int initrd;

	if (argc != 4) {
		fprintf(stderr, "usage: kexec KERNEL INITRD COMMAND-LINE\n");
		return 2;
	}
	kernel = open_file(argv[1]);
	initrd = open_file(argv[2]);
	if (kernel < 0 || initrd < 0)
		return 1;
	if (syscall(SYS_kexec_file_load, kernel, initrd, strlen(argv[3]) + 1, argv[3], 0ul)) {
		fprintf(stderr, "kexec: the kernel is not taken: %s\n", strerror(errno));
		return 1;
	}
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC, NULL);
	fprintf(stderr, "kexec: %s\n", strerror(errno));
	return 1;
}
