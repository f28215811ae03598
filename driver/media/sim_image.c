// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_image.c - the image file of a simulated card, and reading it.
 *
 * An image is everything a card without power remembers: contents, write
 * pointers, wear and scars.  It is made of blocks of 4 KiB, all numbers are
 * little endian, and what is not named here is zero.
 *
 *	block 0			header
 *	then			table: one entry for each erase unit
 *	then			extents, in the order of the table: of each erase
 *				unit that holds anything first its records, one
 *				for each block of it, then its data
 *
 * So a data block is at a multiple of 4096 in the file (it can be mapped), the
 * file has no holes and costs what the card holds, and it can be written and read
 * from one end to the other.
 *
 * Header (block 0)
 *	  0   8  "OVSLSIM" and a zero byte
 *	  8   4  version: 1
 *	 12   4  CRC of the block
 *	 16   8  id: marks all blocks of one image
 *	 24   8  blocks in the file
 *	 32   4  units
 *	 36   4  eus: erase units in each unit
 *	 40   4  eu_blocks: blocks in each erase unit
 *	 44   4  ws_min
 *	 48   4  oob_bytes: spare bytes of a block
 *	 52   4  blocks of the table
 *	 56  48  model, text
 *	104  24  serial number, text
 *
 * Head of each block of the table and of records
 *	  0   8  "OVSLTAB" or "OVSLEXT" and a zero byte
 *	 12   4  CRC of the block
 *	 16   8  id
 *	 24   8  number of this block in the file
 *
 * Table: 127 entries of 32 bytes behind each head; entry i is the one of erase
 * unit (i % eus) of unit (i / eus)
 *	  0   1  state: enum vsl_eu_state
 *	  1   1  bit 0: flaky, it was torn by a power cut
 *	  4   4  programmed blocks
 *	  8   4  erases so far
 *	 12   4  reads since the erase, if the card counts them
 *	 16   8  its extent: number of the first block; 0: it holds nothing
 *	 24   4  data blocks in the extent
 *
 * Records: (4064 / (16 + oob_bytes)) of them behind each head, eu_blocks in all
 *	  0   1  0 erased, 1 a pattern, 2 data, 3 unreadable
 *	  2   2  0, or how often it can be read, plus one
 *	  4   4  data: CRC of the block
 *	  8   8  pattern: the eight bytes that it repeats
 *	 16   n  spare bytes
 *
 * Data: the blocks whose record says 2, in their order.
 *
 * Every CRC is CRC32C with all-ones before and after, over a whole block; the
 * field of the CRC itself counts as zero.  A higher version is refused.
 *
 * A volatile cache is not in the image: what had ended counts as durable.
 */
#include "sim_int.h"

static_assert(sizeof(SIM_IMAGE_MAGIC) == 8);
static_assert(sizeof(struct sim_image_header) == 128);
static_assert(sizeof(struct sim_image_head) == 32);
static_assert(sizeof(struct sim_image_eu) == 32);
static_assert(sizeof(struct sim_image_block) == 16);
static_assert(offsetof(struct sim_image_header, crc) == 12);
static_assert(offsetof(struct sim_image_head, crc) == 12);
static_assert(SIM_IMAGE_EUS == 127);

u32 sim_image_crc(const void *block)
{
	static const u8 zero[4];
	const u8 *p = block;
	u32 crc = ~0u;

	crc = vsl_port_crc32c(crc, p, 12);
	crc = vsl_port_crc32c(crc, zero, 4);
	crc = vsl_port_crc32c(crc, p + 16, VSL_BLOCK_BYTES - 16);
	return ~crc;
}

u32 sim_image_table_blocks(const struct vsl_sim *sim)
{
	return DIV_ROUND_UP(sim->nr_eus, (u32)SIM_IMAGE_EUS);
}

u32 sim_image_record_bytes(const struct vsl_sim *sim)
{
	return (u32)sizeof(struct sim_image_block) + sim->config.oob_bytes;
}

