// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_load.c - writing an image to a simulated card; sim_image.c has the format.
 *
 * What is loaded is built beside what the card holds, and takes its place when
 * the last block has proved good: until then, and for good after an error, the
 * card is what it was.  So for a while both are in memory.
 *
 * An image is somebody's file: nothing in it is believed.  Every block that is
 * not data has a CRC and says which image and which place it is from; data has a
 * CRC in its record; every place is computed and the one in the file compared.
 * Nothing is allocated on the word of a file beyond what the card's own
 * geometry allows.
 *
 * While an erase unit is being loaded, a block that is to have data is of kind
 * SIM_LOST with AWAITED and its CRC in the value.
 */
#include "sim_int.h"

#define AWAITED		(1ull << 32)

/**
 * struct sim_load - an image that is not complete
 * @eus: what is to replace sim->eus
 * @offset: the next offset
 * @total_blocks: in the image
 * @id: of the image
 * @eu: next entry of the table; then the erase unit of the extent under way
 * @extent: where the next extent of the table, or the one under way, begins
 * @block: next block of that erase unit to look at for data
 * @left: data blocks of it that are to come
 */
struct sim_load {
	struct sim_eu *eus;
	u64 offset;
	u64 total_blocks;
	u64 id;
	u32 eu;
	u64 extent;
	u32 block;
	u32 left;
};

static bool is_zero(const u8 *at, const u8 *end)
{
	while (at < end)
		if (*at++)
			return false;
	return true;
}

/* ---- header and table ---------------------------------------------------- */

static int load_header(struct vsl_sim *sim, struct sim_load *load,
		       const u8 *block)
{
	const struct sim_image_header *header = (const void *)block;
	const struct vsl_sim_config *config = &sim->config;

	if (memcmp(header->magic, SIM_IMAGE_MAGIC, sizeof(header->magic)))
		return -EILSEQ;
	if (le32_to_cpu(header->version) > SIM_IMAGE_VERSION)
		return -EPROTO;
	if (le32_to_cpu(header->crc) != sim_image_crc(block) ||
	    le32_to_cpu(header->version) != SIM_IMAGE_VERSION ||
	    !is_zero(block + sizeof(*header), block + VSL_BLOCK_BYTES))
		return -EBADMSG;
	if (le32_to_cpu(header->units) != config->units ||
	    le32_to_cpu(header->eus) != config->eus ||
	    le32_to_cpu(header->eu_blocks) != config->eu_blocks ||
	    le32_to_cpu(header->ws_min) != config->ws_min ||
	    le32_to_cpu(header->oob_bytes) != config->oob_bytes)
		return -EMEDIUMTYPE;
	load->id = le64_to_cpu(header->id);
	load->total_blocks = le64_to_cpu(header->total_blocks);
	load->extent = 1 + sim_image_table_blocks(sim);
	if (le32_to_cpu(header->table_blocks) != load->extent - 1 ||
	    load->total_blocks < load->extent ||
	    load->total_blocks >> 40)
		return -EBADMSG;
	return 0;
}

static bool is_head(const struct sim_load *load, const u8 *block,
		    const char *magic, u64 index)
{
	const struct sim_image_head *head = (const void *)block;

	return !memcmp(head->magic, magic, sizeof(head->magic)) &&
	       le32_to_cpu(head->crc) == sim_image_crc(block) &&
	       le64_to_cpu(head->id) == load->id &&
	       le64_to_cpu(head->index) == index;
}

static int load_eu(struct vsl_sim *sim, struct sim_load *load,
		   const struct sim_image_eu *entry)
{
	struct sim_eu *eu = &load->eus[load->eu];
	u64 extent = le64_to_cpu(entry->extent);
	u32 nr_data = le32_to_cpu(entry->nr_data);

	eu->state = entry->state;
	eu->flags = entry->flags & SIM_IMAGE_EU_FLAKY ? SIM_EU_FLAKY : 0;
	eu->done = le32_to_cpu(entry->done);
	eu->erases = le32_to_cpu(entry->erases);
	eu->reads = le32_to_cpu(entry->reads);
	if (eu->state < VSL_EU_EMPTY || eu->state > VSL_EU_DEAD ||
	    (eu->state == VSL_EU_EMPTY && eu->done) ||
	    eu->done > sim->config.eu_blocks ||
	    eu->done % sim->config.ws_min ||
	    nr_data > sim->config.eu_blocks ||
	    (entry->flags & ~SIM_IMAGE_EU_FLAKY) || entry->pad || entry->pad1)
		return -EBADMSG;
	if (!extent)
		return nr_data ? -EBADMSG : 0;
	if (extent != load->extent)
		return -EBADMSG;
	load->extent += sim_image_record_blocks(sim) + (u64)nr_data;
	if (load->extent > load->total_blocks)
		return -EBADMSG;
	eu->body = sim_body_create(sim, load->eu);
	if (!eu->body)
		return -ENOMEM;
	eu->body->mark = nr_data;
	return 0;
}

