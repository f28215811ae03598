// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_image.c - images of cards for the tests of openvsl check.
 *
 *	make_image KIND FILE
 *	make_image --stop FILE		look at it, and stop at each place where one can
 *	make_image --flip FILE		look at it with one bit flipped, 300 times
 *
 * The core writes them, on a simulated card, as it would in the kernel; what is
 * damaged is damaged past it.  The same kind is the same file every time.
 */
#include "../../tools/check_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS		96u	/* of the disk that are written */

static struct check check;
static struct check_core on;

__attribute__((noreturn, format(printf, 1, 2)))
static void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "make_image: ");
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\n");
	exit(1);
}

/* ---- a card that works ---------------------------------------------------- */

static void make_card(const char *preset, u64 bytes, const char *model)
{
	struct vsl_sim_config config;
	struct vsl_sim_env env = { .ctx = NULL };

	if (vsl_sim_preset(preset, bytes, &config))
		die("preset %s", preset);
	config.flags &= ~VSL_SIM_TIMED;
	config.flags |= VSL_SIM_INLINE;
	config.cache_blocks = 0;
	if (model)
		snprintf(config.model, sizeof(config.model), "%s", model);
	if (vsl_sim_create(&config, &env, &on.sim))
		die("no card");
	on.media = vsl_sim_media(on.sim);
	check.core = &on;
	check_env_init(&check, &on);
}

static void format(void)
{
	struct vsl_format want = {
		.uuid = { 0x46, 0xee, 0x57, 0xc7, 0xc6, 0xaf, 0x44, 0xa4,
			  0x8d, 0xc2, 0x3f, 0xea, 0x72, 0x24, 0x4c, 0x66 },
		.label_ts = 1790000000,
		.sector_bytes = 512,
		.capacity_bytes = 3u << 20,
	};
	int ret = vsl_core_format(on.media, &on.env, &want);

	if (ret)
		die("format: %d", ret);
}

static void attach(void)
{
	int ret = vsl_core_attach(on.media, &on.env, 0, &on.core);

	if (ret)
		die("attach: %d", ret);
}

static void detach(void)
{
	int ret = vsl_core_detach(on.core);

	if (ret)
		die("detach: %d", ret);
	vsl_core_destroy(on.core);
	on.core = NULL;
}

/* The driver is gone without a word. */
static void crash(void)
{
	vsl_core_kill(on.core);
	while (vsl_core_next_io(on.core))
		;
	vsl_sync_drain(on.core);
	vsl_core_destroy(on.core);
	on.core = NULL;
}

static bool has_ended(void *arg)
{
	struct vsl_io *io = arg;

	return io->owner || (io->owner = vsl_core_next_io(on.core)) != NULL;
}

static void submit(enum vsl_io_kind kind, u32 block, u32 nr, u32 seed)
{
	static u32 data[8 * VSL_BLOCK_BYTES / 4];
	struct vsl_vec vec = { data, nr * VSL_BLOCK_BYTES };
	struct vsl_io io = {
		.kind = kind,
		.sector = (u64)block * VSL_BLOCK_SECTORS,
		.nr_sectors = nr * VSL_BLOCK_SECTORS,
		.vec = &vec,
		.nr_vecs = kind == VSL_IO_WRITE,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(data); i++)
		data[i] = (block * 1024 + i) * 0x9e3779b1u + seed;
	vsl_core_submit(on.core, &io);
	if (on.env.wait(&check, on.core, has_ended, &io) || io.error)
		die("request at block %u: %d", block, io.error);
}

static void write_some(u32 seed)
{
	u32 block;

	for (block = 0; block < BLOCKS; block += 8)
		submit(VSL_IO_WRITE, block, 8, seed);
	submit(VSL_IO_TRIM, 40, 5, 0);
	submit(VSL_IO_WRITE, 16, 3, seed + 1);
}

static void make_healthy(void)
{
	format();
	attach();
	write_some(1);
	detach();
}

