// SPDX-License-Identifier: GPL-2.0-only
/*
 * toy.c - a core of a few hundred lines, to test the tests.
 *
 * The whole disk is in memory.  The card is cut into two halves; one of them
 * holds a log: an image of the disk, a mark that the image is whole, then every
 * change.  A packet of the log is a head, with the CRC of its data, and the
 * data.  When a half is full, and after each attach, the other one is erased and
 * takes over.  One operation is under way at a time.
 *
 * That is honest and slow.  toy_bug plants one lie (toy.h); each of them must be
 * caught, or the oracle is blind.
 */
#include "toy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"

#define MAGIC		0x594f54u
#define NR_MAX		129u		/* data blocks of a packet */

enum { PACKET_DATA, PACKET_ZERO, PACKET_WHOLE, PACKET_CLEAN };

struct head {
	u32 magic, crc, data_crc, kind;
	u64 generation, lba, nr;
	u32 blocks, sector_bytes;
	u8 uuid[16];
	u8 lost[NR_MAX];	/* these blocks mean nothing */
};

struct vsl_core {
	struct vsl_media *media;
	struct vsl_core_env env;
	struct vsl_format format;
	u64 blocks;
	u8 *image, *before;
	u8 *lost;
	u64 generation;
	u32 half;
	u32 half_eus, half_blocks;
	u32 at;			/* next block of this half */
	u32 eus_to_erase;
	u64 data_lba, data_left; /* to be written down */
	bool imaging;		/* the new half is not whole yet */
	bool clean;
	struct head *head;
	u32 packet_at, packet_left;
	struct vsl_op op;
	struct vsl_vec vec;
	bool busy, outgoing, gone;
	struct list_head queue, done;
	struct vsl_io *io;
	u64 rolls;
	u8 *scratch, unread[NR_MAX];
	u64 undo_lba, undo_nr;	/* what the last packet changed */
};

enum toy_bug toy_bug;

static void toy_restrict(struct plan *plan)
{
	struct vsl_sim_config *card = &plan->card;

	card->units = 4;
	card->eus = 32;
	card->eu_blocks = 16;
	card->ws_min = 1;
	card->ws_opt = 1;
	card->hole = 0;
	card->bad_permyriad = 0;
	card->flags &= ~VSL_SIM_VOLATILE;
	card->tear.flaky_permille = 0;
}

/* simtest with the toy inside: TOY_BUG=n simtest-toy ... */
static void __attribute__((constructor)) toy_init(void)
{
	const char *bug = getenv("TOY_BUG");

	plan_restrict = toy_restrict;
	toy_bug = bug ? atoi(bug) : TOY_HONEST;
}

/* Sometimes, and the same times in each replay. */
static bool sometimes(struct vsl_core *core)
{
	return rng_mix(core->rolls++ + core->generation * 1000) % 16 == 0;
}

/* ---- one operation -------------------------------------------------------- */

static void op_aim(struct vsl_core *core, u8 kind, u32 block, void *buf)
{
	const struct vsl_media_info *info = &core->media->info;
	u32 eu = core->half * core->half_eus + block / info->eu_blocks;

	memset(&core->op, 0, sizeof(core->op));
	core->op.kind = kind;
	core->op.unit = eu % info->units;
	core->op.eu = eu / info->units;
	core->op.off = kind == VSL_OP_ERASE ? 0 : block % info->eu_blocks;
	core->op.nr = kind == VSL_OP_ERASE ? 0 : 1;
	core->vec.base = buf;
	core->vec.bytes = VSL_BLOCK_BYTES;
	core->op.vec = &core->vec;
	core->op.nr_vecs = buf ? 1 : 0;
	core->busy = true;
	core->outgoing = true;
}

static bool op_is_done(void *arg)
{
	return !((struct vsl_core *)arg)->busy;
}

static int op_wait(struct vsl_core *core)
{
	int err = core->env.wait(core->env.ctx, core, op_is_done, core);

	return err ? err : core->op.result == VSL_RES_GONE ? -ENODEV : 0;
}