/* Records in a block. */
u32 sim_image_records(const struct vsl_sim *sim)
{
	return (VSL_BLOCK_BYTES - (u32)sizeof(struct sim_image_head)) /
	       sim_image_record_bytes(sim);
}

/* Blocks of records in an extent. */
u32 sim_image_record_blocks(const struct vsl_sim *sim)
{
	return DIV_ROUND_UP(sim->config.eu_blocks, sim_image_records(sim));
}

static u64 extent_blocks(const struct vsl_sim *sim, const struct sim_eu *eu)
{
	if (!eu->body)
		return 0;
	return sim_image_record_blocks(sim) + (u64)eu->body->nr_data;
}

/* ---- making blocks ------------------------------------------------------- */

static void make_header(struct vsl_sim *sim, u8 *block)
{
	struct sim_image_header *header = (void *)block;
	const struct vsl_sim_config *config = &sim->config;

	memcpy(header->magic, SIM_IMAGE_MAGIC, sizeof(header->magic));
	header->version = cpu_to_le32(SIM_IMAGE_VERSION);
	header->id = cpu_to_le64(sim->saver.id);
	header->total_blocks = cpu_to_le64(sim->saver.total_bytes >>
					   VSL_BLOCK_SHIFT);
	header->units = cpu_to_le32(config->units);
	header->eus = cpu_to_le32(config->eus);
	header->eu_blocks = cpu_to_le32(config->eu_blocks);
	header->ws_min = cpu_to_le32(config->ws_min);
	header->oob_bytes = cpu_to_le32(config->oob_bytes);
	header->table_blocks = cpu_to_le32(sim_image_table_blocks(sim));
	memcpy(header->model, sim->media.info.model, sizeof(header->model));
	memcpy(header->serial, sim->media.info.serial, sizeof(header->serial));
	header->crc = cpu_to_le32(sim_image_crc(block));
}

static void make_head(struct vsl_sim *sim, u8 *block, const char *magic,
		      u64 index)
{
	struct sim_image_head *head = (void *)block;

	memcpy(head->magic, magic, sizeof(head->magic));
	head->id = cpu_to_le64(sim->saver.id);
	head->index = cpu_to_le64(index);
	head->crc = cpu_to_le32(sim_image_crc(block));
}

static void make_table(struct vsl_sim *sim, u8 *block, u64 index)
{
	struct sim_image_eu *entry =
		(void *)(block + sizeof(struct sim_image_head));
	struct sim_saver *saver = &sim->saver;
	struct sim_eu *eu;
	u32 i;

	for (i = 0; i < SIM_IMAGE_EUS && saver->eu < sim->nr_eus; i++) {
		eu = &sim->eus[saver->eu++];
		entry[i].state = eu->state;
		entry[i].flags = eu->flags & SIM_EU_FLAKY ?
				 SIM_IMAGE_EU_FLAKY : 0;
		entry[i].done = cpu_to_le32(eu->done);
		entry[i].erases = cpu_to_le32(eu->erases);
		entry[i].reads = cpu_to_le32(eu->reads);
		if (!eu->body)
			continue;
		entry[i].extent = cpu_to_le64(saver->extent);
		entry[i].nr_data = cpu_to_le32(eu->body->nr_data);
		saver->extent += extent_blocks(sim, eu);
	}
	make_head(sim, block, SIM_IMAGE_TABLE_MAGIC, index);
}

static void make_records(struct vsl_sim *sim, u8 *block, u64 index,
			 const struct sim_body *body, u32 first)
{
	u32 bytes = sim_image_record_bytes(sim);
	u32 end = min(first + sim_image_records(sim), sim->config.eu_blocks);
	u8 *at = block + sizeof(struct sim_image_head);
	struct sim_image_block *record;
	const void *data;
	u32 b, crc;

	for (b = first; b < end; b++, at += bytes) {
		record = (void *)at;
		record->kind = body->kind[b];
		record->weak = cpu_to_le16(body->weak[b]);
		data = (void *)(size_t)body->value[b];
		if (body->kind[b] == SIM_DATA) {
			crc = ~vsl_port_crc32c(~0u, data, VSL_BLOCK_BYTES);
			record->crc = cpu_to_le32(crc);
		} else if (body->kind[b] == SIM_PATTERN) {
			memcpy(&record->value, &body->value[b], 8);
		}
		memcpy(record + 1, sim_body_oob(sim, body, b),
		       sim->config.oob_bytes);
	}
	make_head(sim, block, SIM_IMAGE_EXTENT_MAGIC, index);
}

