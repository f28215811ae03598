// SPDX-License-Identifier: GPL-2.0-only
/*
 * image_test.c - images: what is read is what was there, what is damaged is
 * refused, and a refused image changes nothing.
 */
#include "rig.h"

#include <stdlib.h>

static struct rig rig, other;
static u8 buf[16 * VSL_BLOCK_BYTES] __attribute__((aligned(64)));

struct file {
	u8 *data;
	u64 bytes;
};

/* The whole image of @from, in pieces of @piece bytes. */
static struct file save(struct rig *from, u32 piece)
{
	struct file file = { NULL, 0 };
	u64 total = 0, at = 0;
	u32 done;

	do {
		u8 *chunk = aligned_alloc(64, piece);

		if (vsl_sim_image_read(from->sim, at, chunk, piece, &done,
				       &total)) {
			free(chunk);
			break;
		}
		if (!file.data)
			file.data = aligned_alloc(4096, total);
		memcpy(file.data + at, chunk, done);
		free(chunk);
		at += done;
	} while (at < total);
	file.bytes = at;
	return file;
}

static int load_part(struct rig *to, const struct file *file, u32 piece,
		     u64 bytes)
{
	u64 total, at = 0;
	u32 done;
	int error = 0;

	while (at < bytes && !error) {
		u32 step = (u32)min((u64)piece, bytes - at);
		u8 *chunk = aligned_alloc(64, step);

		memcpy(chunk, file->data + at, step);
		error = vsl_sim_image_write(to->sim, at, chunk, step, &done,
					    &total);
		free(chunk);
		at += step;
	}
	return error;
}

static int load(struct rig *to, const struct file *file, u32 piece)
{
	return load_part(to, file, piece, file->bytes);
}

/* The same, from where it is. */
static int lend(struct rig *to, const struct file *file, u32 piece)
{
	u64 total, at;
	u32 done;
	int error = 0;

	for (at = 0; at < file->bytes && !error; at += piece)
		error = vsl_sim_image_write(to->sim, at, file->data + at,
					    (u32)min((u64)piece,
						     file->bytes - at),
					    &done, &total);
	return error;
}

/* A card in which there is something of everything. */
static void make_card(struct rig *r)
{
	static u8 pattern[2 * VSL_BLOCK_BYTES];
	u32 i;

	rig_config(r, "tiny");
	r->config.bad_permyriad = 500;
	r->config.oob_bytes = 16;
	r->config.seed = 7;
	r->config.tear.weak_permille = 500;
	rig_create(r);
	memset(pattern, 0x5a, sizeof(pattern));
	for (i = 0; i < 3; i++) {
		rig_erase(r, 0, 1);
		rig_program(r, 0, 1, 0, 8, 10);
		rig_do(r, VSL_OP_PROGRAM, 0, 1, 8, 2, pattern);
	}
	rig_program(r, 1, 0, 0, 16, 30);
	rig_plant(r, "program-lost", VSL_SIM_ANY, VSL_SIM_ANY, 3, 1, 0);
	rig_program(r, 2, 4, 0, 4, 60);
	rig_finish(r, 2, 4);
	rig_plant(r, "program-fail", VSL_SIM_ANY, VSL_SIM_ANY, VSL_SIM_ANY,
		  1, 0);
	rig_program(r, 2, 5, 0, 4, 70);
	for (i = 6; i < 20; i++)
		rig_start(r, VSL_OP_PROGRAM, 3, i, 0, 4, buf);
	rig_start(r, VSL_OP_ERASE, 1, 0, 0, 0, NULL);
	rig_power_cycle(r);
}

static bool is_same_card(struct rig *a, struct rig *b)
{
	static u8 block_a[VSL_BLOCK_BYTES], block_b[VSL_BLOCK_BYTES];
	struct vsl_eu_report ra, rb;
	u32 unit, eu, block;
	int ea, eb;

	for (unit = 0; unit < 4; unit++) {
		for (eu = 0; eu < 32; eu++) {
			ra = rig_report(a, unit, eu);
			rb = rig_report(b, unit, eu);
			if (ra.state != rb.state || ra.wp != rb.wp ||
			    ra.wear != rb.wear ||
			    vsl_sim_wear(a->sim, unit, eu) !=
			    vsl_sim_wear(b->sim, unit, eu))
				return false;
			for (block = 0; block < 16; block++) {
				ea = vsl_sim_peek(a->sim, unit, eu, block,
						  block_a);
				eb = vsl_sim_peek(b->sim, unit, eu, block,
						  block_b);
				if (ea != eb || (!ea && memcmp(block_a, block_b,
						 VSL_BLOCK_BYTES)))
					return false;
			}
		}
	}
	return true;
}