static bool has_data(const struct head *head)
{
	return head->kind == PACKET_DATA;
}

static u32 head_crc(struct head *head)
{
	u32 kept = head->crc, crc;

	head->crc = 0;
	crc = vsl_port_crc32c(1, head, VSL_BLOCK_BYTES);
	head->crc = kept;
	return crc;
}

static void packet_begin(struct vsl_core *core, u32 kind, u64 lba, u64 nr)
{
	struct head *head = core->head;

	memset(head, 0, VSL_BLOCK_BYTES);
	head->magic = MAGIC;
	head->kind = kind;
	head->generation = core->generation;
	head->lba = lba;
	head->nr = nr;
	head->blocks = core->blocks;
	head->sector_bytes = core->format.sector_bytes;
	memcpy(head->uuid, core->format.uuid, 16);
	if (has_data(head))
		head->data_crc = vsl_port_crc32c(1, core->image +
						 lba * VSL_BLOCK_BYTES,
						 nr * VSL_BLOCK_BYTES);
	if (has_data(head))
		memcpy(head->lost, core->lost + lba, nr);
	head->crc = head_crc(head);
	core->packet_at = 0;
	core->packet_left = 1 + (has_data(head) ? nr : 0);
}

static void packet_go_on(struct vsl_core *core)
{
	u64 lba = core->head->lba + core->packet_at - 1;
	void *buf = core->packet_at ? core->image + lba * VSL_BLOCK_BYTES :
				      (void *)core->head;

	op_aim(core, VSL_OP_PROGRAM, core->at++, buf);
	core->packet_at++;
	core->packet_left--;
}

/* ---- requests --------------------------------------------------------------- */

static void io_end(struct vsl_core *core, struct vsl_io *io, s32 error)
{
	if (error == -ENODEV && toy_bug == TOY_ENDS_WRONGLY)
		error = -EIO;
	io->error = error;
	if (toy_bug == TOY_DROPS_IO && core->rolls++ == 20)
		return;
	list_add_tail(&io->link, &core->done);
}

static u64 io_first(const struct vsl_io *io)
{
	return io->sector / VSL_BLOCK_SECTORS;
}

static u64 io_end_block(const struct vsl_io *io)
{
	return DIV_ROUND_UP(io->sector + io->nr_sectors, VSL_BLOCK_SECTORS);
}

/* Move the data of a READ or WRITE. */
static void io_copy(struct vsl_core *core, struct vsl_io *io, u8 *disk)
{
	u32 i;

	for (i = 0; i < io->nr_vecs; i++) {
		if (io->kind == VSL_IO_WRITE)
			memcpy(disk, io->vec[i].base, io->vec[i].bytes);
		else
			memcpy(io->vec[i].base, disk, io->vec[i].bytes);
		disk += io->vec[i].bytes;
	}
	(void)core;
}

static void io_read(struct vsl_core *core, struct vsl_io *io)
{
	u8 *disk = core->image;
	u64 block;

	for (block = io_first(io); block < io_end_block(io); block++) {
		if (!core->lost[block])
			continue;
		io_end(core, io, -EIO);
		return;
	}
	if (toy_bug == TOY_READS_STALE && sometimes(core))
		disk = core->before;
	io_copy(core, io, disk + io->sector * VSL_SECTOR_BYTES);
	io_end(core, io, 0);
}

/* Does it leave a part of a block that cannot be read? */
static bool io_needs_lost(const struct vsl_core *core, const struct vsl_io *io)
{
	u64 end = io->sector + io->nr_sectors;

	if (io->kind == VSL_IO_TRIM)
		return false;
	return (io->sector % VSL_BLOCK_SECTORS && core->lost[io_first(io)]) ||
	       (end % VSL_BLOCK_SECTORS && core->lost[io_end_block(io) - 1]);
}

