// SPDX-License-Identifier: GPL-2.0-only
/*
 * port_kunit.c - the kernel side of what core/port.h asks for.
 *
 * Goal: what the core takes for granted in user space holds in the kernel, too.
 * A CRC is checked against one computed bit by bit here, and against the vectors
 * of RFC 3720, not against the function that the port calls.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>

#include "core/port.h"

/* ---- checksums ----------------------------------------------------------- */

static const struct crc_vector {
	const char *name;
	u8 first;
	s8 step;		/* from byte to byte */
	u32 bytes;
	u32 crc;
} crc_vectors[] = {
	{ "32 zeros", 0x00, 0, 32, 0x8a9136aa },
	{ "32 ones", 0xff, 0, 32, 0x62a8ab43 },
	{ "32 rising", 0x00, 1, 32, 0x46dd794e },
	{ "32 falling", 0x1f, -1, 32, 0x113fdb5c },
	{ "check string", '1', 1, 9, 0xe3069283 },
	{ "nothing", 0, 0, 0, 0 },
};

KUNIT_ARRAY_PARAM_DESC(crc_vector, crc_vectors, name);

static void crc_of_known_bytes_is_known(struct kunit *test)
{
	const struct crc_vector *vector = test->param_value;
	u8 bytes[32];
	u32 i;

	for (i = 0; i < vector->bytes; i++)
		bytes[i] = vector->first + i * vector->step;
	KUNIT_EXPECT_EQ(test, vector->crc,
			~vsl_port_crc32c(~0u, bytes, vector->bytes));
}

