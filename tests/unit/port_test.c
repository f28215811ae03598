// SPDX-License-Identifier: GPL-2.0-only
/*
 * port_test.c - the user-space port: what driver/core/port.h asks for, and that
 * both ways to a CRC32C agree.
 */
#include "tap.h"

#include <stdint.h>
#include <stdlib.h>

/* The table's way is a static function of the port. */
#define vsl_port_crc32c		own_crc32c
#define vsl_port_alloc		own_alloc
#define vsl_port_free		own_free
#define vsl_port_block_alloc	own_block_alloc
#define vsl_port_block_free	own_block_free
#define vsl_port_now_ns		own_now_ns
#define vsl_port_clock_ns	own_clock_ns
#define vsl_port_fail_after	own_fail_after
#define vsl_port_allocs		own_allocs
#define vsl_port_allocs_live	own_allocs_live
#define vsl_port_assert_hook	own_assert_hook
#define vsl_port_assert_failed	own_assert_failed
#include "../port/port_user.c"

static void crc32c_of_the_check_string_is_known(void)
{
	CHECK_EQ(~own_crc32c(~0u, "123456789", 9), 0xe3069283u);
	CHECK_EQ(~crc32c_table(~0u, (const u8 *)"123456789", 9), 0xe3069283u);
	CHECK_EQ(own_crc32c(5, NULL, 0), 5);
}

static void both_ways_to_a_crc_agree(void)
{
	static u8 data[20000];
	u32 i, from, bytes, seed;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (u8)(i * 2654435761u >> 13);
	for (i = 0; i < 4000; i++) {
		from = i % 61;
		bytes = i * 37 % 15000;
		seed = i * 0x9e3779b1u;
		CHECK_EQ(own_crc32c(seed, data + from, bytes),
			 crc32c_table(seed, data + from, bytes));
	}
}

static void crc_can_be_done_in_pieces(void)
{
	static u8 data[10000];
	u32 i, whole;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (u8)(i * 40503u >> 7);
	whole = own_crc32c(1, data, sizeof(data));
	for (i = 0; i <= sizeof(data); i += 331)
		CHECK_EQ(own_crc32c(own_crc32c(1, data, i), data + i,
				    sizeof(data) - i), whole);
}

static void memory_is_zeroed_aligned_and_counted(void)
{
	u8 *mem = own_alloc(100000);
	void *block = own_block_alloc();
	u32 i;

	for (i = 0; i < 100000; i++)
		CHECK_EQ(mem[i], 0);
	CHECK_EQ((uintptr_t)block % VSL_BLOCK_BYTES, 0);
	CHECK_EQ(own_allocs_live, 2);
	own_free(mem);
	own_block_free(block);
	own_free(NULL);
	own_block_free(NULL);
	CHECK_EQ(own_allocs_live, 0);
}

static void nth_allocation_fails_once(void)
{
	void *mem[3];
	u32 i;

	own_fail_after = 2;
	for (i = 0; i < 3; i++)
		mem[i] = i == 1 ? own_block_alloc() : own_alloc(1);
	CHECK(mem[0] && !mem[1] && mem[2]);
	own_free(mem[0]);
	own_free(mem[2]);
}

struct item {
	u32 number;
	struct list_head link;
};

static bool list_is(struct list_head *head, const char *expected)
{
	struct item *item;

	list_for_each_entry(item, head, link)
		if (item->number != (u32)*expected++ - '0')
			return false;
	return !*expected;
}

static void lists_keep_their_order(void)
{
	struct list_head one = LIST_HEAD_INIT(one), two;
	struct item items[5], *item, *ahead;
	u32 i;

	INIT_LIST_HEAD(&two);
	CHECK(list_empty(&one));
	CHECK(!list_first_entry_or_null(&one, struct item, link));
	for (i = 0; i < 5; i++)
		items[i].number = i;
	list_add_tail(&items[1].link, &one);
	list_add_tail(&items[2].link, &one);
	list_add(&items[0].link, &one);
	CHECK(list_is(&one, "012"));
	list_add_tail(&items[3].link, &two);
	list_add_tail(&items[4].link, &two);
	list_splice_tail_init(&two, &one);
	CHECK(list_empty(&two));
	CHECK(list_is(&one, "01234"));
	list_splice_tail_init(&two, &one);
	list_del(&items[2].link);
	list_del_init(&items[0].link);
	CHECK(list_empty(&items[0].link));
	CHECK(list_is(&one, "134"));
	CHECK_EQ(list_first_entry(&one, struct item, link)->number, 1);
	CHECK_EQ(list_next_entry(&items[1], link)->number, 3);
	list_for_each_entry_safe(item, ahead, &one, link)
		list_move_tail(&item->link, &two);
	CHECK(list_is(&two, "134"));
	CHECK(list_empty(&one));
}

static void helpers_are_those_of_the_kernel(void)
{
	u64 big = 1ull << 40;
	struct vsl_atomic counter;

	CHECK_EQ(min(1u, 2u), 1);
	CHECK_EQ(max(big, 5ull), big);
	CHECK_EQ(min_t(u32, big, 7), 0);
	CHECK_EQ(max_t(s32, -1, 1), 1);
	CHECK_EQ(round_up(5u, 4), 8);
	CHECK_EQ(round_up(big + 1, 4096), big + 4096);
	CHECK_EQ(round_down(big + 1, 4096), big);
	CHECK_EQ(DIV_ROUND_UP(9, 4), 3);
	CHECK_EQ(ilog2(1u), 0);
	CHECK_EQ(ilog2(big), 40);
	CHECK_EQ(hweight8(0xf1), 5);
	CHECK_EQ(le32_to_cpu(cpu_to_le32(0x12345678)), 0x12345678);
	CHECK_EQ(le16_to_cpu(cpu_to_le16(0x1234)), 0x1234);
	CHECK_EQ(le64_to_cpu(cpu_to_le64(big)), big);
	vsl_atomic_set(&counter, 2);
	vsl_atomic_inc(&counter);
	CHECK_EQ(vsl_atomic_dec_return(&counter), 2);
	CHECK_EQ(vsl_atomic_read(&counter), 2);
	own_clock_ns = 77;
	CHECK_EQ(own_now_ns(), 77);
}

static const struct tap_test tests[] = {
	TAP_TEST(crc32c_of_the_check_string_is_known),
	TAP_TEST(both_ways_to_a_crc_agree),
	TAP_TEST(crc_can_be_done_in_pieces),
	TAP_TEST(memory_is_zeroed_aligned_and_counted),
	TAP_TEST(nth_allocation_fails_once),
	TAP_TEST(lists_keep_their_order),
	TAP_TEST(helpers_are_those_of_the_kernel),
};

TAP_MAIN(tests)