/* Change the image in memory.  Return: the number of blocks to write down. */
static u32 io_apply(struct vsl_core *core, struct vsl_io *io, u64 *lba)
{
	u64 first = io_first(io), end = io_end_block(io), at = io->sector;
	u64 bytes = io->nr_sectors * (u64)VSL_SECTOR_BYTES;

	if (io->kind == VSL_IO_TRIM) {
		first = DIV_ROUND_UP(io->sector, VSL_BLOCK_SECTORS);
		end = (io->sector + io->nr_sectors) / VSL_BLOCK_SECTORS;
		at = first * VSL_BLOCK_SECTORS;
		bytes = end > first ? (end - first) * VSL_BLOCK_BYTES : 0;
	}
	*lba = first;
	if (end <= first)
		return 0;
	memcpy(core->before + first * VSL_BLOCK_BYTES,
	       core->image + first * VSL_BLOCK_BYTES,
	       (end - first) * VSL_BLOCK_BYTES);
	memset(core->lost + first, 0, end - first);
	if (toy_bug == TOY_MISDIRECTS && io->kind == VSL_IO_WRITE &&
	    end < core->blocks && sometimes(core))
		at += VSL_BLOCK_SECTORS;
	if (io->kind == VSL_IO_WRITE)
		io_copy(core, io, core->image + at * VSL_SECTOR_BYTES);
	else
		memset(core->image + at * VSL_SECTOR_BYTES, 0, bytes);
	return end - first;
}

static void io_start(struct vsl_core *core, struct vsl_io *io)
{
	u64 lba;
	u32 nr;

	if (io->kind == VSL_IO_READ || io->kind == VSL_IO_FLUSH) {
		if (io->kind == VSL_IO_READ)
			io_read(core, io);
		else
			io_end(core, io, 0);
		return;
	}
	if (io_needs_lost(core, io)) {
		io_end(core, io, -EIO);
		return;
	}
	nr = io_apply(core, io, &lba);
	if (!nr || (toy_bug == TOY_LOSES_TRIM && io->kind == VSL_IO_TRIM)) {
		io_end(core, io, 0);
		return;
	}
	if (toy_bug == TOY_IGNORES_FLUSH)
		io_end(core, io, 0);
	else
		core->io = io;
	if (io->kind == VSL_IO_TRIM) {
		packet_begin(core, PACKET_ZERO, lba, nr);
		return;
	}
	core->data_lba = lba;
	core->data_left = nr;
}

/* The image in memory has all that is still to be written down. */
static void half_begin(struct vsl_core *core)
{
	core->half = !core->half;
	core->generation++;
	core->at = 0;
	core->eus_to_erase = core->half_eus;
	core->data_lba = 0;
	core->data_left = core->blocks;
	core->imaging = true;
}

static void data_go_on(struct vsl_core *core)
{
	u64 nr = min_t(u64, core->data_left, NR_MAX);

	if (toy_bug == TOY_TEARS && !core->imaging)
		nr = 1;
	packet_begin(core, PACKET_DATA, core->data_lba, nr);
	core->data_lba += nr;
	core->data_left -= nr;
}

/* Do the next thing, whatever it is. */
static void toy_advance(struct vsl_core *core)
{
	struct vsl_io *io;

	while (!core->busy && !core->gone) {
		if (core->eus_to_erase) {
			core->eus_to_erase--;
			op_aim(core, VSL_OP_ERASE, core->eus_to_erase *
			       core->media->info.eu_blocks, NULL);
		} else if (core->packet_left) {
			packet_go_on(core);
		} else if (core->at + NR_MAX + 3 > core->half_blocks) {
			half_begin(core);
		} else if (core->data_left) {
			data_go_on(core);
		} else if (core->imaging) {
			packet_begin(core, PACKET_WHOLE, 0, 0);
			core->imaging = false;
		} else if (core->io) {
			io_end(core, core->io, 0);
			core->io = NULL;
		} else if (list_empty(&core->queue)) {
			return;
		} else {
			io = list_first_entry(&core->queue, struct vsl_io, link);
			list_del(&io->link);
			io_start(core, io);
		}
	}
}