static void make_blank(struct rig *r)
{
	rig_config(r, "tiny");
	r->config.oob_bytes = 16;
	r->config.seed = 8;
	rig_create(r);
}

static void round_trip(u32 piece_out, u32 piece_in)
{
	struct file file;

	make_card(&rig);
	make_blank(&other);
	file = save(&rig, piece_out);
	CHECK(file.bytes > 30 * VSL_BLOCK_BYTES);
	CHECK_EQ(file.bytes % VSL_BLOCK_BYTES, 0);
	CHECK_EQ(load(&other, &file, piece_in), 0);
	CHECK(!vsl_sim_image_loading(other.sim));
	CHECK(is_same_card(&rig, &other));
	free(file.data);
	rig_exit(&rig);
	rig_exit(&other);
}

static void image_in_one_piece_is_loaded_in_blocks(void)
{
	round_trip(1 << 20, 4096);
}

static void image_in_blocks_is_loaded_in_one_piece(void)
{
	round_trip(4096, 1 << 20);
}

static void image_in_odd_pieces_is_the_same(void)
{
	round_trip(3 * 4096, 7 * 4096);
}

static void blank_card_makes_a_small_image(void)
{
	struct file file;

	make_blank(&rig);
	make_card(&other);
	file = save(&rig, 1 << 20);
	/* Header and two blocks of table, for 128 erase units. */
	CHECK_EQ(file.bytes, 3 * VSL_BLOCK_BYTES);
	CHECK_EQ(load(&other, &file, 1 << 20), 0);
	CHECK(is_same_card(&rig, &other));
	free(file.data);
	rig_exit(&rig);
	rig_exit(&other);
}

static void loaded_card_goes_on_working(void)
{
	struct file file;
	u32 i;

	make_card(&rig);
	make_blank(&other);
	file = save(&rig, 1 << 20);
	CHECK_EQ(load(&other, &file, 1 << 20), 0);
	for (i = 0; i < 8; i++) {
		CHECK_EQ(rig_read(&other, 0, 1, i, buf), VSL_RES_OK);
		CHECK(rig_is(buf, 10 + i));
	}
	CHECK_EQ(rig_program(&other, 0, 1, 10, 6, 18), VSL_RES_OK);
	CHECK_EQ(rig_read(&other, 0, 1, 15, buf), VSL_RES_OK);
	CHECK_EQ(rig_read(&other, 2, 4, 3, buf), VSL_RES_LOST);
	CHECK_EQ(rig_erase(&other, 0, 1), VSL_RES_OK);
	CHECK_EQ(other.nr_violations, 0);
	/* And the card that it was read from as well. */
	CHECK_EQ(rig_program(&rig, 0, 1, 10, 6, 18), VSL_RES_OK);
	free(file.data);
	rig_exit(&rig);
	rig_exit(&other);
}

/* Every single block, one bit of it wrong: refused, and nothing changed. */
static void flipped_bits_are_found_everywhere(void)
{
	struct file file;
	u64 block, bit;
	int error;
	u32 try;

	make_card(&rig);
	make_card(&other);
	rig_program(&other, 0, 2, 0, 4, 99);
	file = save(&rig, 1 << 20);
	for (block = 0; block < file.bytes >> VSL_BLOCK_SHIFT; block++) {
		for (try = 0; try < 3; try++) {
			bit = block * 32768 + (try * 10007 + block * 131) %
			      32768;
			file.data[bit / 8] ^= (u8)(1u << (bit % 8));
			error = load(&other, &file, 1 << 20);
			file.data[bit / 8] ^= (u8)(1u << (bit % 8));
			CHECK(error == -EBADMSG ||
			      (!block && (error == -EILSEQ ||
					  error == -EPROTO)));
			CHECK(!vsl_sim_image_loading(other.sim));
			CHECK_EQ(rig_read(&other, 0, 2, 0, buf), VSL_RES_OK);
		}
	}
	CHECK_EQ(load(&other, &file, 4096), 0);
	CHECK(is_same_card(&rig, &other));
	free(file.data);
	rig_exit(&rig);
	rig_exit(&other);
}