static int load_table(struct vsl_sim *sim, struct sim_load *load,
		      const u8 *block, u64 index)
{
	const struct sim_image_eu *entry =
		(const void *)(block + sizeof(struct sim_image_head));
	u32 i;
	int error;

	if (!is_head(load, block, SIM_IMAGE_TABLE_MAGIC, index))
		return -EBADMSG;
	for (i = 0; i < SIM_IMAGE_EUS && load->eu < sim->nr_eus; i++) {
		error = load_eu(sim, load, &entry[i]);
		if (error)
			return error;
		load->eu++;
	}
	if (!is_zero((const u8 *)&entry[i], block + VSL_BLOCK_BYTES))
		return -EBADMSG;
	if (index < sim_image_table_blocks(sim))
		return 0;
	/* The table is complete, and so the place of everything is known. */
	if (load->extent != load->total_blocks)
		return -EBADMSG;
	load->eu = 0;
	load->extent = index + 1;
	return 0;
}

/* ---- extents ------------------------------------------------------------- */

static int load_record(struct vsl_sim *sim, struct sim_body *body, u32 block,
		       const struct sim_image_block *record)
{
	u64 value;

	memcpy(&value, &record->value, 8);
	if (record->kind > SIM_LOST || record->pad ||
	    (record->kind != SIM_PATTERN && value) ||
	    (record->kind != SIM_DATA && record->crc))
		return -EBADMSG;
	if (record->kind == SIM_DATA) {
		sim_body_set_kind(sim, body, block, SIM_LOST,
				  AWAITED | le32_to_cpu(record->crc));
		body->mark--;
	} else {
		sim_body_set_kind(sim, body, block, record->kind,
				  record->kind == SIM_PATTERN ? value : 0);
	}
	body->weak[block] = sim->lent ? 0 : le16_to_cpu(record->weak);
	memcpy(sim_body_oob(sim, body, block), record + 1,
	       sim->config.oob_bytes);
	return 0;
}

static int load_records(struct vsl_sim *sim, struct sim_load *load,
			const u8 *block, u64 index)
{
	struct sim_body *body = load->eus[load->eu].body;
	u32 at = (u32)(index - load->extent);
	u32 b = at * sim_image_records(sim);
	u32 end = min(b + sim_image_records(sim), sim->config.eu_blocks);
	const u8 *from = block + sizeof(struct sim_image_head);
	int error;

	if (!is_head(load, block, SIM_IMAGE_EXTENT_MAGIC, index))
		return -EBADMSG;
	if (!at)
		load->left = body->mark;
	for (; b < end; b++, from += sim_image_record_bytes(sim)) {
		error = load_record(sim, body, b, (const void *)from);
		if (error)
			return error;
	}
	if (!is_zero(from, block + VSL_BLOCK_BYTES))
		return -EBADMSG;
	/* mark was how many data blocks the table knows of. */
	if (end == sim->config.eu_blocks && body->mark)
		return -EBADMSG;
	return 0;
}

static int load_data(struct vsl_sim *sim, struct sim_load *load,
		     const u8 *block)
{
	struct sim_body *body = load->eus[load->eu].body;
	u32 b = load->block;
	bool rotten;
	u16 weak;

	while (body->kind[b] != SIM_LOST || !(body->value[b] & AWAITED))
		b++;
	load->block = b + 1;
	load->left--;
	rotten = (u32)body->value[b] !=
		 ~vsl_port_crc32c(~0u, block, VSL_BLOCK_BYTES);
	if (sim_is_lent(sim, block)) {
		sim_body_set_lent(sim, body, b, block);
		if (rotten && !sim->stats.rotten_blocks++)
			sim->stats.rotten_offset = load->offset;
		return 0;
	}
	if (rotten)
		return -EBADMSG;
	weak = body->weak[b];
	if (!sim_body_set(sim, body, b, block))
		return -ENOMEM;
	body->weak[b] = weak;
	return 0;
}

static int load_extent(struct vsl_sim *sim, struct sim_load *load,
		       const u8 *block, u64 index)
{
	u32 records = sim_image_record_blocks(sim);
	int error;

	while (!load->eus[load->eu].body)
		load->eu++;
	if (index - load->extent < records)
		error = load_records(sim, load, block, index);
	else
		error = load_data(sim, load, block);
	if (error)
		return error;
	if (index - load->extent + 1 >= records && !load->left) {
		load->extent = index + 1;
		load->block = 0;
		load->eu++;
	}
	return 0;
}

/* ---- the card changes ---------------------------------------------------- */

static bool is_odd(const struct vsl_sim *sim, const struct sim_eu *eu)
{
	u32 b;

	if (eu->state == VSL_EU_DEAD || (eu->done && !eu->body))
		return true;
	for (b = 0; b < eu->done; b++)
		if (eu->body->weak[b] || (eu->body->kind[b] != SIM_DATA &&
					  eu->body->kind[b] != SIM_PATTERN))
			return true;
	return sim->config.disturb_reads;
}

