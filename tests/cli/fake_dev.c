// SPDX-License-Identifier: GPL-2.0-only
/*
 * fake_dev.c - tools/dev.c without a kernel: cards from a script.
 *
 * OPENVSL_FAKE names the script (cards/ has many), OPENVSL_FAKE_LOG a file that
 * every changing call is appended to.  What a call changes lasts as long as the
 * program runs, also across its fork().  A script:
 *
 *	absent			the driver is not loaded
 *	driver TEXT		its version
 *	abi MAJOR
 *	card N			a card; what follows is about it
 *	FIELD VALUE		of struct openvsl_info, see fields[]
 *	link LANES MTPS		its PCIe link
 *	errors COR NONFATAL FATAL UNSUP
 *	node missing|foreign|denied|gone
 *	node leaving		its node has gone, and then the card has, too
 *	node crossed		it leads to card 0
 *	image BYTES		size of its image
 *	file PATH		its image is that file's
 *	under PATH		its blocks are that file's, if it is linear
 *	fail CALL ERRNO		for all cards: format attach detach beacon create
 *				destroy power fault image info peek update
 *	take MS			format, attach, detach and a piece of an image take so long
 *	deaf			and do not listen to signals meanwhile
 *	users TEXT		who has the disk open
 *	logs FLAGS SLOTS ACTIVE NEXT
 *				its logs are known: OPENVSL_LOGS_*, slots of firmware
 *	slot NR TEXT		what is in one
 *	errlog ENTRIES STATUS PART BLOCK QUEUE OPCODE
 *				its error log, and the last entry
 *	end N			how its new firmware starts to run
 *	# a comment
 */
#include "../../tools/dev.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../tools/cmd.h"

#define FD_DRIVER	1000
#define FD_CARD		2000
#define CALLS		12

enum fake_node {
	NODE_FINE, NODE_MISSING, NODE_FOREIGN, NODE_DENIED, NODE_GONE, NODE_CROSSED, NODE_LEAVING,
};

struct fake_card {
	bool exists;
	enum fake_node node;
	struct openvsl_info info;
	struct openvsl_logs logs;
	unsigned int update_end;
	struct dev_pci pci;
	unsigned long long image_bytes;
	unsigned long long image_next;
	char file[256];
	char under[256];
};

struct fake {
	bool loaded;
	bool deaf;
	bool absent;
	unsigned int abi;
	char driver[64];
	char users[128];
	unsigned int take_ms;
	int fail[CALLS];
	struct fake_card card[OPENVSL_CARDS_MAX];
};

/* In memory that survives fork(). */
static struct fake *fake;

/* ---- the script ----------------------------------------------------------- */

#define FIELD(name, kind)	{ #name, kind, offsetof(struct openvsl_info, name), \
				  sizeof(((struct openvsl_info *)0)->name) }

static const struct {
	const char *name;
	char kind;		/* number, string, bytes in hexadecimal */
	size_t offset;
	size_t bytes;
} fields[] = {
	FIELD(state, 'n'), FIELD(minimal_reason, 'n'), FIELD(health, 'n'),
	FIELD(reduced_reason, 'n'), FIELD(flags, 'n'), FIELD(last_error, 'n'),
	FIELD(progress_permille, 'n'), FIELD(sector_bytes, 'n'), FIELD(capacity_bytes, 'n'),
	FIELD(factory_bytes, 'n'), FIELD(advertised_bytes, 'n'), FIELD(max_bytes, 'n'),
	FIELD(physical_bytes, 'n'), FIELD(units, 'n'), FIELD(eus, 'n'), FIELD(eu_blocks, 'n'),
	FIELD(format_version, 'n'), FIELD(format_uuid, 'b'), FIELD(format_ts, 'n'),
	FIELD(generation, 'n'), FIELD(pci_domain, 'n'), FIELD(pci_bus, 'n'),
	FIELD(pci_slot, 'n'), FIELD(pci_function, 'n'), FIELD(pci_vendor, 'n'),
	FIELD(pci_device, 'n'), FIELD(pci_subvendor, 'n'), FIELD(pci_subdevice, 'n'),
	FIELD(disk, 's'), FIELD(model, 's'), FIELD(serial, 's'), FIELD(firmware, 's'),
	FIELD(temp_millic, 'n'), FIELD(temp_max_millic, 'n'), FIELD(spare_permyriad, 'n'),
	FIELD(spare_warn_permyriad, 'n'), FIELD(active_permyriad, 'n'),
	FIELD(erase_cycles, 'n'), FIELD(erase_min, 'n'), FIELD(erase_max, 'n'),
	FIELD(erase_sum, 'n'), FIELD(eus_total, 'n'), FIELD(eus_bad, 'n'),
	FIELD(host_read_bytes, 'n'), FIELD(host_written_bytes, 'n'),
	FIELD(media_read_bytes, 'n'), FIELD(media_written_bytes, 'n'),
	FIELD(lost_blocks, 'n'), FIELD(ram_bytes, 'n'), FIELD(ram_peak_bytes, 'n'),
	FIELD(session_read_ops, 'n'), FIELD(session_write_ops, 'n'),
	FIELD(session_moved_bytes, 'n'), FIELD(session_erased_bytes, 'n'),
	FIELD(attach_ns, 'n'), FIELD(attach_read_bytes, 'n'), FIELD(groom_debt_bytes, 'n'),
	FIELD(scrub_blocks, 'n'), FIELD(scrub_bad, 'n'), FIELD(scrub_pass_ts, 'n'),
	FIELD(session_refreshed_bytes, 'n'), FIELD(session_levelled_bytes, 'n'),
	FIELD(rebuilt_blocks, 'n'), FIELD(mapped_bytes, 'n'), FIELD(segments, 'n'),
	FIELD(segments_free, 'n'),
};