static void swapped_blocks_are_found(void)
{
	static u8 swap[VSL_BLOCK_BYTES];
	struct file file;
	u8 *last;

	make_card(&rig);
	make_blank(&other);
	file = save(&rig, 1 << 20);
	last = file.data + file.bytes - VSL_BLOCK_BYTES;
	memcpy(swap, last, VSL_BLOCK_BYTES);
	memcpy(last, last - VSL_BLOCK_BYTES, VSL_BLOCK_BYTES);
	memcpy(last - VSL_BLOCK_BYTES, swap, VSL_BLOCK_BYTES);
	CHECK_EQ(load(&other, &file, 1 << 20), -EBADMSG);
	/* Two blocks of the table, each of them whole. */
	file.data[0]++;
	CHECK_EQ(load(&other, &file, 1 << 20), -EILSEQ);
	file.data[0]--;
	memcpy(file.data + 4096, file.data + 8192, 4096);
	CHECK_EQ(load(&other, &file, 1 << 20), -EBADMSG);
	free(file.data);
	rig_exit(&rig);
	rig_exit(&other);
}

/* The same card, imaged twice: each block is good, the mixture is not. */
static void mixture_of_two_images_is_refused(void)
{
	struct file a, b;

	make_card(&rig);
	make_blank(&other);
	a = save(&rig, 1 << 20);
	b = save(&rig, 1 << 20);
	CHECK_EQ(a.bytes, b.bytes);
	memcpy(a.data + 8192, b.data + 8192, a.bytes - 8192);
	CHECK_EQ(load(&other, &a, 1 << 20), -EBADMSG);
	CHECK_EQ(load(&other, &b, 1 << 20), 0);
	free(a.data);
	free(b.data);
	rig_exit(&rig);
	rig_exit(&other);
}

static void truncated_image_changes_nothing(void)
{
	struct file file;

	make_card(&rig);
	make_blank(&other);
	rig_program(&other, 0, 0, 0, 4, 99);
	file = save(&rig, 1 << 20);
	CHECK_EQ(load_part(&other, &file, 1 << 20,
			   file.bytes - VSL_BLOCK_BYTES), 0);
	CHECK(vsl_sim_image_loading(other.sim));
	CHECK_EQ(rig_read(&other, 0, 0, 3, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 102));
	vsl_sim_image_drop(other.sim);
	CHECK(!vsl_sim_image_loading(other.sim));
	CHECK_EQ(rig_read(&other, 0, 0, 3, buf), VSL_RES_OK);
	free(file.data);
	rig_exit(&rig);
	rig_exit(&other);
}

static void what_follows_the_image_is_not_used(void)
{
	struct file file;
	u64 total;
	u32 done;
	u8 *longer;

	make_card(&rig);
	make_blank(&other);
	file = save(&rig, 1 << 20);
	longer = aligned_alloc(4096, file.bytes + 8192);
	memcpy(longer, file.data, file.bytes);
	memset(longer + file.bytes, 0, 8192);
	CHECK_EQ(vsl_sim_image_write(other.sim, 0, longer,
				     (u32)file.bytes + 8192, &done, &total), 0);
	CHECK_EQ(done, file.bytes);
	CHECK_EQ(total, file.bytes);
	CHECK_EQ(vsl_sim_image_write(other.sim, total, longer, 4096, &done,
				     &total), -EINVAL);
	CHECK(is_same_card(&rig, &other));
	free(longer);
	free(file.data);
	rig_exit(&rig);
	rig_exit(&other);
}

/* Header with something else in it, and a CRC that fits. */
static int load_with(struct file *file, u32 at, u32 value)
{
	u32 old, crc, zero = 0;
	int error;

	memcpy(&old, file->data + at, 4);
	memcpy(file->data + at, &value, 4);
	crc = vsl_port_crc32c(~0u, file->data, 12);
	crc = vsl_port_crc32c(crc, &zero, 4);
	crc = ~vsl_port_crc32c(crc, file->data + 16, 4080);
	memcpy(file->data + 12, &crc, 4);
	error = load(&other, file, 1 << 20);
	memcpy(file->data + at, &old, 4);
	return error;
}