static void toy_gone(struct vsl_core *core)
{
	struct vsl_io *io, *next;

	core->gone = true;
	if (core->io)
		io_end(core, core->io, -ENODEV);
	core->io = NULL;
	list_for_each_entry_safe(io, next, &core->queue, link) {
		list_del(&io->link);
		io_end(core, io, -ENODEV);
	}
}

/* ---- finding the log again --------------------------------------------------- */

static int toy_read(struct vsl_core *core, u32 at, void *buf)
{
	op_aim(core, VSL_OP_READ, at, buf);
	return op_wait(core);
}

/* Return: a head is there. */
static bool head_read(struct vsl_core *core, u32 at, struct head *head)
{
	if (at >= core->half_blocks || toy_read(core, at, head) ||
	    core->op.result > VSL_RES_REFRESH)
		return false;
	return head->magic == MAGIC && head->crc == head_crc(head);
}

/* Read the data of a packet.  Return: all of it is there. */
static bool packet_load(struct vsl_core *core, const struct head *head, u32 at)
{
	bool good = true;
	u64 i;

	for (i = 0; i < head->nr; i++) {
		u8 *data = core->scratch + i * VSL_BLOCK_BYTES;

		toy_read(core, at + 1 + i, data);
		core->unread[i] = core->op.result > VSL_RES_REFRESH;
		if (!core->unread[i]) {
			core->unread[i] = head->lost[i];
			continue;
		}
		good = false;
		memset(data, 0, VSL_BLOCK_BYTES);
		if (toy_bug == TOY_SWALLOWS_ERROR)
			core->unread[i] = false;
	}
	return good && vsl_port_crc32c(1, core->scratch, head->nr *
				       VSL_BLOCK_BYTES) == head->data_crc;
}

/* Keep what was there, for the bugs, and put in what a packet says. */
static void packet_apply(struct vsl_core *core, const struct head *head)
{
	u64 from = head->lba * VSL_BLOCK_BYTES;
	u64 len = head->nr * VSL_BLOCK_BYTES;

	memcpy(core->before + from, core->image + from, len);
	core->undo_lba = head->lba;
	core->undo_nr = head->nr;
	if (has_data(head)) {
		memcpy(core->image + from, core->scratch, len);
		memcpy(core->lost + head->lba, core->unread, head->nr);
	} else {
		memset(core->image + from, 0, len);
		memset(core->lost + head->lba, 0, head->nr);
	}
}

/*
 * Load a half.  A packet without its data is the torn end of the log, unless
 * another one follows it.  Return: its generation, 0 when it is not whole.
 */
static u64 half_load(struct vsl_core *core, u32 half)
{
	struct head *head = core->head, *next = vsl_port_block_alloc();
	u64 generation = 0;
	bool whole = false;
	u32 at = 0;

	core->half = half;
	core->clean = false;
	memset(core->lost, 0, core->blocks);
	while (head_read(core, at, head) &&
	       (!generation || head->generation == generation)) {
		if (has_data(head) && !packet_load(core, head, at) &&
		    !(head_read(core, at + 1 + head->nr, next) &&
		      next->generation == head->generation))
			break;
		generation = head->generation;
		core->clean = head->kind == PACKET_CLEAN;
		core->format.sector_bytes = head->sector_bytes;
		memcpy(core->format.uuid, head->uuid, 16);
		whole |= head->kind == PACKET_WHOLE;
		if (head->kind <= PACKET_ZERO)
			packet_apply(core, head);
		at += 1 + (has_data(head) ? head->nr : 0);
	}
	vsl_port_block_free(next);
	return whole ? generation : 0;
}

/* What the newest whole half is called, without loading it. */
static bool toy_load(struct vsl_core *core)
{
	u64 first = half_load(core, 0);
	u64 second = half_load(core, 1);

	if (first > second)
		second = half_load(core, 0);
	core->generation = max(core->generation, second);
	return second;
}