static const struct {
	const char *name;
	unsigned long request;
} calls[CALLS] = {
	{ "info", OPENVSL_IOC_INFO },
	{ "format", OPENVSL_IOC_FORMAT },
	{ "attach", OPENVSL_IOC_ATTACH },
	{ "detach", OPENVSL_IOC_DETACH },
	{ "beacon", OPENVSL_IOC_BEACON },
	{ "create", OPENVSL_IOC_SIM_CREATE },
	{ "destroy", OPENVSL_IOC_SIM_DESTROY },
	{ "power", OPENVSL_IOC_SIM_POWER },
	{ "fault", OPENVSL_IOC_SIM_FAULT },
	{ "image", OPENVSL_IOC_SIM_IMAGE },
	{ "peek", OPENVSL_IOC_PEEK },
	{ "update", OPENVSL_IOC_UPDATE },
};

static int errno_by_name(const char *name)
{
	static const struct {
		const char *name;
		int value;
	} errnos[] = {
		{ "EPERM", EPERM }, { "EIO", EIO }, { "EINVAL", EINVAL }, { "EBUSY", EBUSY },
		{ "ENOMEM", ENOMEM }, { "ENODEV", ENODEV }, { "ERANGE", ERANGE },
		{ "EINTR", EINTR }, { "EALREADY", EALREADY }, { "ENODATA", ENODATA },
		{ "EUCLEAN", EUCLEAN }, { "EPROTO", EPROTO }, { "EMEDIUMTYPE", EMEDIUMTYPE },
		{ "ENOTCONN", ENOTCONN }, { "EOPNOTSUPP", EOPNOTSUPP }, { "ENOSPC", ENOSPC },
		{ "ENOTTY", ENOTTY }, { "EBADMSG", EBADMSG }, { "ESTALE", ESTALE },
		{ "ENOENT", ENOENT }, { "E2BIG", E2BIG }, { "EDOM", EDOM },
		{ "EACCES", EACCES }, { "ECONNRESET", ECONNRESET }, { "ETIME", ETIME },
		{ "EILSEQ", EILSEQ }, { "EOVERFLOW", EOVERFLOW }, { "EFAULT", EFAULT },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(errnos); i++)
		if (!strcmp(errnos[i].name, name))
			return errnos[i].value;
	fprintf(stderr, "fake_dev: no errno %s\n", name);
	abort();
}

static void set_bytes(unsigned char *at, size_t bytes, const char *hex)
{
	unsigned int byte;
	size_t i;

	for (i = 0; i < bytes && sscanf(hex + 2 * i, "%2x", &byte) == 1; i++)
		at[i] = byte;
}