static void other_geometries_and_versions_have_errors_of_their_own(void)
{
	struct file file;

	make_card(&rig);
	make_blank(&other);
	file = save(&rig, 1 << 20);
	CHECK_EQ(load_with(&file, 0, 0x12345678), -EILSEQ);
	CHECK_EQ(load_with(&file, 8, 2), -EPROTO);
	CHECK_EQ(load_with(&file, 8, 0), -EBADMSG);
	CHECK_EQ(load_with(&file, 24, 2), -EBADMSG);
	CHECK_EQ(load_with(&file, 32, 5), -EMEDIUMTYPE);
	CHECK_EQ(load_with(&file, 36, 33), -EMEDIUMTYPE);
	CHECK_EQ(load_with(&file, 40, 32), -EMEDIUMTYPE);
	CHECK_EQ(load_with(&file, 44, 2), -EMEDIUMTYPE);
	CHECK_EQ(load_with(&file, 48, 0), -EMEDIUMTYPE);
	CHECK_EQ(load_with(&file, 52, 1), -EBADMSG);
	CHECK_EQ(load_with(&file, 4000, 1), -EBADMSG);
	CHECK_EQ(load_with(&file, 32, 4), 0);
	free(file.data);
	rig_exit(&rig);
	rig_exit(&other);
}

static void offsets_must_follow_each_other(void)
{
	u64 total;
	u32 done;

	make_card(&rig);
	CHECK_EQ(vsl_sim_image_read(rig.sim, 4096, buf, 4096, &done, &total),
		 -EINVAL);
	CHECK_EQ(vsl_sim_image_read(rig.sim, 0, buf, 4096, &done, &total), 0);
	CHECK_EQ(vsl_sim_image_read(rig.sim, 8192, buf, 4096, &done, &total),
		 -EINVAL);
	CHECK_EQ(vsl_sim_image_read(rig.sim, 4096, buf, 100, &done, &total),
		 -EINVAL);
	CHECK_EQ(vsl_sim_image_read(rig.sim, 4096, buf, 4096, &done, &total),
		 0);
	rig_program(&rig, 0, 2, 0, 1, 1);
	CHECK_EQ(vsl_sim_image_read(rig.sim, 8192, buf, 4096, &done, &total),
		 -ESTALE);
	CHECK_EQ(vsl_sim_image_write(rig.sim, 4096, buf, 4096, &done, &total),
		 -EINVAL);
	rig_exit(&rig);
}