void sim_replace(struct vsl_sim *sim, struct sim_eu *eu, struct sim_eu *by)
{
	u32 lock = sim_eu_lock(sim, eu);
	unsigned long flags;
	bool odd;

	sim_cache_remove(sim, eu);
	sim_store_drop(sim, eu);
	odd = is_odd(sim, by);
	flags = sim_lock(sim, lock);
	eu->body = by->body;
	eu->marks = odd ? SIM_MARK_ODD : 0;
	sim_unlock(sim, lock, flags);
	by->body = NULL;
	flags = sim_lock(sim, VSL_SIM_LOCK_CARD);
	eu->erases = by->erases;
	eu->reads = by->reads;
	eu->durable = by->done;
	eu->flags = (u8)((eu->flags & SIM_EU_ACTIVE) |
			 (by->flags & SIM_EU_FLAKY));
	if ((eu->flags & SIM_EU_ACTIVE)) {
		eu->flags &= (u8)~SIM_EU_ACTIVE;
		sim->nr_open--;
	}
	sim_unlock(sim, VSL_SIM_LOCK_CARD, flags);
	sim_rules_settle(sim, eu, by->done, by->state);
}

static void complete(struct vsl_sim *sim, struct sim_load *load)
{
	u32 i;

	for (i = 0; i < sim->nr_eus; i++)
		sim_replace(sim, &sim->eus[i], &load->eus[i]);
}

/* ---- writing ------------------------------------------------------------- */

static void drop(struct vsl_sim *sim)
{
	struct sim_load *load = sim->load;
	u32 i;

	if (!load)
		return;
	for (i = 0; load->eus && i < sim->nr_eus; i++)
		sim_body_put(sim, load->eus[i].body);
	vsl_port_free(load->eus);
	vsl_port_free(load);
	WRITE_ONCE(sim->load, NULL);
}

static int begin(struct vsl_sim *sim)
{
	struct sim_load *load;

	drop(sim);
	load = vsl_port_alloc(sizeof(*load));
	if (!load)
		return -ENOMEM;
	WRITE_ONCE(sim->load, load);
	load->eus = vsl_port_alloc(sizeof(*load->eus) * (size_t)sim->nr_eus);
	if (load->eus)
		return 0;
	drop(sim);
	return -ENOMEM;
}

static int load_block(struct vsl_sim *sim, struct sim_load *load,
		      const u8 *block)
{
	u64 index = load->offset >> VSL_BLOCK_SHIFT;
	int error;

	if (!index)
		error = load_header(sim, load, block);
	else if (index <= sim_image_table_blocks(sim))
		error = load_table(sim, load, block, index);
	else
		error = load_extent(sim, load, block, index);
	load->offset += VSL_BLOCK_BYTES;
	return error;
}

static int image_write(struct vsl_sim *sim, u64 offset, const u8 *buf,
		       u32 bytes, u32 *done, u64 *total_bytes)
{
	struct sim_load *load;
	int error = 0;

	if (offset % VSL_BLOCK_BYTES || bytes % VSL_BLOCK_BYTES || !bytes)
		return -EINVAL;
	if (!sim_is_idle(sim))
		return -EBUSY;
	if (!offset)
		error = begin(sim);
	if (error)
		return error;
	load = sim->load;
	if (!load || offset != load->offset)
		return -EINVAL;
	while (*done < bytes && !error) {
		error = load_block(sim, load, buf + *done);
		*done += VSL_BLOCK_BYTES;
		*total_bytes = load->total_blocks << VSL_BLOCK_SHIFT;
		if (load->offset == *total_bytes)
			break;
	}
	if (!error && load->offset == *total_bytes)
		complete(sim, load);
	if (error || load->offset == *total_bytes)
		drop(sim);
	return error;
}

int vsl_sim_image_write(struct vsl_sim *sim, u64 offset, const void *buf,
			u32 bytes, u32 *done, u64 *total_bytes)
{
	int error;

	*done = 0;
	*total_bytes = 0;
	sim_serialize(sim);
	error = image_write(sim, offset, buf, bytes, done, total_bytes);
	if (error) {
		*done = 0;
		*total_bytes = 0;
	}
	sim_deserialize(sim);
	return error;
}

bool vsl_sim_image_loading(const struct vsl_sim *sim)
{
	return READ_ONCE(sim->load);
}

void vsl_sim_image_lend(struct vsl_sim *sim, const void *image, u64 bytes)
{
	sim->lent = image;
	sim->lent_bytes = bytes;
}

void vsl_sim_image_drop(struct vsl_sim *sim)
{
	sim_serialize(sim);
	drop(sim);
	sim_deserialize(sim);
}