static bool set_field(struct openvsl_info *info, const char *name, const char *value)
{
	long long number = value[0] == '-' ? strtoll(value, NULL, 0) :
					     (long long)strtoull(value, NULL, 0);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		char *at = (char *)info + fields[i].offset;

		if (strcmp(fields[i].name, name))
			continue;
		/* Both ends of the ABI are little-endian wherever this runs. */
		if (fields[i].kind == 'n')
			memcpy(at, &number, fields[i].bytes);
		else if (fields[i].kind == 's')
			snprintf(at, fields[i].bytes, "%s", value);
		else
			set_bytes((unsigned char *)at, fields[i].bytes, value);
		return true;
	}
	return false;
}

static void set_fail(const char *value)
{
	char call[32];
	char name[32];
	size_t i;

	if (sscanf(value, "%31s %31s", call, name) != 2)
		abort();
	for (i = 0; i < CALLS; i++)
		if (!strcmp(calls[i].name, call))
			fake->fail[i] = errno_by_name(name);
}

static void set_node(struct fake_card *card, const char *value)
{
	static const char * const words[] = {
		"fine", "missing", "foreign", "denied", "gone", "crossed", "leaving",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], value))
			card->node = i;
}

static bool set_global(const char *name, const char *value)
{
	if (!strcmp(name, "absent"))
		fake->absent = true;
	else if (!strcmp(name, "deaf"))
		fake->deaf = true;
	else if (!strcmp(name, "driver"))
		snprintf(fake->driver, sizeof(fake->driver), "%s", value);
	else if (!strcmp(name, "users"))
		snprintf(fake->users, sizeof(fake->users), "%s", value);
	else if (!strcmp(name, "abi"))
		fake->abi = atoi(value);
	else if (!strcmp(name, "take"))
		fake->take_ms = atoi(value);
	else if (!strcmp(name, "fail"))
		set_fail(value);
	else
		return false;
	return true;
}

static bool set_logs(struct fake_card *card, const char *name, const char *value)
{
	struct openvsl_logs *logs = &card->logs;
	unsigned long long count = 0, block = 0;
	unsigned int nr;
	char text[12];

	if (!strcmp(name, "logs")) {
		sscanf(value, "%i %u %u %u", (int *)&logs->flags, &logs->slots, &logs->active,
		       &logs->next);
	} else if (!strcmp(name, "slot")) {
		if (sscanf(value, "%u %11[^\n]", &nr, text) == 2)
			snprintf(logs->slot[nr - 1], sizeof(logs->slot[0]), "%s", text);
	} else if (!strcmp(name, "errlog")) {
		sscanf(value, "%llu %i %u %llu %i %i", &count, (int *)&logs->error_status,
		       &logs->error_part, &block, (int *)&logs->error_queue,
		       (int *)&logs->error_opcode);
		logs->errors = count;
		logs->error_lba = block;
	} else if (!strcmp(name, "end")) {
		card->update_end = atoi(value);
	} else {
		return false;
	}
	return true;
}

static bool set_card(struct fake_card *card, const char *name, const char *value)
{
	struct dev_pci *pci = &card->pci;

	if (!strcmp(name, "node"))
		set_node(card, value);
	else if (!strcmp(name, "image"))
		card->image_bytes = strtoull(value, NULL, 0);
	else if (!strcmp(name, "file"))
		snprintf(card->file, sizeof(card->file), "%s", value);
	else if (!strcmp(name, "under"))
		snprintf(card->under, sizeof(card->under), "%s", value);
	else if (!strcmp(name, "link"))
		sscanf(value, "%u %u", &pci->lanes, &pci->speed_mtps);
	else if (!strcmp(name, "errors"))
		pci->counted = sscanf(value, "%llu %llu %llu %llu", &pci->correctable,
				      &pci->nonfatal, &pci->fatal, &pci->unsupported) == 4;
	else
		return set_logs(card, name, value) || set_field(&card->info, name, value);
	return true;
}

static struct fake_card *add_card(unsigned int nr)
{
	struct fake_card *card = &fake->card[nr];

	card->exists = true;
	card->info.card = nr;
	card->info.progress_permille = 1000;
	card->info.minimal_reason = OPENVSL_MINIMAL_NOT;
	card->info.pci_domain = ~0u;
	card->info.temp_millic = INT_MIN;
	card->info.temp_max_millic = INT_MIN;
	return card;
}