/* ---- damage --------------------------------------------------------------- */

static u32 unit_of(u32 ppa)
{
	return vsl_ppa_unit(&on.core->geo, ppa);
}

static void peek(u32 ppa, void *buf)
{
	if (vsl_sim_peek(on.sim, unit_of(ppa), vsl_ppa_seg(&on.core->geo, ppa),
			 vsl_ppa_off(&on.core->geo, ppa), buf))
		die("nothing at %x", ppa);
}

static void poke(u32 ppa, const void *buf)
{
	if (vsl_sim_poke(on.sim, unit_of(ppa), vsl_ppa_seg(&on.core->geo, ppa),
			 vsl_ppa_off(&on.core->geo, ppa), buf))
		die("nothing at %x", ppa);
}

static void flip(u32 ppa)
{
	u8 buf[VSL_BLOCK_BYTES];

	peek(ppa, buf);
	buf[100] ^= 8;
	poke(ppa, buf);
}

/* Look at what is there, without writing. */
static void look(void)
{
	int ret = vsl_core_attach(on.media, &on.env, VSL_ATTACH_READ_ONLY, &on.core);

	if (ret)
		die("attach to look: %d", ret);
}

static void look_away(void)
{
	vsl_core_destroy(on.core);
	on.core = NULL;
}

/* Each whole root of the card: change it by @change, which may be NULL: lose it. */
static void each_root(bool newest, int lanes, void (*change)(struct vsl_disk_root *root))
{
	u8 buf[VSL_BLOCK_BYTES];
	struct vsl_disk_root *root = (void *)buf;
	u32 lane, nth, off, unit, eu;

	look();
	for (lane = 0; lane < (u32)lanes; lane++) {
		for (nth = 0; nth < VSL_LANE_EUS; nth++) {
			vsl_lane_place(&on.core->geo, lane, nth, &unit, &eu);
			for (off = 0; off < on.core->geo.eu_blocks; off++) {
				if (vsl_sim_peek(on.sim, unit, eu, off, buf) ||
				    (newest && le64_to_cpu(root->generation) !=
				     on.core->generation))
					continue;
				if (change) {
					change(root);
					root->crc = 0;
					root->crc = cpu_to_le32(vsl_port_crc32c(VSL_CRC_SEED, buf,
						le32_to_cpu(root->bytes)));
				}
				vsl_sim_poke(on.sim, unit, eu, off, change ? buf : NULL);
			}
		}
	}
	look_away();
}

static void to_future(struct vsl_disk_root *root)
{
	root->format = cpu_to_le32(VSL_FORMAT_VERSION + 1);
}

static void to_past(struct vsl_disk_root *root)
{
	root->format = cpu_to_le32(VSL_FORMAT_VERSION - 1);
}

static void to_foreign(struct vsl_disk_root *root)
{
	root->eus = cpu_to_le32(le32_to_cpu(root->eus) + 1);
}

static void to_nonsense(struct vsl_disk_root *root)
{
	root->nr_dir = cpu_to_le32(77);
}

static u32 new_crc;

static void to_new_directory(struct vsl_disk_root *root)
{
	struct vsl_disk_ref *ref = (void *)(root + 1);

	ref->crc = cpu_to_le32(new_crc);
}

/* Two blocks of the disk lead to one place, by pages whose checksums are right. */
static void make_double(void)
{
	u8 buf[VSL_BLOCK_BYTES];
	__le32 *map = (void *)buf;
	struct vsl_disk_ref *ref = (void *)buf;
	u32 page_crc;

	look();
	peek(on.core->dir[0].ppa, buf);
	map[3] = map[2];
	page_crc = vsl_port_crc32c(VSL_CRC_SEED, buf, sizeof(buf));
	poke(on.core->dir[0].ppa, buf);
	peek(on.core->dir_ref[0].ppa, buf);
	ref->crc = cpu_to_le32(page_crc);
	new_crc = vsl_port_crc32c(VSL_CRC_SEED, buf, sizeof(buf));
	poke(on.core->dir_ref[0].ppa, buf);
	look_away();
	each_root(true, VSL_LANES, to_new_directory);
}