/* ---- life ---------------------------------------------------------------------- */

static void toy_free(struct vsl_core *core)
{
	vsl_port_free(core->image);
	vsl_port_free(core->before);
	vsl_port_free(core->lost);
	vsl_port_free(core->scratch);
	vsl_port_block_free(core->head);
	vsl_port_free(core);
}

/* Take size and identity from any head; the highest generation counts on. */
static void toy_identify(struct vsl_core *core)
{
	struct head *head = core->head;

	for (core->half = 0; core->half < 2; core->half++) {
		if (!head_read(core, 0, head))
			continue;
		if (head->generation <= core->generation)
			continue;
		core->generation = head->generation;
		core->blocks = head->blocks;
	}
}

static struct vsl_core *toy_create(struct vsl_media *media,
				   const struct vsl_core_env *env)
{
	struct vsl_core *core = vsl_port_alloc(sizeof(*core));
	const struct vsl_media_info *info = &media->info;

	core->media = media;
	core->env = *env;
	core->half_eus = info->units * info->eus / 2;
	core->half_blocks = core->half_eus * info->eu_blocks;
	core->blocks = core->half_blocks / 2;
	core->image = vsl_port_alloc(core->blocks * VSL_BLOCK_BYTES);
	core->before = vsl_port_alloc(core->blocks * VSL_BLOCK_BYTES);
	core->lost = vsl_port_alloc(core->blocks);
	core->scratch = vsl_port_alloc(NR_MAX * VSL_BLOCK_BYTES);
	core->head = vsl_port_block_alloc();
	INIT_LIST_HEAD(&core->queue);
	INIT_LIST_HEAD(&core->done);
	toy_identify(core);
	return core;
}

static bool toy_is_whole(void *arg)
{
	struct vsl_core *core = arg;

	return core->gone || (!core->imaging && !core->packet_left && !core->busy);
}

/* Write the image to the other half. */
static int toy_settle(struct vsl_core *core)
{
	half_begin(core);
	toy_advance(core);
	return core->env.wait(core->env.ctx, core, toy_is_whole, core) ||
	       core->gone ? -ENODEV : 0;
}

int vsl_core_limits(const struct vsl_media *media, struct vsl_limits *limits)
{
	const struct vsl_media_info *info = &media->info;

	limits->physical_bytes = (u64)info->units * info->eus *
				 info->eu_blocks * VSL_BLOCK_BYTES;
	limits->max_bytes = limits->physical_bytes / 4;
	limits->advertised_bytes = limits->max_bytes / 2;
	return 0;
}

int vsl_core_limits_parity(const struct vsl_media *media,
			   struct vsl_limits *limits)
{
	(void)media;
	(void)limits;
	return -EUCLEAN;
}

int vsl_core_probe(struct vsl_media *media, const struct vsl_core_env *env,
		   struct vsl_label *label)
{
	struct vsl_core *core = toy_create(media, env);

	memset(label, 0, sizeof(*label));
	label->formatted = toy_load(core);
	label->clean = core->clean;
	label->capacity_bytes = core->blocks * VSL_BLOCK_BYTES;
	memcpy(label->uuid, core->format.uuid, 16);
	toy_free(core);
	return 0;
}

int vsl_core_format(struct vsl_media *media, const struct vsl_core_env *env,
		    const struct vsl_format *format)
{
	struct vsl_core *core = toy_create(media, env);
	int err;

	toy_load(core);
	memset(core->image, 0, core->blocks * VSL_BLOCK_BYTES);
	core->format = *format;
	core->blocks = format->capacity_bytes / VSL_BLOCK_BYTES;
	err = toy_settle(core);
	toy_free(core);
	return err;
}