static void read_script(FILE *script)
{
	struct fake_card *card = &fake->card[0];
	char line[256];
	char name[64];
	int at;

	while (fgets(line, sizeof(line), script)) {
		line[strcspn(line, "\n")] = '\0';
		at = strlen(line);
		if (sscanf(line, "%63s %n", name, &at) < 1 || *name == '#')
			continue;
		if (!strcmp(name, "card"))
			card = add_card(atoi(line + at));
		else if (!set_global(name, line + at) && !set_card(card, name, line + at))
			fprintf(stderr, "fake_dev: not understood: %s\n", line);
	}
}

static void load(void)
{
	const char *path = getenv("OPENVSL_FAKE");
	FILE *script;

	if (fake)
		return;
	fake = mmap(NULL, sizeof(*fake), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fake == MAP_FAILED)
		abort();
	fake->abi = OPENVSL_ABI_MAJOR;
	snprintf(fake->driver, sizeof(fake->driver), "0.1.0");
	script = path ? fopen(path, "re") : NULL;
	if (!script) {
		fprintf(stderr, "fake_dev: no script (OPENVSL_FAKE)\n");
		abort();
	}
	read_script(script);
	fclose(script);
}

__printf(1, 2)
static void note(const char *fmt, ...)
{
	const char *path = getenv("OPENVSL_FAKE_LOG");
	FILE *log = path ? fopen(path, "ae") : NULL;
	va_list ap;

	if (!log)
		return;
	va_start(ap, fmt);
	vfprintf(log, fmt, ap);
	va_end(ap);
	fputc('\n', log);
	fclose(log);
}

/* ---- the calls ------------------------------------------------------------ */

/* Something that takes a while and can be interrupted. */
static int take_time(struct fake_card *card, unsigned int state)
{
	unsigned int before = card->info.state;
	unsigned long long step_ns = fake->take_ms * 20000ull;
	struct timespec step;
	unsigned int i;

	card->info.state = state;
	for (i = 0; i < 50 && fake->take_ms; i++) {
		card->info.progress_permille = i * 20;
		step.tv_sec = step_ns / 1000000000;
		step.tv_nsec = step_ns % 1000000000;
		if (nanosleep(&step, NULL) && errno == EINTR && !fake->deaf) {
			card->info.state = before;
			card->info.progress_permille = 1000;
			return -EINTR;
		}
	}
	card->info.state = before;
	card->info.progress_permille = 1000;
	return 0;
}

static int do_format(struct fake_card *card, const struct openvsl_format *arg)
{
	int err;

	note("format fct%u sector=%u capacity=%llu flags=%u", card->info.card, arg->sector_bytes,
	     arg->capacity_bytes, arg->flags);
	err = take_time(card, OPENVSL_STATE_FORMATTING);
	if (err)
		return err;
	card->info.flags |= OPENVSL_INFO_FORMATTED | OPENVSL_INFO_CLEAN;
	card->info.sector_bytes = arg->sector_bytes;
	card->info.capacity_bytes = arg->capacity_bytes ? arg->capacity_bytes :
							  card->info.advertised_bytes;
	return 0;
}

static int do_attach(struct fake_card *card, const struct openvsl_attach *arg)
{
	int err;

	note("attach fct%u flags=%u", card->info.card, arg->flags);
	if (!(card->info.flags & OPENVSL_INFO_FORMATTED))
		return -ENODATA;
	err = take_time(card, OPENVSL_STATE_ATTACHING);
	if (err)
		return err;
	card->info.state = OPENVSL_STATE_ATTACHED;
	snprintf(card->info.disk, sizeof(card->info.disk), "fio%c", 'a' + card->info.card);
	card->info.attach_ns = 350000000;
	return 0;
}

static int do_detach(struct fake_card *card)
{
	int err;

	note("detach fct%u", card->info.card);
	err = take_time(card, OPENVSL_STATE_DETACHING);
	if (err)
		return err;
	card->info.state = OPENVSL_STATE_DETACHED;
	*card->info.disk = '\0';
	return 0;
}

static int do_create(struct openvsl_sim_create *arg)
{
	note("create preset=%s capacity=%llu seed=%llu flags=%u", arg->preset, arg->capacity_bytes,
	     arg->seed, arg->flags);
	if (!strcmp(arg->preset, "nonsense"))
		return -EINVAL;
	if (arg->capacity_bytes < 16 << 20)
		return -ERANGE;
	arg->card = 7;
	return 0;
}