static u32 random_below(u32 limit)
{
	static u64 state = 1;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)((state >> 33) % limit);
}

/* Bits flipped and blocks lost anywhere. */
static void make_noise(u32 seed)
{
	const struct vsl_media_info *info = &on.media->info;
	u8 buf[VSL_BLOCK_BYTES];
	u32 unit, eu, block, left = 12;

	while (seed--)
		random_below(2);
	while (left) {
		unit = random_below(info->units);
		eu = random_below(info->eus);
		block = random_below(info->eu_blocks);
		if (vsl_sim_peek(on.sim, unit, eu, block, buf))
			continue;
		buf[random_below(VSL_BLOCK_BYTES)] ^= 1u << random_below(8);
		vsl_sim_poke(on.sim, unit, eu, block, random_below(3) ? buf : NULL);
		left--;
	}
}

/* ---- kinds ---------------------------------------------------------------- */

enum place { AT_DATA, AT_MAP, AT_HEAD };

static void damage(enum place place, bool lose)
{
	u32 ppa, id = VSL_STREAM_MAP - 1;

	look();
	ppa = place == AT_MAP ? on.core->dir[0].ppa : on.core->map[24];
	/* Eight blocks were written in one packet, behind its head. */
	while (id && on.core->base.start[id].seg == VSL_NONE)
		id--;
	if (place == AT_HEAD)
		ppa = vsl_ppa(&on.core->geo, on.core->base.start[id].seg, 0, 0);
	if (lose)
		poke(ppa, NULL);
	else
		flip(ppa);
	look_away();
}

static void make_unclean(void)
{
	make_healthy();
	attach();
	write_some(5);
	crash();
}

/* Formatted a second time, and attached often: older roots and heads show. */
static void make_again(void)
{
	u32 i;

	make_unclean();
	for (i = 0; i < 12; i++) {
		attach();
		write_some(i);
		crash();
	}
	make_unclean();
}

static void make_lost(void)
{
	make_healthy();
	damage(AT_MAP, true);
	attach();
	submit(VSL_IO_WRITE, 8, 4, 9);
	detach();
}

static void make(const char *kind)
{
	if (!strcmp(kind, "oc20") || !strcmp(kind, "oc20-unclean"))
		make_card("oc20", VSL_SIM_CAPACITY_MIN, NULL);
	else if (!strncmp(kind, "flat", 4))
		make_card("flat", VSL_SIM_CAPACITY_MIN, NULL);
	else
		make_card("tiny", 0, strcmp(kind, "unknown") ? NULL : "Somebody's card");
	if (!strcmp(kind, "blank"))
		return;
	if (!strcmp(kind, "unclean") || !strcmp(kind, "oc20-unclean") ||
	    !strcmp(kind, "flat-unclean") ||
	    !strncmp(kind, "noise-", 6))
		make_unclean();
	else if (!strcmp(kind, "flat-again"))
		make_again();
	else if (!strcmp(kind, "lost"))
		make_lost();
	else
		make_healthy();
	if (!strcmp(kind, "unreadable"))
		damage(AT_DATA, true);
	else if (!strcmp(kind, "corrupt"))
		damage(AT_DATA, false);
	else if (!strcmp(kind, "map"))
		damage(AT_MAP, false);
	else if (!strcmp(kind, "head"))
		damage(AT_HEAD, false);
	else if (!strcmp(kind, "root"))
		each_root(true, 1, NULL);
	else if (!strcmp(kind, "no-lane"))
		each_root(false, 1, NULL);
	else if (!strcmp(kind, "no-root"))
		each_root(false, VSL_LANES, NULL);
	else if (!strcmp(kind, "future"))
		each_root(true, VSL_LANES, to_future);
	else if (!strcmp(kind, "past"))
		each_root(true, VSL_LANES, to_past);
	else if (!strcmp(kind, "foreign"))
		each_root(true, VSL_LANES, to_foreign);
	else if (!strcmp(kind, "nonsense"))
		each_root(true, VSL_LANES, to_nonsense);
	else if (!strcmp(kind, "double"))
		make_double();
	else if (!strncmp(kind, "noise-", 6))
		make_noise(atoi(kind + 6));
	else if (strcmp(kind, "healthy") && strcmp(kind, "unclean") && strcmp(kind, "lost") &&
		 strcmp(kind, "unknown") && strncmp(kind, "oc20", 4) &&
		 strncmp(kind, "flat", 4))
		die("no kind %s", kind);
}