static void make_data(struct sim_saver *saver, u8 *block,
		      const struct sim_body *body)
{
	while (body->kind[saver->block] != SIM_DATA)
		saver->block++;
	sim_body_get(body, saver->block++, block);
}

/* Block @index belongs to the extents: saver->eu is its erase unit or before. */
static void make_extent(struct vsl_sim *sim, u8 *block, u64 index)
{
	struct sim_saver *saver = &sim->saver;
	struct sim_eu *eu = &sim->eus[saver->eu];
	u64 at;

	while (index >= saver->extent + extent_blocks(sim, eu)) {
		saver->extent += extent_blocks(sim, eu);
		saver->block = 0;
		eu = &sim->eus[++saver->eu];
	}
	at = index - saver->extent;
	if (at < sim_image_record_blocks(sim))
		make_records(sim, block, index, eu->body,
			     (u32)at * sim_image_records(sim));
	else
		make_data(saver, block, eu->body);
}

static void make_block(struct vsl_sim *sim, u8 *block, u64 index)
{
	u32 table_blocks = sim_image_table_blocks(sim);
	struct sim_saver *saver = &sim->saver;

	memset(block, 0, VSL_BLOCK_BYTES);
	if (!index) {
		make_header(sim, block);
	} else if (index <= table_blocks) {
		make_table(sim, block, index);
	} else {
		if (index == table_blocks + 1) {
			saver->eu = 0;
			saver->extent = index;
			saver->block = 0;
		}
		make_extent(sim, block, index);
	}
}

/* ---- reading ------------------------------------------------------------- */

static void begin(struct vsl_sim *sim)
{
	struct sim_saver *saver = &sim->saver;
	u64 blocks = 1 + sim_image_table_blocks(sim);
	u32 i;

	memset(saver, 0, sizeof(*saver));
	saver->extent = blocks;
	saver->changes = sim->changes;
	saver->id = sim_random(&sim->chance);
	for (i = 0; i < sim->nr_eus; i++)
		blocks += extent_blocks(sim, &sim->eus[i]);
	saver->total_bytes = blocks << VSL_BLOCK_SHIFT;
}

static int image_read(struct vsl_sim *sim, u64 offset, u8 *buf, u32 bytes,
		      u32 *done)
{
	struct sim_saver *saver = &sim->saver;

	if (offset % VSL_BLOCK_BYTES || bytes % VSL_BLOCK_BYTES)
		return -EINVAL;
	if (!sim_is_idle(sim))
		return -EBUSY;
	if (!offset)
		begin(sim);
	else if (offset != saver->offset || !saver->total_bytes)
		return -EINVAL;
	if (saver->changes != sim->changes)
		return -ESTALE;
	for (; *done < bytes && saver->offset < saver->total_bytes;
	     *done += VSL_BLOCK_BYTES) {
		make_block(sim, buf + *done, saver->offset >> VSL_BLOCK_SHIFT);
		saver->offset += VSL_BLOCK_BYTES;
	}
	return 0;
}

int vsl_sim_image_read(struct vsl_sim *sim, u64 offset, void *buf, u32 bytes,
		       u32 *done, u64 *total_bytes)
{
	int error;

	*done = 0;
	sim_serialize(sim);
	error = image_read(sim, offset, buf, bytes, done);
	*total_bytes = error ? 0 : sim->saver.total_bytes;
	sim_deserialize(sim);
	return error;
}