static void busy_card_has_no_image(void)
{
	u64 total;
	u32 done;

	make_card(&rig);
	rig_start(&rig, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
	CHECK_EQ(vsl_sim_image_read(rig.sim, 0, buf, 4096, &done, &total),
		 -EBUSY);
	CHECK_EQ(vsl_sim_image_write(rig.sim, 0, buf, 4096, &done, &total),
		 -EBUSY);
	rig_drain(&rig);
	rig_exit(&rig);
}

static void card_without_power_has_an_image(void)
{
	struct file file;

	make_card(&rig);
	make_blank(&other);
	vsl_sim_cut(rig.sim);
	file = save(&rig, 1 << 20);
	vsl_sim_cut(other.sim);
	CHECK_EQ(load(&other, &file, 1 << 20), 0);
	CHECK_EQ(vsl_sim_power_on(rig.sim), 0);
	CHECK_EQ(vsl_sim_power_on(other.sim), 0);
	CHECK(is_same_card(&rig, &other));
	free(file.data);
	rig_exit(&rig);
	rig_exit(&other);
}

static void lack_of_memory_changes_nothing(void)
{
	struct file file;
	u32 n;
	int error = -ENOMEM;

	make_card(&rig);
	make_blank(&other);
	rig_program(&other, 0, 0, 0, 4, 99);
	file = save(&rig, 1 << 20);
	for (n = 1; error == -ENOMEM; n++) {
		CHECK_EQ(rig_read(&other, 0, 0, 3, buf), VSL_RES_OK);
		CHECK(rig_is(buf, 102));
		vsl_port_fail_after = n;
		error = load(&other, &file, 1 << 20);
		vsl_port_fail_after = 0;
	}
	CHECK_EQ(error, 0);
	CHECK(n > 20);
	CHECK(is_same_card(&rig, &other));
	free(file.data);
	rig_exit(&rig);
	rig_exit(&other);
}

/* Noise that fits the CRCs: every field is checked by itself. */
static void random_tables_never_break_the_loader(void)
{
	struct file file;
	u32 crc, zero = 0, i, at, accepted = 0;
	u64 state = 1;
	u8 *block;

	make_card(&rig);
	make_blank(&other);
	file = save(&rig, 1 << 20);
	for (i = 0; i < 3000; i++) {
		u8 save_block[VSL_BLOCK_BYTES];

		state = state * 6364136223846793005ull + 1442695040888963407ull;
		block = file.data + 4096 * (1 + (state >> 40) % 3);
		memcpy(save_block, block, VSL_BLOCK_BYTES);
		at = 32 + (u32)(state >> 33) % 200;
		block[at] = (u8)(state >> 56);
		crc = vsl_port_crc32c(~0u, block, 12);
		crc = vsl_port_crc32c(crc, &zero, 4);
		crc = ~vsl_port_crc32c(crc, block + 16, 4080);
		memcpy(block + 12, &crc, 4);
		accepted += !load(&other, &file, 1 << 20);
		memcpy(block, save_block, VSL_BLOCK_BYTES);
	}
	tap_note("%u of 3000 were acceptable", accepted);
	CHECK(accepted < 3000);
	vsl_sim_image_drop(other.sim);
	free(file.data);
	rig_exit(&rig);
	rig_exit(&other);
}

/* The image at work where it is: nothing copied, and nothing written to it. */
static void lent_image_is_the_same_card(void)
{
	struct vsl_sim_stats stats;
	struct file file;
	u64 allocs;
	u8 *before;

	make_card(&rig);
	make_blank(&other);
	file = save(&rig, 1 << 20);
	before = aligned_alloc(4096, file.bytes);
	memcpy(before, file.data, file.bytes);
	vsl_sim_image_lend(other.sim, file.data, file.bytes);
	allocs = vsl_port_allocs;
	CHECK_EQ(lend(&other, &file, 5 * 4096), 0);
	/* Tables and lists of blocks, and no blocks. */
	CHECK(vsl_port_allocs - allocs < 64);
	CHECK(is_same_card(&rig, &other));
	CHECK_EQ(vsl_sim_clone(rig.sim, other.sim), -EINVAL);
	CHECK_EQ(rig_program(&other, 0, 1, 10, 6, 18), VSL_RES_OK);
	CHECK_EQ(rig_erase(&other, 2, 4), VSL_RES_OK);
	CHECK(!memcmp(before, file.data, file.bytes));
	vsl_sim_stats(other.sim, &stats);
	CHECK_EQ(stats.rotten_blocks, 0);
	free(before);
	rig_exit(&other);
	rig_exit(&rig);
	free(file.data);
}

/* Data that is not what its checksum says is there; lists are as sacred as ever. */
static void rot_in_a_lent_image_is_counted(void)
{
	struct vsl_sim_stats stats;
	struct file file;
	u64 last;

	make_card(&rig);
	make_blank(&other);
	file = save(&rig, 1 << 20);
	last = file.bytes - VSL_BLOCK_BYTES;
	while (!memcmp(file.data + last, "OVSLEXT", 8))
		last -= VSL_BLOCK_BYTES;
	file.data[last + 77] ^= 4;
	vsl_sim_image_lend(other.sim, file.data, file.bytes);
	CHECK_EQ(lend(&other, &file, 1 << 20), 0);
	vsl_sim_stats(other.sim, &stats);
	CHECK_EQ(stats.rotten_blocks, 1);
	CHECK_EQ(stats.rotten_offset, last);
	CHECK(!is_same_card(&rig, &other));
	file.data[8192 + 40] ^= 4;
	CHECK_EQ(lend(&other, &file, 1 << 20), -EBADMSG);
	rig_exit(&other);
	rig_exit(&rig);
	free(file.data);
}

static const struct tap_test tests[] = {
	TAP_TEST(image_in_one_piece_is_loaded_in_blocks),
	TAP_TEST(image_in_blocks_is_loaded_in_one_piece),
	TAP_TEST(image_in_odd_pieces_is_the_same),
	TAP_TEST(blank_card_makes_a_small_image),
	TAP_TEST(loaded_card_goes_on_working),
	TAP_TEST(flipped_bits_are_found_everywhere),
	TAP_TEST(swapped_blocks_are_found),
	TAP_TEST(mixture_of_two_images_is_refused),
	TAP_TEST(truncated_image_changes_nothing),
	TAP_TEST(what_follows_the_image_is_not_used),
	TAP_TEST(other_geometries_and_versions_have_errors_of_their_own),
	TAP_TEST(offsets_must_follow_each_other),
	TAP_TEST(busy_card_has_no_image),
	TAP_TEST(card_without_power_has_an_image),
	TAP_TEST(lack_of_memory_changes_nothing),
	TAP_TEST(random_tables_never_break_the_loader),
	TAP_TEST(lent_image_is_the_same_card),
	TAP_TEST(rot_in_a_lent_image_is_counted),
};

TAP_MAIN(tests)