static void save(const char *path)
{
	static u8 buf[64 * VSL_BLOCK_BYTES] __attribute__((aligned(64)));
	FILE *file = fopen(path, "we");
	u64 at = 0, total;
	u32 done;

	if (!file)
		die("cannot write %s", path);
	do {
		if (vsl_sim_image_read(on.sim, at, buf, sizeof(buf), &done, &total) ||
		    fwrite(buf, 1, done, file) != done)
			die("cannot save");
		at += done;
	} while (at < total);
	if (fclose(file))
		die("cannot write %s", path);
}

/* ---- stopping ------------------------------------------------------------- */

static u32 questions, answer_yes_at;

static bool stop(void *ctx)
{
	(void)ctx;
	return ++questions == answer_yes_at;
}

static u8 image[4u << 20] __attribute__((aligned(64)));
static u64 image_bytes;

static void load(const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file)
		die("cannot read %s", path);
	image_bytes = fread(image, 1, sizeof(image), file);
	fclose(file);
}

/* A whole look.  Return: what ended it; @worst: what it found. */
static int look_at_image(enum check_weight *worst)
{
	struct check *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		die("no memory");
	c->image = image;
	c->bytes = image_bytes;
	c->stop = stop;
	questions = 0;
	ret = check_open(c);
	ret = ret ? ret : check_roots(c);
	if (!ret && c->state == CHECK_ATTACHED)
		ret = check_attach(c);
	if (!ret && c->state == CHECK_ATTACHED)
		ret = check_data(c);
	*worst = c->worst;
	check_close(c);
	free(c);
	if (vsl_port_allocs_live)
		die("%llu pieces of memory are left", vsl_port_allocs_live);
	return ret;
}

static void stop_everywhere(const char *path)
{
	enum check_weight worst;
	int ret;

	load(path);
	for (answer_yes_at = 1;; answer_yes_at++) {
		ret = look_at_image(&worst);
		if (ret && ret != -EINTR)
			die("stopped at %u: %d", answer_yes_at, ret);
		if (!ret && questions >= answer_yes_at)
			die("it was not stopped at %u", answer_yes_at);
		if (!ret)
			break;
	}
	if (answer_yes_at < 4)
		die("only %u questions", answer_yes_at - 1);
}

/* Not one is to go unseen: every byte of the file is covered by a checksum. */
static void flip_everywhere(const char *path)
{
	enum check_weight worst;
	u32 i, at, ret;

	load(path);
	for (i = 0; i < 300; i++) {
		at = random_below(image_bytes);
		image[at] ^= 16;
		ret = look_at_image(&worst);
		image[at] ^= 16;
		if (!ret && worst != CHECK_BAD_IMAGE)
			die("a flipped bit at %u is not seen", at);
	}
}

int main(int argc, char **argv)
{
	if (argc != 3)
		die("usage: make_image KIND FILE");
	if (!strcmp(argv[1], "--stop")) {
		stop_everywhere(argv[2]);
		return 0;
	}
	if (!strcmp(argv[1], "--flip")) {
		flip_everywhere(argv[2]);
		return 0;
	}
	make(argv[1]);
	save(argv[2]);
	vsl_sim_destroy(on.sim);
	return 0;
}
