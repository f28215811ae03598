// SPDX-License-Identifier: GPL-2.0-only
/*
 * forge.c - what the core has written on a card, looked at and changed.
 *
 * Finds roots, heads and summaries by looking through all blocks of the card,
 * past its rules.  What is put back has a right CRC: so a test can make what
 * only a fault of the core, or somebody with bad intentions, would write.
 *
 * Roots are one block on the small cards of these tests.
 */
#include "forge.h"

#include "../../driver/core/place.h"
#include "fail.h"

/* The toy has no core, and writes nothing to be forged. */
#pragma weak vsl_head_crc

/* Go to the next block.  False: that was the last one. */
static bool next_place(const struct vsl_sim *sim, struct place *place)
{
	const struct vsl_sim_config *card = vsl_sim_config(sim);

	if (++place->block < card->eu_blocks)
		return true;
	place->block = 0;
	if (++place->eu < card->eus)
		return true;
	place->eu = 0;
	return ++place->unit < card->units;
}

void forge_read(struct vsl_sim *sim, const struct place *place, void *buf)
{
	int err = vsl_sim_peek(sim, place->unit, place->eu, place->block, buf);

	if (err)
		sim_fail("test", "peek at unit %u eu %u block %u: %d",
			 place->unit, place->eu, place->block, err);
}

void forge_write(struct vsl_sim *sim, const struct place *place,
		 const void *buf)
{
	int err = vsl_sim_poke(sim, place->unit, place->eu, place->block, buf);

	if (err)
		sim_fail("test", "poke of unit %u eu %u block %u: %d",
			 place->unit, place->eu, place->block, err);
}

static bool peek(struct vsl_sim *sim, const struct place *place,
		 union block *block)
{
	return !vsl_sim_peek(sim, place->unit, place->eu, place->block, block);
}

static __le32 root_crc(const union block *block)
{
	union block copy = *block;

	copy.root.crc = cpu_to_le32(0);
	return cpu_to_le32(vsl_port_crc32c(VSL_CRC_SEED, &copy,
					   le32_to_cpu(copy.root.bytes)));
}

static bool is_root(const union block *block)
{
	return le64_to_cpu(block->root.magic) == VSL_ROOT_MAGIC &&
	       le32_to_cpu(block->root.bytes) <= VSL_BLOCK_BYTES &&
	       root_crc(block) == block->root.crc;
}

bool forge_root(struct vsl_sim *sim, union block *out)
{
	struct place place = { 0 };
	union block block;
	bool found = false;

	do {
		if (!peek(sim, &place, &block) || !is_root(&block) ||
		    (found && le64_to_cpu(block.root.generation) <=
			      le64_to_cpu(out->root.generation)))
			continue;
		*out = block;
		found = true;
	} while (next_place(sim, &place));
	return found;
}

void forge_put_root(struct vsl_sim *sim, union block *root)
{
	struct place place = { 0 };
	union block block;

	root->root.crc = root_crc(root);
	do {
		if (peek(sim, &place, &block) && is_root(&block) &&
		    block.root.generation == root->root.generation)
			forge_write(sim, &place, root);
	} while (next_place(sim, &place));
}

static bool commits(const struct vsl_disk_head *head, u32 lba)
{
	u32 i, nr = le16_to_cpu(head->nr_entries);

	if (le64_to_cpu(head->magic) != VSL_HEAD_MAGIC ||
	    head->stream >= VSL_STREAM_MAP || nr > VSL_PACKET_BLOCKS ||
	    vsl_head_crc(head) != le32_to_cpu(head->crc))
		return false;
	for (i = 0; i < nr; i++)
		if (le32_to_cpu(head->entry[i].kind_delta) >>
		    VSL_ENTRY_SHIFT == VSL_ENTRY_DATA &&
		    le32_to_cpu(head->entry[i].lba) == lba)
			return true;
	return false;
}

bool forge_head(struct vsl_sim *sim, u32 lba, struct place *at,
		union block *out)
{
	struct place place = { 0 };
	union block block;
	bool found = false;

	do {
		if (!peek(sim, &place, &block) || !commits(&block.head, lba) ||
		    (found && le64_to_cpu(block.head.base_version) <=
			      le64_to_cpu(out->head.base_version)))
			continue;
		*out = block;
		*at = place;
		found = true;
	} while (next_place(sim, &place));
	return found;
}

void forge_put_head(struct vsl_sim *sim, const struct place *place,
		    union block *head)
{
	head->head.crc = cpu_to_le32(vsl_head_crc(&head->head));
	forge_write(sim, place, head);
}

u32 forge_summaries(struct vsl_sim *sim)
{
	struct place place = { 0 };
	union block block;
	u32 nr = 0;

	do {
		nr += peek(sim, &place, &block) &&
		      le64_to_cpu(block.summary.magic) == VSL_SUMMARY_MAGIC;
	} while (next_place(sim, &place));
	return nr;
}

const struct vsl_stream *forge_point(const struct vsl_core *core, u32 lba)
{
	return &core->stream[vsl_place_free(core, lba)];
}