/* The byte at @offset of a card's image: a header, then every other block zeros. */
static unsigned char image_byte(const struct fake_card *card, unsigned long long offset)
{
	struct {
		char magic[8];
		__u32 version;
		__u32 crc;
		__u64 id;
		__u64 blocks;
		__u32 units;
		__u32 eus;
		__u32 eu_blocks;
	} header = {
		.magic = "OVSLSIM",
		.version = 1,
		.crc = 0x12345678,
		.id = 42,
		.blocks = card->image_bytes / 4096,
		.units = card->info.units,
		.eus = card->info.eus,
		.eu_blocks = card->info.eu_blocks,
	};

	if (offset < sizeof(header))
		return ((unsigned char *)&header)[offset];
	return offset / 4096 % 2 ? 1 + offset % 251 : 0;
}

/* The same for a card whose image is a real one; it can only be read. */
static int do_file(struct fake_card *card, struct openvsl_sim_image *arg)
{
	FILE *file = fopen(card->file, "re");

	if (!file || arg->write || fseek(file, 0, SEEK_END))
		abort();
	arg->total_bytes = ftell(file);
	if (!arg->offset)
		note("image fct%u", card->info.card);
	if (fseek(file, arg->offset, SEEK_SET))
		abort();
	arg->bytes = fread((void *)(unsigned long)arg->buf, 1, arg->bytes, file);
	fclose(file);
	return take_time(card, card->info.state);
}

static int do_image(struct fake_card *card, struct openvsl_sim_image *arg)
{
	unsigned char *buf = (unsigned char *)(unsigned long)arg->buf;
	unsigned long long left = card->image_bytes - arg->offset;
	unsigned int i;

	if (*card->file)
		return do_file(card, arg);
	if (arg->offset && arg->offset != card->image_next)
		return -EINVAL;
	if (arg->bytes > left)
		arg->bytes = left;
	for (i = 0; i < arg->bytes; i++) {
		if (!arg->write)
			buf[i] = image_byte(card, arg->offset + i);
		else if (buf[i] != image_byte(card, arg->offset + i))
			return -EBADMSG;
	}
	arg->total_bytes = card->image_bytes;
	card->image_next = arg->offset + arg->bytes;
	if (arg->write && card->image_next == card->image_bytes)
		note("loaded fct%u bytes=%llu", card->info.card, card->image_bytes);
	return 0;
}

/* A block of the disk beneath; what is behind the file's end was never written. */
static int do_peek(const struct fake_card *card, const struct openvsl_peek *arg)
{
	const struct openvsl_info *info = &card->info;
	unsigned long long segment = (unsigned long long)info->units * info->eu_blocks * 4096;
	FILE *file = fopen(card->under, "re");
	size_t got;

	if (!file || arg->unit >= info->units || arg->eu >= info->eus ||
	    arg->off >= info->eu_blocks)
		abort();
	fseek(file, arg->eu * segment + 4096ull * arg->unit * info->eu_blocks + 4096ull * arg->off,
	      SEEK_SET);
	got = fread((void *)(unsigned long)arg->buf, 1, 4096, file);
	fclose(file);
	return got == 4096 ? 0 : -ENODATA;
}

/* The image is told by its size and the sum of its bytes. */
static int do_update(struct fake_card *card, struct openvsl_update *arg)
{
	const unsigned char *byte = (const unsigned char *)(unsigned long)arg->buf;
	unsigned int sum = 0, i;

	for (i = 0; i < arg->bytes; i++)
		sum += byte[i];
	note("update fct%u slot=%u bytes=%u sum=%u%s", card->info.card, arg->slot, arg->bytes, sum,
	     arg->flags & OPENVSL_UPDATE_NOW ? " now" : "");
	if (arg->end || arg->pad || arg->flags & ~OPENVSL_UPDATE_NOW)
		abort();
	arg->end = card->update_end;
	return take_time(card, OPENVSL_STATE_UPDATING);
}

static int do_logs(const struct fake_card *card, struct openvsl_logs *arg)
{
	memcpy(arg, &card->logs, sizeof(*arg));
	return 0;
}

