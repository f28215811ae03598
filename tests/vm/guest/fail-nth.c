// SPDX-License-Identifier: GPL-2.0-only
/*
 * fail-nth.c - every allocation of a call fails once.
 *
 *	fail-nth create|format|attach|detach|save fctN NUMBER
 *
 * The call is made again and again; each time the kernel (fault injection,
 * /proc/thread-self/fail-nth) lets another allocation fail, until the call has no
 * more of them. It must either work or be refused with ENOMEM, whatever it was
 * that failed, and work when nothing fails. NUMBER of them at both ends fail one by
 * one. The card is formatted and detached before and after. Prints comments of TAP.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <openvsl.h>

#define MIDDLE	24u

static int driver_fd;
static int card_fd;
static int nth_fd;
static unsigned int new_card;
static unsigned char buf[1 << 20] __attribute__((aligned(4096)));

static int call(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? errno : 0;
}

static int create(void)
{
	struct openvsl_sim_create arg = {
		.size = sizeof(arg),
		.capacity_bytes = 16 << 20,
		.preset = "slc160",
	};
	int ret = call(driver_fd, OPENVSL_IOC_SIM_CREATE, &arg);

	new_card = arg.card;
	return ret;
}

static int destroy_new(void)
{
	struct openvsl_sim_destroy arg = { .size = sizeof(arg) };
	char path[32];
	int tries;
	int ret;
	int fd;

	snprintf(path, sizeof(path), "/dev/fct%u", new_card);
	for (tries = 0, fd = -1; fd < 0 && tries < 100; tries++) {
		fd = open(path, O_RDWR);
		if (fd < 0)
			usleep(50000);
	}
	ret = call(fd, OPENVSL_IOC_SIM_DESTROY, &arg);
	close(fd);
	return ret;
}

static int format(void)
{
	struct openvsl_format arg = { .size = sizeof(arg), .sector_bytes = 4096 };

	return call(card_fd, OPENVSL_IOC_FORMAT, &arg);
}

static int attach(void)
{
	struct openvsl_attach arg = { .size = sizeof(arg) };

	return call(card_fd, OPENVSL_IOC_ATTACH, &arg);
}

static int detach(void)
{
	struct openvsl_detach arg = { .size = sizeof(arg) };
	int tries = 0;
	int ret;

	/* udev has a look at each new disk. */
	do {
		if (tries)
			usleep(100000);
		ret = call(card_fd, OPENVSL_IOC_DETACH, &arg);
	} while (ret == EBUSY && ++tries < 100);
	return ret;
}

static int save(void)
{
	struct openvsl_sim_image arg = {
		.size = sizeof(arg),
		.buf = (unsigned long)buf,
		.bytes = sizeof(buf),
	};

	return call(card_fd, OPENVSL_IOC_SIM_IMAGE, &arg);
}

static int nothing(void)
{
	return 0;
}

/* What is done before each call, and to undo it when it worked. */
struct subject {
	const char *name;
	int (*before)(void);
	int (*run)(void);
	int (*undo)(void);
	int may_be;		/* an error besides ENOMEM */
};

static const struct subject subjects[] = {
	{ "create", nothing, create, destroy_new, 0 },
	{ "format", nothing, format, nothing, 0 },
	{ "attach", nothing, attach, detach, 0 },
	/* Not clean: it is detached all the same. */
	{ "detach", attach, detach, nothing, EIO },
	{ "save", nothing, save, nothing, 0 },
	{ NULL, NULL, NULL, NULL, 0 },
};

static bool set_nth(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	return pwrite(nth_fd, text, len, 0) == len;
}

/* Was there an nth allocation, which failed then? */
static bool was_reached(void)
{
	char text[16] = "";

	return pread(nth_fd, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;
}

/* What came of the failures so far. */
struct tally {
	unsigned int refused;
	unsigned int worked;
};

/*
 * Let the nth allocation fail. Returns 1 if there was one, 0 if not, -1 if what
 * happened is wrong.
 */
static int one(const struct subject *subject, unsigned int nth, struct tally *tally)
{
	bool reached;
	int ret = subject->before();

	if (ret) {
		printf("# before allocation %u: %s\n", nth, strerror(ret));
		return -1;
	}
	if (!set_nth(nth))
		return printf("# no fail-nth here\n"), -1;
	ret = subject->run();
	reached = was_reached();
	set_nth(0);
	if (ret && (!reached || (ret != ENOMEM && ret != subject->may_be))) {
		printf("# with allocation %u failing: %s\n", nth, strerror(ret));
		return -1;
	}
	if (reached && ret)
		tally->refused++;
	if (reached && !ret)
		tally->worked++;
	ret = ret ? 0 : subject->undo();
	if (ret) {
		printf("# undoing it after %u: %s\n", nth, strerror(ret));
		return -1;
	}
	return reached;
}

/*
 * The allocations at both ends one by one. Of those between, most of which are
 * the core's buffers, one in MIDDLE: each takes a whole attach to get there.
 */
static int sweep(const struct subject *subject, unsigned int each)
{
	struct tally tally = { 0 };
	unsigned int nth = 1;
	int ret;

	while ((ret = one(subject, nth, &tally)) > 0)
		nth += nth < each ? 1 : MIDDLE;
	if (!ret && nth > each) {
		nth = nth > 2 * each ? nth - each : each;
		while ((ret = one(subject, nth, &tally)) > 0)
			nth++;
	}
	printf("# %s: %u allocations in all; %u failed, %u times it worked all the same\n",
	       subject->name, nth - 1, tally.refused + tally.worked, tally.worked);
	return ret || !(tally.refused + tally.worked);
}

int main(int argc, char **argv)
{
	const struct subject *subject;
	char path[64];

	if (argc != 4 || atoi(argv[3]) < 1)
		return 2;
	snprintf(path, sizeof(path), "/dev/%s", argv[2]);
	driver_fd = open("/dev/" OPENVSL_NODE, O_RDWR);
	card_fd = open(path, O_RDWR);
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR);
	if (driver_fd < 0 || card_fd < 0 || nth_fd < 0) {
		perror("fail-nth");
		return 1;
	}
	memset(buf, 1, sizeof(buf));
	for (subject = subjects; subject->name; subject++)
		if (!strcmp(subject->name, argv[1]))
			return sweep(subject, atoi(argv[3]));
	return 2;
}