static u32 crc_bit_by_bit(u32 crc, const u8 *buf, size_t bytes)
{
	u32 bit;

	while (bytes--) {
		crc ^= *buf++;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return crc;
}

static u8 *noise(struct kunit *test, u32 bytes)
{
	u8 *mem = kunit_kmalloc(test, bytes, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	for (i = 0; i < bytes; i++)
		mem[i] = i * 2654435761u >> 13;
	return mem;
}

static void crc_is_castagnoli_at_any_alignment(struct kunit *test)
{
	u8 *mem = noise(test, 8192);
	u32 i, from, bytes;

	for (i = 0; i < 200; i++) {
		from = i % 61;
		bytes = i * 37 % 4200;
		KUNIT_ASSERT_EQ(test, crc_bit_by_bit(i, mem + from, bytes),
				vsl_port_crc32c(i, mem + from, bytes));
	}
}

static void crc_can_be_taken_in_pieces(struct kunit *test)
{
	u8 *mem = noise(test, 8192);
	u32 whole = vsl_port_crc32c(1, mem, 8192);
	u32 at;

	for (at = 0; at <= 8192; at += 331)
		KUNIT_EXPECT_EQ(test, whole, vsl_port_crc32c
				(vsl_port_crc32c(1, mem, at), mem + at,
				 8192 - at));
}

/* ---- memory -------------------------------------------------------------- */

static const struct alloc_size {
	const char *name;
	size_t bytes;
} alloc_sizes[] = {
	{ "1", 1 },
	{ "block", VSL_BLOCK_BYTES },
	{ "more than a page, odd", 12345 },
	{ "1 MiB", 1 << 20 },
	{ "1 MiB and one", (1 << 20) + 1 },
	{ "more than kmalloc has", (8 << 20) + 17 },
};

KUNIT_ARRAY_PARAM_DESC(alloc_size, alloc_sizes, name);

static void tables_are_zeroed_and_usable_to_the_end(struct kunit *test)
{
	const struct alloc_size *size = test->param_value;
	u8 *mem;
	u32 i;

	/* The second time it gets what the first has filled. */
	for (i = 0; i < 2; i++) {
		mem = vsl_port_alloc(size->bytes);
		KUNIT_ASSERT_NOT_NULL(test, mem);
		KUNIT_EXPECT_NULL(test, memchr_inv(mem, 0, size->bytes));
		memset(mem, 0xa5, size->bytes);
		vsl_port_free(mem);
	}
	vsl_port_free(NULL);
}

/* Refused without a word, and nobody is killed to make room for it. */
static void more_than_there_is_is_refused(struct kunit *test)
{
	u64 most = (u64)totalram_pages() * PAGE_SIZE;
	void *mem;

	mem = vsl_port_alloc(most + PAGE_SIZE);
	KUNIT_EXPECT_NULL(test, mem);
	vsl_port_free(mem);
	/* And what no allocator takes in one piece. */
	mem = vsl_port_alloc(most + INT_MAX);
	KUNIT_EXPECT_NULL(test, mem);
	vsl_port_free(mem);
}

#define BLOCKS	32u

static void blocks_are_aligned_contiguous_and_distinct(struct kunit *test)
{
	void *block[BLOCKS];
	u32 i, k;

	for (i = 0; i < BLOCKS; i++) {
		block[i] = vsl_port_block_alloc();
		KUNIT_EXPECT_NOT_NULL(test, block[i]);
		if (!block[i])
			break;
		KUNIT_EXPECT_EQ(test, 0,
				(unsigned long)block[i] % VSL_BLOCK_BYTES);
		KUNIT_EXPECT_TRUE(test, virt_addr_valid(block[i]));
		memset(block[i], i, VSL_BLOCK_BYTES);
	}
	for (k = 0; k < i; k++) {
		KUNIT_EXPECT_NULL(test, memchr_inv(block[k], k,
						   VSL_BLOCK_BYTES));
		vsl_port_block_free(block[k]);
	}
	vsl_port_block_free(NULL);
}

/* ---- time ---------------------------------------------------------------- */

/* However long anything takes, it lies between two looks at the real clock. */
static void time_is_that_of_the_monotonic_clock(struct kunit *test)
{
	u64 before, now, after;
	u32 i;

	for (i = 0; i < 50; i++) {
		before = ktime_get_ns();
		now = vsl_port_now_ns();
		after = ktime_get_ns();
		KUNIT_ASSERT_GE(test, now, before);
		KUNIT_ASSERT_LE(test, now, after);
		if (i % 10 == 0)
			msleep(20);
	}
}

/* ---- atomics ------------------------------------------------------------- */

#define COUNTERS	4u
#define COUNTS		20000

struct counting {
	struct vsl_atomic *counter;
	struct vsl_atomic *zeros;	/* how often a decrement gave zero */
	struct completion go;
	struct completion up;
	struct completion done;
};

static int count_up_and_down(void *ctx)
{
	struct counting *counting = ctx;
	u32 i;

	for (i = 0; i < COUNTS; i++)
		vsl_atomic_inc(counting->counter);
	complete(&counting->up);
	wait_for_completion(&counting->go);
	for (i = 0; i < COUNTS; i++)
		if (!vsl_atomic_dec_return(counting->counter))
			vsl_atomic_inc(counting->zeros);
	complete(&counting->done);
	return 0;
}

/* The last one to leave is told so, and nobody else. */
static void no_count_is_lost(struct kunit *test)
{
	struct counting all[COUNTERS];
	struct vsl_atomic counter, zeros;
	struct task_struct *task;
	u32 i, nr;

	vsl_atomic_set(&counter, 0);
	vsl_atomic_set(&zeros, 0);
	for (nr = 0; nr < COUNTERS; nr++) {
		all[nr].counter = &counter;
		all[nr].zeros = &zeros;
		init_completion(&all[nr].up);
		init_completion(&all[nr].go);
		init_completion(&all[nr].done);
		task = kthread_run(count_up_and_down, &all[nr], "vsl_count");
		if (IS_ERR(task))
			break;
	}
	KUNIT_EXPECT_EQ(test, nr, COUNTERS);
	for (i = 0; i < nr; i++)
		wait_for_completion(&all[i].up);
	KUNIT_EXPECT_EQ(test, (int)nr * COUNTS, vsl_atomic_read(&counter));
	for (i = 0; i < nr; i++)
		complete(&all[i].go);
	for (i = 0; i < nr; i++)
		wait_for_completion(&all[i].done);
	KUNIT_EXPECT_EQ(test, 0, vsl_atomic_read(&counter));
	KUNIT_EXPECT_EQ(test, 1, vsl_atomic_read(&zeros));
}

static void atomics_answer_the_new_value(struct kunit *test)
{
	struct vsl_atomic counter;

	vsl_atomic_set(&counter, 7);
	KUNIT_EXPECT_EQ(test, 7, vsl_atomic_read(&counter));
	vsl_atomic_inc(&counter);
	KUNIT_EXPECT_EQ(test, 8, vsl_atomic_read(&counter));
	KUNIT_EXPECT_EQ(test, 7, vsl_atomic_dec_return(&counter));
	vsl_atomic_set(&counter, -1);
	KUNIT_EXPECT_EQ(test, -2, vsl_atomic_dec_return(&counter));
}

/* ---- lists and helpers --------------------------------------------------- */

struct item {
	u32 number;
	struct list_head link;
};

/* As digits, in order. */
static void expect_list(struct kunit *test, struct list_head *head,
			const char *digits)
{
	struct item *item;
	char seen[16];
	u32 nr = 0;

	list_for_each_entry(item, head, link)
		if (nr < sizeof(seen) - 1)
			seen[nr++] = '0' + item->number;
	seen[nr] = '\0';
	KUNIT_EXPECT_STREQ(test, digits, seen);
}

static void lists_keep_their_order(struct kunit *test)
{
	struct item items[5], *item, *next;
	struct list_head one = LIST_HEAD_INIT(one), two;
	u32 i;

	INIT_LIST_HEAD(&two);
	KUNIT_EXPECT_NULL(test,
			  list_first_entry_or_null(&one, struct item, link));
	for (i = 0; i < ARRAY_SIZE(items); i++)
		items[i].number = i;
	list_add_tail(&items[1].link, &one);
	list_add_tail(&items[2].link, &one);
	list_add(&items[0].link, &one);
	list_add_tail(&items[3].link, &two);
	list_add_tail(&items[4].link, &two);
	list_splice_tail_init(&two, &one);
	KUNIT_EXPECT_TRUE(test, list_empty(&two));
	expect_list(test, &one, "01234");
	list_del(&items[2].link);
	list_del_init(&items[0].link);
	KUNIT_EXPECT_TRUE(test, list_empty(&items[0].link));
	expect_list(test, &one, "134");
	KUNIT_EXPECT_EQ(test, 3, list_next_entry(&items[1], link)->number);
	list_for_each_entry_safe(item, next, &one, link)
		list_move_tail(&item->link, &two);
	expect_list(test, &two, "134");
	expect_list(test, &one, "");
}

static void helpers_take_64_bits(struct kunit *test)
{
	u64 big = 1ull << 40;
	__le64 disk = cpu_to_le64(0x0102030405060708ull);
	u8 bytes[8];

	KUNIT_EXPECT_EQ(test, 40, ilog2(big));
	KUNIT_EXPECT_EQ(test, 40, ilog2(big * 2 - 1));
	KUNIT_EXPECT_EQ(test, 0, ilog2(1u));
	KUNIT_EXPECT_EQ(test, 5, hweight8(0xf1));
	KUNIT_EXPECT_EQ(test, big + 4096, round_up(big + 1, 4096));
	KUNIT_EXPECT_EQ(test, big, round_down(big + 1, 4096));
	KUNIT_EXPECT_EQ(test, (big + 2) / 3, DIV_ROUND_UP(big, 3));
	KUNIT_EXPECT_EQ(test, big, max(big, 5ull));
	KUNIT_EXPECT_EQ(test, 0, min_t(u32, big, 7));
	memcpy(bytes, &disk, sizeof(bytes));
	KUNIT_EXPECT_EQ(test, 8, bytes[0]);
	KUNIT_EXPECT_EQ(test, 0x0102030405060708ull, le64_to_cpu(disk));
}

static struct kunit_case port_cases[] = {
	KUNIT_CASE_PARAM(crc_of_known_bytes_is_known, crc_vector_gen_params),
	KUNIT_CASE(crc_is_castagnoli_at_any_alignment),
	KUNIT_CASE(crc_can_be_taken_in_pieces),
	KUNIT_CASE_PARAM(tables_are_zeroed_and_usable_to_the_end,
			 alloc_size_gen_params),
	KUNIT_CASE(more_than_there_is_is_refused),
	KUNIT_CASE(blocks_are_aligned_contiguous_and_distinct),
	KUNIT_CASE(time_is_that_of_the_monotonic_clock),
	KUNIT_CASE(no_count_is_lost),
	KUNIT_CASE(atomics_answer_the_new_value),
	KUNIT_CASE(lists_keep_their_order),
	KUNIT_CASE(helpers_take_64_bits),
	{ }
};

static struct kunit_suite port_suite = {
	.name = "openvsl_port",
	.test_cases = port_cases,
};

kunit_test_suite(port_suite);