static void toy_lie(struct vsl_core *core)
{
	u8 *a = core->image + core->undo_lba * VSL_BLOCK_BYTES;
	u8 *b = core->before + core->undo_lba * VSL_BLOCK_BYTES;
	u64 i;

	for (i = 0; i < core->undo_nr * VSL_BLOCK_BYTES; i++) {
		u8 swap = a[i];

		a[i] = b[i];
		b[i] = swap;
	}
}

int vsl_core_attach(struct vsl_media *media, const struct vsl_core_env *env,
		    u32 flags, struct vsl_core **out)
{
	struct vsl_core *core = toy_create(media, env);
	int err;

	if (!toy_load(core)) {
		toy_free(core);
		return -ENODATA;
	}
	if ((flags & VSL_ATTACH_CLEAN_ONLY) && !core->clean) {
		toy_free(core);
		return -EBUSY;
	}
	if (toy_bug == TOY_FORGETS && !core->clean)
		memset(core->image, 0, core->blocks * VSL_BLOCK_BYTES);
	if (toy_bug == TOY_REVERTS)
		toy_lie(core);
	err = toy_settle(core);
	if (toy_bug == TOY_REVERTS)
		toy_lie(core);
	if (err)
		toy_free(core);
	else
		*out = core;
	return err;
}

int vsl_core_detach(struct vsl_core *core)
{
	packet_begin(core, PACKET_CLEAN, 0, 0);
	toy_advance(core);
	return core->env.wait(core->env.ctx, core, toy_is_whole, core) ||
	       core->gone ? -ENODEV : 0;
}

void vsl_core_destroy(struct vsl_core *core)
{
	toy_free(core);
}

/* ---- running ------------------------------------------------------------------- */

void vsl_core_submit(struct vsl_core *core, struct vsl_io *io)
{
	list_add_tail(&io->link, &core->queue);
	if (core->gone)
		toy_gone(core);
	else
		toy_advance(core);
}

int vsl_core_read_fast(struct vsl_core *core, struct vsl_io *io,
		       struct vsl_op **op)
{
	(void)core;
	(void)io;
	(void)op;
	return -EAGAIN;
}

int vsl_core_read_fast_done(struct vsl_core *core, struct vsl_io *io)
{
	(void)core;
	(void)io;
	return 0;
}

void vsl_core_op_done(struct vsl_core *core, struct vsl_op *op)
{
	core->busy = false;
	if (op->result == VSL_RES_GONE)
		toy_gone(core);
	else if (op->kind != VSL_OP_READ)
		toy_advance(core);
}

struct vsl_op *vsl_core_next_op(struct vsl_core *core)
{
	if (!core->outgoing)
		return NULL;
	core->outgoing = false;
	return &core->op;
}

struct vsl_io *vsl_core_next_io(struct vsl_core *core)
{
	struct vsl_io *io = list_first_entry_or_null(&core->done, struct vsl_io,
						     link);

	if (io)
		list_del(&io->link);
	return io;
}

void vsl_core_run(struct vsl_core *core, struct vsl_op *op)
{
	(void)core;
	(void)op;
}

void vsl_core_tick(struct vsl_core *core)
{
	(void)core;
}

void vsl_core_kill(struct vsl_core *core)
{
	toy_gone(core);
}

void vsl_core_stats(struct vsl_core *core, struct vsl_core_stats *stats)
{
	(void)core;
	memset(stats, 0, sizeof(*stats));
	stats->eus_total = 1;
	stats->segments = 1;
}

enum vsl_health vsl_core_health(const struct vsl_core *core)
{
	(void)core;
	return VSL_HEALTHY;
}

u64 vsl_core_capacity_sectors(const struct vsl_core *core)
{
	return core->blocks * VSL_BLOCK_SECTORS;
}

u32 vsl_core_atomic_blocks(const struct vsl_core *core)
{
	(void)core;
	return NR_MAX;
}

bool vsl_core_idle(const struct vsl_core *core)
{
	return !core->busy && list_empty(&core->queue);
}

int vsl_core_audit(struct vsl_core *core)
{
	(void)core;
	return 0;
}