static int do_card(struct fake_card *card, unsigned long request, void *arg)
{
	const struct openvsl_sim_fault *fault = arg;

	switch (request) {
	case OPENVSL_IOC_INFO:
		memcpy(arg, &card->info, sizeof(card->info));
		return 0;
	case OPENVSL_IOC_FORMAT:
		return do_format(card, arg);
	case OPENVSL_IOC_ATTACH:
		return do_attach(card, arg);
	case OPENVSL_IOC_DETACH:
		return do_detach(card);
	case OPENVSL_IOC_BEACON:
		note("beacon fct%u on=%u", card->info.card, ((struct openvsl_beacon *)arg)->on);
		return 0;
	case OPENVSL_IOC_PEEK:
		return do_peek(card, arg);
	case OPENVSL_IOC_UPDATE:
		return do_update(card, arg);
	case OPENVSL_IOC_LOGS:
		return do_logs(card, arg);
	case OPENVSL_IOC_SIM_DESTROY:
		note("destroy fct%u", card->info.card);
		return 0;
	case OPENVSL_IOC_SIM_POWER:
		note("power fct%u %u", card->info.card,
		     ((struct openvsl_sim_power_arg *)arg)->power);
		return 0;
	case OPENVSL_IOC_SIM_FAULT:
		note("fault fct%u %s unit=%d eu=%d block=%d count=%u every=%u value=%llu",
		     card->info.card, fault->name, fault->unit, fault->eu, fault->block,
		     fault->count, fault->every, fault->value);
		return 0;
	case OPENVSL_IOC_SIM_IMAGE:
		return do_image(card, arg);
	}
	return -ENOTTY;
}

static void do_version(struct openvsl_version *version)
{
	unsigned int nr;

	version->abi_major = fake->abi;
	version->abi_minor = OPENVSL_ABI_MINOR;
	for (nr = 0; nr < OPENVSL_CARDS_MAX; nr++)
		if (fake->card[nr].exists)
			version->cards[nr / 32] |= 1u << (nr % 32);
	snprintf(version->driver, sizeof(version->driver), "%s", fake->driver);
}

/* Every structure begins with its size: the ABI's first rule. */
static void check_size(unsigned long request, const void *arg)
{
	if (*(const __u32 *)arg == _IOC_SIZE(request))
		return;
	fprintf(stderr, "fake_dev: call %lx with size %u\n", request, *(const __u32 *)arg);
	abort();
}

int dev_call(int fd, unsigned long request, void *arg)
{
	size_t i;

	check_size(request, arg);
	for (i = 0; i < CALLS; i++)
		if (calls[i].request == request && fake->fail[i])
			return -fake->fail[i];
	if (fd == FD_DRIVER && request == OPENVSL_IOC_VERSION)
		do_version(arg);
	else if (fd == FD_DRIVER && request == OPENVSL_IOC_SIM_CREATE)
		return do_create(arg);
	else if (fd >= FD_CARD)
		return do_card(&fake->card[fd - FD_CARD], request, arg);
	else
		return -ENOTTY;
	return 0;
}

int dev_open_driver(void)
{
	load();
	return fake->absent ? -ENOENT : FD_DRIVER;
}

int dev_open_card(unsigned int card)
{
	static const int errors[] = { 0, -ENOENT, -ENOTTY, -EACCES, -ENODEV, FD_CARD };

	load();
	if (fake->card[card].node == NODE_LEAVING)
		fake->card[card].exists = false;
	if (!fake->card[card].exists)
		return -ENOENT;
	return fake->card[card].node ? errors[fake->card[card].node] : (int)(FD_CARD + card);
}

void dev_close(int fd)
{
	if (fd != FD_DRIVER && fd < FD_CARD) {
		fprintf(stderr, "fake_dev: close of %d\n", fd);
		abort();
	}
}

bool dev_exists(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

const char *dev_resolve(const char *path, char *buf, size_t bytes)
{
	ssize_t len = readlink(path, buf, bytes - 1);

	if (len < 0)
		return NULL;
	buf[len] = '\0';
	return buf;
}

void dev_pci(const struct openvsl_info *info, struct dev_pci *pci)
{
	*pci = fake->card[info->card].pci;
}

void dev_host(struct dev_host *host)
{
	host->ram_total = 67514236928ull;
	host->ram_free = 59929944064ull;
	host->swap_total = 34359697408ull;
	host->swap_free = 34359697407ull;
}

void dev_users(const char *disk, char *buf, size_t bytes)
{
	(void)disk;
	snprintf(buf, bytes, "%s", fake->users);
}
