// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl-abuse.c - everything that can be wrong with a call of openvsl.h.
 *
 *	ioctl-abuse root fctN	a detached, unformatted, simulated card
 *	ioctl-abuse user fctN	the same as somebody else: changes no card
 *	ioctl-abuse storm fctN [SEED]	random calls; the card may end in any state
 *
 * Prints TAP. What each wrong call must be answered with is written in
 * include/uapi/openvsl.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <openvsl.h>

#define PAGE	4096u
/* A structure and what a caller has behind it may be so long. */
#define MOST	4096u
#define ANY	0xffffffffu

struct call {
	const char *name;
	unsigned long request;
	unsigned int bytes;
	bool on_card;		/* the node that knows it */
	bool admin;
	bool answers;
};

#define CALL(ioc, type, on_card, admin, answers)			\
	{ #ioc, OPENVSL_IOC_##ioc, sizeof(struct type), on_card, admin, answers }

static const struct call calls[] = {
	CALL(VERSION, openvsl_version, false, false, true),
	CALL(INFO, openvsl_info, true, false, true),
	CALL(FORMAT, openvsl_format, true, true, false),
	CALL(ATTACH, openvsl_attach, true, true, false),
	CALL(DETACH, openvsl_detach, true, true, false),
	CALL(BEACON, openvsl_beacon, true, true, false),
	CALL(PEEK, openvsl_peek, true, true, false),
	CALL(UPDATE, openvsl_update, true, true, true),
	CALL(LOGS, openvsl_logs, true, false, true),
	CALL(SIM_CREATE, openvsl_sim_create, false, true, true),
	CALL(SIM_DESTROY, openvsl_sim_destroy, true, true, false),
	CALL(SIM_POWER, openvsl_sim_power_arg, true, true, false),
	CALL(SIM_FAULT, openvsl_sim_fault, true, true, false),
	CALL(SIM_IMAGE, openvsl_sim_image, true, true, true),
};

#define NR_CALLS	(sizeof(calls) / sizeof(calls[0]))

static int driver_fd;
static int card_fd;
static unsigned int count;

/* ---- results ------------------------------------------------------------- */

static int call(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? errno : 0;
}

__attribute__((format(printf, 3, 4)))
static void expect(int seen, int wanted, const char *fmt, ...)
{
	va_list ap;

	count++;
	printf("%sok %u - ", seen == wanted ? "" : "not ", count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(": %s\n", wanted ? strerror(wanted) : "works");
	if (seen != wanted)
		printf("# seen: %s\n", seen ? strerror(seen) : "it works");
}

static int node_of(const struct call *c)
{
	return c->on_card ? card_fd : driver_fd;
}

/* ---- memory that ends where a page does ---------------------------------- */

static unsigned char *pages;	/* two, and a hole behind them */

static void map_pages(void)
{
	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || mprotect(pages + 2 * PAGE, PAGE, PROT_NONE))
		exit(1);
}

/* Zeros, with @size in front; @room bytes can be touched. */
static void *structure(unsigned int room, unsigned int size)
{
	unsigned char *at = pages + 2 * PAGE - room;

	memset(pages, 0, 2 * PAGE);
	memcpy(at, &size, room < sizeof(size) ? room : sizeof(size));
	return at;
}

/* ---- every call ---------------------------------------------------------- */

/* A wrong size is seen before anything else: no call is carried out. */
static void wrong_sizes(const struct call *c)
{
	int fd = node_of(c);
	unsigned char *at;

	expect(call(fd, c->request, structure(c->bytes, 0)), EINVAL, "%s of size 0", c->name);
	expect(call(fd, c->request, structure(c->bytes, 3)), EINVAL, "%s of size 3", c->name);
	expect(call(fd, c->request, structure(c->bytes, c->bytes - 1)), EINVAL,
	       "%s one byte short", c->name);
	at = structure(c->bytes + 1, c->bytes + 1);
	at[c->bytes] = 1;
	expect(call(fd, c->request, at), E2BIG, "%s with something behind it", c->name);
	at = structure(MOST, MOST);
	at[MOST - 1] = 1;
	expect(call(fd, c->request, at), E2BIG, "%s with something far behind it", c->name);
	expect(call(fd, c->request, structure(MOST, MOST + 1)), E2BIG, "%s over a page", c->name);
	expect(call(fd, c->request, structure(MOST, ~0u)), E2BIG, "%s of the largest size", c->name);
}

static void wrong_pointers(const struct call *c)
{
	int fd = node_of(c);

	expect(call(fd, c->request, NULL), EFAULT, "%s at address 0", c->name);
	expect(call(fd, c->request, pages + 2 * PAGE), EFAULT, "%s in a hole", c->name);
	expect(call(fd, c->request, (void *)0xffff888000000000ul), EFAULT,
	       "%s in the kernel", c->name);
	expect(call(fd, c->request, structure(2, c->bytes)), EFAULT,
	       "%s whose size is half in a hole", c->name);
	expect(call(fd, c->request, structure(4, c->bytes)), EFAULT,
	       "%s of which only the size is there", c->name);
	expect(call(fd, c->request, structure(c->bytes - 1, c->bytes)), EFAULT,
	       "%s whose last byte is in a hole", c->name);
	expect(call(fd, c->request, structure(c->bytes, c->bytes + 1)), EFAULT,
	       "%s whose tail is in a hole", c->name);
}

static void wrong_numbers(const struct call *c)
{
	unsigned long number = _IOC_NR(c->request);
	int other = c->on_card ? driver_fd : card_fd;
	void *arg = structure(c->bytes, c->bytes);

	expect(call(other, c->request, arg), ENOTTY, "%s on the other node", c->name);
	expect(call(node_of(c), _IOC(_IOC_NONE, OPENVSL_IOC_MAGIC, number, c->bytes), arg), ENOTTY,
	       "%s with no direction", c->name);
	expect(call(node_of(c), _IOC(_IOC_DIR(c->request), 'V', number, c->bytes), arg), ENOTTY,
	       "%s with another magic", c->name);
}

static void unknown_numbers(int fd, const char *node)
{
	unsigned long request;
	unsigned int nr;
	unsigned int dir;
	int seen = ENOTTY;
	size_t i;

	for (nr = 0; nr < 256 && seen == ENOTTY; nr++) {
		for (i = 0; i < NR_CALLS; i++)
			if (_IOC_NR(calls[i].request) == nr)
				break;
		if (i < NR_CALLS)
			continue;
		for (dir = 0; dir < 4 && seen == ENOTTY; dir++) {
			request = _IOC(dir, OPENVSL_IOC_MAGIC, nr, 8);
			seen = call(fd, request, structure(8, 8));
		}
	}
	expect(seen, ENOTTY, "all numbers that %s does not know", node);
	expect(call(fd, 0x1260, structure(8, 8)), ENOTTY, "BLKGETSIZE on %s", node);
	expect(call(fd, 0x5401, structure(64, 0)), ENOTTY, "TCGETS on %s", node);
}

/* ---- longer and shorter callers ------------------------------------------ */

static void other_versions(void)
{
	unsigned char buf[MOST] = { 0 };
	struct openvsl_version *version = (void *)buf;
	struct openvsl_info *info = (void *)buf;

	version->size = sizeof(*version) + 64;
	memset(buf + sizeof(*version) + 64, 0xee, 64);
	expect(call(driver_fd, OPENVSL_IOC_VERSION, buf), 0, "VERSION of a newer program");
	expect(version->size != sizeof(*version), 0, "it is told the size that was filled");
	expect(buf[sizeof(*version) + 64] != 0xee, 0, "and nothing behind it is touched");

	memset(buf, 0, sizeof(buf));
	info->size = MOST;
	expect(call(card_fd, OPENVSL_IOC_INFO, buf), 0, "INFO of the largest size");
	expect(info->size != sizeof(*info), 0, "it is told the size that was filled");
	memset(buf, 0xff, sizeof(buf));
	info->size = sizeof(*info);
	expect(call(card_fd, OPENVSL_IOC_INFO, buf), 0, "INFO into memory full of ones");
	expect(buf[sizeof(*info)] != 0xff, 0, "nothing behind it is touched");
	expect(info->pad0 || info->pad1, 0, "its padding is zero");
	expect(strnlen(info->model, sizeof(info->model)) == sizeof(info->model), 0,
	       "its texts end");
}

static void answer_into_read_only_memory(void)
{
	struct openvsl_info *info = structure(sizeof(*info), sizeof(*info));

	mprotect(pages, 2 * PAGE, PROT_READ);
	expect(call(card_fd, OPENVSL_IOC_INFO, info), EFAULT, "INFO into read-only memory");
	mprotect(pages, 2 * PAGE, PROT_READ | PROT_WRITE);
}

static void other_operations(int fd, const char *node)
{
	char buf[16];

	expect(read(fd, buf, sizeof(buf)) < 0 ? errno : 0, EINVAL, "read from %s", node);
	expect(write(fd, buf, sizeof(buf)) < 0 ? errno : 0, EINVAL, "write to %s", node);
	expect(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ? errno : 0, ENODEV,
	       "mmap of %s", node);
}

/* ---- fields, call by call ------------------------------------------------ */

static int format(unsigned int sector, unsigned long long bytes, unsigned int flags,
		  unsigned int pad)
{
	struct openvsl_format arg = {
		.size = sizeof(arg),
		.sector_bytes = sector,
		.capacity_bytes = bytes,
		.flags = flags,
		.pad = pad,
	};

	return call(card_fd, OPENVSL_IOC_FORMAT, &arg);
}

static int attach(unsigned int flags)
{
	struct openvsl_attach arg = { .size = sizeof(arg), .flags = flags };

	return call(card_fd, OPENVSL_IOC_ATTACH, &arg);
}

static int detach(unsigned int flags)
{
	struct openvsl_detach arg = { .size = sizeof(arg), .flags = flags };

	return call(card_fd, OPENVSL_IOC_DETACH, &arg);
}

static int beacon(unsigned int on)
{
	struct openvsl_beacon arg = { .size = sizeof(arg), .on = on };

	return call(card_fd, OPENVSL_IOC_BEACON, &arg);
}

static int destroy(unsigned int flags)
{
	struct openvsl_sim_destroy arg = { .size = sizeof(arg), .flags = flags };

	return call(card_fd, OPENVSL_IOC_SIM_DESTROY, &arg);
}

static int power(unsigned int on)
{
	struct openvsl_sim_power_arg arg = { .size = sizeof(arg), .power = on };

	return call(card_fd, OPENVSL_IOC_SIM_POWER, &arg);
}

static int peek(unsigned int unit, unsigned int eu, unsigned int off, void *buf)
{
	struct openvsl_peek arg = {
		.size = sizeof(arg),
		.unit = unit,
		.eu = eu,
		.off = off,
		.buf = (unsigned long)buf,
	};

	return call(card_fd, OPENVSL_IOC_PEEK, &arg);
}

static void format_fields(void)
{
	static const unsigned int sectors[] = { 0, 1, 511, 513, 1024, 3000, 8192, 1u << 31, ~0u };
	size_t i;

	for (i = 0; i < sizeof(sectors) / sizeof(sectors[0]); i++)
		expect(format(sectors[i], 0, 0, 0), EINVAL, "FORMAT with sectors of %u", sectors[i]);
	expect(format(4096, 0, OPENVSL_FORMAT_PARITY << 1, 0), EINVAL, "FORMAT with an unknown flag");
	expect(format(4096, 0, 0x80000000u, 0), EINVAL, "FORMAT with the highest flag");
	expect(format(4096, 0, 0, 1), EINVAL, "FORMAT with padding");
	expect(format(4096, 1, 0, 0), ERANGE, "FORMAT to one byte");
	expect(format(512, (1 << 20) + 512, 0, 0), ERANGE, "FORMAT to part of a block");
	expect(format(4096, 1ull << 40, 0, 0), ERANGE, "FORMAT to more than the card has");
	expect(format(4096, 1ull << 40, OPENVSL_FORMAT_OVER, 0), ERANGE,
	       "FORMAT to more than the card ever has");
	expect(format(4096, ~0ull - 4095, OPENVSL_FORMAT_OVER, 0), ERANGE,
	       "FORMAT to the largest number");
}

static void small_fields(void)
{
	expect(attach(8), EINVAL, "ATTACH with an unknown flag");
	expect(attach(~0u), EINVAL, "ATTACH with all flags");
	expect(attach(0), ENODATA, "ATTACH of an unformatted card");
	expect(attach(OPENVSL_ATTACH_RESCAN), ENODATA, "ATTACH with rescan of an unformatted card");
	expect(detach(1), EINVAL, "DETACH with a flag");
	expect(detach(0), ENOTCONN, "DETACH of a detached card");
	expect(beacon(2), EINVAL, "BEACON in between");
	expect(beacon(1), EOPNOTSUPP, "BEACON without LEDs");
	expect(peek(ANY, 0, 0, pages), ERANGE, "PEEK at a unit that is not there");
	expect(peek(0, ANY, 0, pages), ERANGE, "PEEK at an erase unit that is not there");
	expect(peek(0, 0, ANY, pages), ERANGE, "PEEK at a block that is not there");
	expect(peek(0, 0, 0, pages), ENODATA, "PEEK at a block that was never written");
	expect(destroy(1), EINVAL, "SIM_DESTROY with a flag");
	expect(power(2), EINVAL, "SIM_POWER of 2");
	expect(power(OPENVSL_SIM_ON), EALREADY, "SIM_POWER on when it is");
}

static int create(const void *name, size_t bytes, unsigned long long capacity,
		  unsigned int flags, unsigned int pad)
{
	struct openvsl_sim_create arg = {
		.size = sizeof(arg),
		.flags = flags,
		.capacity_bytes = capacity,
		.pad = pad,
	};

	memcpy(arg.preset, name, bytes);
	return call(driver_fd, OPENVSL_IOC_SIM_CREATE, &arg);
}

static void create_fields(void)
{
	const unsigned long long mib = 1ull << 20;
	char endless[OPENVSL_PRESET_BYTES];

	memset(endless, 'a', sizeof(endless));
	expect(create("", 1, 64 * mib, 0, 0), EINVAL, "SIM_CREATE without a preset");
	expect(create("nosuch", 7, 64 * mib, 0, 0), EINVAL, "SIM_CREATE of an unknown preset");
	expect(create("SLC160", 7, 64 * mib, 0, 0), EINVAL, "SIM_CREATE of a preset in capitals");
	expect(create(endless, sizeof(endless), 64 * mib, 0, 0), EINVAL,
	       "SIM_CREATE of a preset that does not end");
	expect(create("slc160\0x", 9, 64 * mib, 0, 0), EINVAL,
	       "SIM_CREATE with something behind the preset");
	expect(create("slc160", 7, 64 * mib, 2, 0), EINVAL, "SIM_CREATE with an unknown flag");
	expect(create("slc160", 7, 64 * mib, 0, 1), EINVAL, "SIM_CREATE with padding");
	expect(create("slc160", 7, 0, 0, 0), ERANGE, "SIM_CREATE of size 0");
	expect(create("slc160", 7, 16 * mib - 4096, 0, 0), ERANGE, "SIM_CREATE below the least");
	expect(create("slc160", 7, (16ull << 40) + 4096, 0, 0), ERANGE, "SIM_CREATE above the most");
	expect(create("slc160", 7, ~0ull, 0, 0), ERANGE, "SIM_CREATE of the largest number");
}

static struct openvsl_sim_fault fault_arg(const char *name)
{
	struct openvsl_sim_fault arg = {
		.size = sizeof(arg),
		.unit = ANY,
		.eu = ANY,
		.block = ANY,
		.count = 1,
	};

	snprintf(arg.name, sizeof(arg.name), "%s", name);
	return arg;
}

static int fault(struct openvsl_sim_fault arg)
{
	return call(card_fd, OPENVSL_IOC_SIM_FAULT, &arg);
}

static void fault_fields(void)
{
	struct openvsl_sim_fault arg = fault_arg("slow");
	int seen = 0;
	int i;

	expect(fault(fault_arg("")), EINVAL, "SIM_FAULT without a name");
	expect(fault(fault_arg("no-such-fault")), EINVAL, "SIM_FAULT of an unknown name");
	memset(arg.name, 'a', sizeof(arg.name));
	expect(fault(arg), EINVAL, "SIM_FAULT of a name that does not end");
	arg = fault_arg("slow");
	arg.name[10] = 'x';
	expect(fault(arg), EINVAL, "SIM_FAULT with something behind the name");
	arg = fault_arg("slow");
	arg.pad = 1;
	expect(fault(arg), EINVAL, "SIM_FAULT with padding");
	arg = fault_arg("slow");
	arg.pad1 = 1;
	expect(fault(arg), EINVAL, "SIM_FAULT with the other padding");
	arg = fault_arg("slow");
	arg.unit = 100000;
	expect(fault(arg), EINVAL, "SIM_FAULT in a unit that is not there");
	arg = fault_arg("slow");
	arg.eu = ANY - 1;
	expect(fault(arg), EINVAL, "SIM_FAULT in an erase unit that is not there");
	arg = fault_arg("slow");
	arg.block = 0x10000000;
	expect(fault(arg), EINVAL, "SIM_FAULT at a block that is not there");
	for (i = 0; i < 100000 && !seen; i++)
		seen = fault(fault_arg("plp-fail"));
	expect(seen, ENOSPC, "SIM_FAULT again and again");
	arg = fault_arg("plp-fail");
	arg.count = 0;
	expect(fault(arg), 0, "SIM_FAULT taken back");
	expect(fault(arg), EINVAL, "SIM_FAULT taken back again");
}

static int image(unsigned int write, unsigned long long offset, const void *buf,
		 unsigned int bytes, unsigned int pad)
{
	struct openvsl_sim_image arg = {
		.size = sizeof(arg),
		.write = write,
		.offset = offset,
		.buf = (unsigned long)buf,
		.bytes = bytes,
		.pad = pad,
	};

	return call(card_fd, OPENVSL_IOC_SIM_IMAGE, &arg);
}

static void image_fields(void)
{
	unsigned char *buf = aligned_alloc(PAGE, 2 << 20);

	memset(buf, 0x5a, 2 << 20);
	expect(image(2, 0, buf, 4096, 0), EINVAL, "SIM_IMAGE that neither reads nor writes");
	expect(image(0, 0, buf, 4096, 1), EINVAL, "SIM_IMAGE with padding");
	expect(image(0, 512, buf, 4096, 0), EINVAL, "SIM_IMAGE at part of a block");
	expect(image(0, 0, buf, 0, 0), EINVAL, "SIM_IMAGE of nothing");
	expect(image(0, 0, buf, 4095, 0), EINVAL, "SIM_IMAGE of part of a block");
	expect(image(0, 0, buf, (1 << 20) + 4096, 0), EINVAL, "SIM_IMAGE of more than 1 MiB");
	expect(image(0, 0, buf, ~0u, 0), EINVAL, "SIM_IMAGE of the largest number");
	expect(image(0, 0, NULL, 4096, 0), EFAULT, "SIM_IMAGE read into nothing");
	expect(image(1, 0, NULL, 4096, 0), EFAULT, "SIM_IMAGE written from nothing");
	expect(image(1, 0, buf, 4096, 0), EBADMSG, "SIM_IMAGE that is none");
	expect(image(1, 4096, buf, 4096, 0), EINVAL, "SIM_IMAGE that does not begin at 0");
	expect(image(0, 1ull << 40, buf, 4096, 0), EINVAL, "SIM_IMAGE far behind its end");
	free(buf);
}

static void attached_card(void)
{
	unsigned char *buf = aligned_alloc(PAGE, PAGE);

	expect(format(4096, 0, 0, 0), 0, "FORMAT");
	expect(attach(OPENVSL_ATTACH_RESCAN), EOPNOTSUPP, "ATTACH with a rescan");
	expect(attach(OPENVSL_ATTACH_CLEAN_ONLY), 0, "ATTACH");
	expect(attach(0), EALREADY, "ATTACH of an attached card");
	expect(format(4096, 0, 0, 0), EBUSY, "FORMAT of an attached card");
	expect(destroy(0), EBUSY, "SIM_DESTROY of an attached card");
	expect(image(0, 0, buf, 4096, 0), EBUSY, "SIM_IMAGE of an attached card");
	expect(power(OPENVSL_SIM_ON), EALREADY, "SIM_POWER on of an attached card");
	expect(detach(0), 0, "DETACH");
	expect(power(OPENVSL_SIM_CUT), 0, "SIM_POWER cut");
	expect(power(OPENVSL_SIM_CUT), EALREADY, "SIM_POWER cut again");
	expect(attach(0), ENODEV, "ATTACH without power");
	expect(format(4096, 0, 0, 0), ENODEV, "FORMAT without power");
	expect(detach(0), ENODEV, "DETACH without power");
	expect(power(OPENVSL_SIM_ON), 0, "SIM_POWER on");
	expect(attach(OPENVSL_ATTACH_READ_ONLY), 0, "ATTACH read-only");
	expect(detach(0), 0, "DETACH of a read-only card");
	free(buf);
}

/* ---- as somebody else ---------------------------------------------------- */

static void unprivileged(void)
{
	struct openvsl_version version = { .size = sizeof(version) };
	struct openvsl_info info = { .size = sizeof(info) };
	size_t i;

	expect(call(driver_fd, OPENVSL_IOC_VERSION, &version), 0, "VERSION is for everybody");
	expect(call(card_fd, OPENVSL_IOC_INFO, &info), 0, "INFO is for everybody");
	for (i = 0; i < NR_CALLS; i++) {
		const struct call *c = &calls[i];

		if (!c->admin)
			continue;
		expect(call(node_of(c), c->request, structure(c->bytes, c->bytes)), EPERM, "%s",
		       c->name);
		expect(call(node_of(c), c->request, structure(c->bytes, 0)), EPERM,
		       "%s of size 0", c->name);
		expect(call(node_of(c), c->request, NULL), EPERM, "%s at address 0", c->name);
	}
}

/* ---- storm --------------------------------------------------------------- */

static unsigned int seed = 1;

static unsigned int chance(void)
{
	seed = seed * 1103515245 + 12345;
	return seed >> 8;
}

static void random_call(void)
{
	static const char * const names[] = { "slow", "refresh", "plp-fail", "slc160", "tiny" };
	const struct call *c = &calls[chance() % NR_CALLS];
	unsigned char *at = structure(c->bytes, c->bytes);
	unsigned int changes = chance() % 4;
	unsigned int where;

	/* The card is to be there at the end. */
	if (c->request == OPENVSL_IOC_SIM_DESTROY)
		return;
	if (c->request == OPENVSL_IOC_FORMAT)
		((struct openvsl_format *)at)->sector_bytes = chance() % 2 ? 512 : 4096;
	if (c->request == OPENVSL_IOC_SIM_FAULT)
		strcpy(((struct openvsl_sim_fault *)at)->name, names[chance() % 5]);
	if (c->request == OPENVSL_IOC_SIM_IMAGE) {
		((struct openvsl_sim_image *)at)->buf = (unsigned long)pages;
		((struct openvsl_sim_image *)at)->bytes = PAGE;
	}
	while (changes--) {
		where = 4 + chance() % (c->bytes - 4);
		at[where] = chance() % 2 ? 1u << chance() % 8 : chance();
	}
	call(node_of(c), c->request, at);
}

static void storm(void)
{
	struct openvsl_info info = { .size = sizeof(info) };
	unsigned int i;

	for (i = 0; i < 3000; i++)
		random_call();
	expect(call(card_fd, OPENVSL_IOC_INFO, &info), 0, "the card answers after the storm");
}

/* -------------------------------------------------------------------------- */

static void run_root(void)
{
	size_t i;

	for (i = 0; i < NR_CALLS; i++) {
		wrong_sizes(&calls[i]);
		wrong_pointers(&calls[i]);
		wrong_numbers(&calls[i]);
	}
	unknown_numbers(driver_fd, "openvsl");
	unknown_numbers(card_fd, "fctN");
	other_versions();
	answer_into_read_only_memory();
	other_operations(driver_fd, "openvsl");
	other_operations(card_fd, "fctN");
	format_fields();
	small_fields();
	create_fields();
	fault_fields();
	image_fields();
	attached_card();
}

static int open_node(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDWR);
	if (fd < 0)
		fd = open(path, O_RDONLY);
	if (fd < 0) {
		printf("Bail out! cannot open %s: %s\n", path, strerror(errno));
		exit(1);
	}
	return fd;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	driver_fd = open_node(OPENVSL_NODE);
	card_fd = open_node(argv[2]);
	map_pages();
	if (!strcmp(argv[1], "user"))
		unprivileged();
	else if (!strcmp(argv[1], "storm")) {
		seed = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
		storm();
	} else {
		run_root();
	}
	printf("1..%u\n", count);
	return 0;
}
