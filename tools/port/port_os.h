/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * port_os.h - user space as the core sees it; driver/core/port.h says what
 * belongs here.
 *
 * Own code throughout.  Only freestanding headers, errno.h and string.h are
 * included, so that nothing else can be used by mistake.  u64 is an unsigned
 * long long everywhere, as in the kernel: %llu fits it.
 */
#ifndef VSL_PORT_OS_H
#define VSL_PORT_OS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* ---- types ------------------------------------------------------------- */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed int s32;
typedef signed long long s64;

#ifdef __CHECKER__
#define __vsl_bitwise	__attribute__((bitwise))
#else
#define __vsl_bitwise
#endif

typedef unsigned short __vsl_bitwise __le16;
typedef unsigned int __vsl_bitwise __le32;
typedef unsigned long long __vsl_bitwise __le64;

/* ---- byte order -------------------------------------------------------- */

#ifdef __CHECKER__
#define __vsl_force	__attribute__((force))
#else
#define __vsl_force
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define cpu_to_le16(x)	((__vsl_force __le16)(u16)(x))
#define cpu_to_le32(x)	((__vsl_force __le32)(u32)(x))
#define cpu_to_le64(x)	((__vsl_force __le64)(u64)(x))
#define le16_to_cpu(x)	((__vsl_force u16)(__le16)(x))
#define le32_to_cpu(x)	((__vsl_force u32)(__le32)(x))
#define le64_to_cpu(x)	((__vsl_force u64)(__le64)(x))
#else
#define cpu_to_le16(x)	((__vsl_force __le16)__builtin_bswap16((u16)(x)))
#define cpu_to_le32(x)	((__vsl_force __le32)__builtin_bswap32((u32)(x)))
#define cpu_to_le64(x)	((__vsl_force __le64)__builtin_bswap64((u64)(x)))
#define le16_to_cpu(x)	((u16)__builtin_bswap16((__vsl_force u16)(__le16)(x)))
#define le32_to_cpu(x)	((u32)__builtin_bswap32((__vsl_force u32)(__le32)(x)))
#define le64_to_cpu(x)	((u64)__builtin_bswap64((__vsl_force u64)(__le64)(x)))
#endif

/* ---- helpers ----------------------------------------------------------- */

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#undef __printf
#define __printf(a, b)	__attribute__((__format__(__printf__, a, b)))

/* The comparison of the two addresses warns when the types differ. */
#define min(a, b) ({					\
	__typeof__(a) vsl_min_a = (a);			\
	__typeof__(b) vsl_min_b = (b);			\
	(void)(&vsl_min_a == &vsl_min_b);		\
	vsl_min_a < vsl_min_b ? vsl_min_a : vsl_min_b; })

#define max(a, b) ({					\
	__typeof__(a) vsl_max_a = (a);			\
	__typeof__(b) vsl_max_b = (b);			\
	(void)(&vsl_max_a == &vsl_max_b);		\
	vsl_max_a > vsl_max_b ? vsl_max_a : vsl_max_b; })

#define min_t(type, a, b) ({				\
	type vsl_mint_a = (a);				\
	type vsl_mint_b = (b);				\
	vsl_mint_a < vsl_mint_b ? vsl_mint_a : vsl_mint_b; })

#define max_t(type, a, b) ({				\
	type vsl_maxt_a = (a);				\
	type vsl_maxt_b = (b);				\
	vsl_maxt_a > vsl_maxt_b ? vsl_maxt_a : vsl_maxt_b; })

#define container_of(ptr, type, member)			\
	((type *)((char *)(ptr) - offsetof(type, member)))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

/* @to must be a power of two; the result has the type of @x. */
#define vsl_round_mask(x, to)	((__typeof__(x))((to) - 1))
#define round_up(x, to)		((((x) - 1) | vsl_round_mask(x, to)) + 1)
#define round_down(x, to)	((x) & ~vsl_round_mask(x, to))

#undef static_assert
#define vsl_static_assert(cond, text, ...)	_Static_assert(cond, text)
#define static_assert(cond, ...)		\
	vsl_static_assert(cond, ##__VA_ARGS__, #cond)

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)	__atomic_store_n(&(x), (value), __ATOMIC_RELAXED)

#define ilog2(n)		(63 - __builtin_clzll((u64)(n)))
#define hweight8(n)		((unsigned int)__builtin_popcount((u8)(n)))

/* ---- lists ------------------------------------------------------------- */

/* A ring of which one member, the head, is no entry. */
struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void vsl_list_put(struct list_head *entry,
				struct list_head *before,
				struct list_head *after)
{
	entry->prev = before;
	entry->next = after;
	before->next = entry;
	after->prev = entry;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	vsl_list_put(entry, head, head->next);
}

static inline void list_add_tail(struct list_head *entry,
				 struct list_head *head)
{
	vsl_list_put(entry, head->prev, head);
}

static inline void vsl_list_cut(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
}

/* What is deleted is not to be touched again: make sure that it shows. */
static inline void list_del(struct list_head *entry)
{
	vsl_list_cut(entry);
	entry->next = NULL;
	entry->prev = NULL;
}

static inline void list_del_init(struct list_head *entry)
{
	vsl_list_cut(entry);
	INIT_LIST_HEAD(entry);
}

static inline void list_move_tail(struct list_head *entry,
				  struct list_head *head)
{
	vsl_list_cut(entry);
	list_add_tail(entry, head);
}

static inline void list_splice_tail_init(struct list_head *from,
					 struct list_head *head)
{
	if (list_empty(from))
		return;
	from->next->prev = head->prev;
	head->prev->next = from->next;
	from->prev->next = head;
	head->prev = from->prev;
	INIT_LIST_HEAD(from);
}

#define list_entry(ptr, type, member)	container_of(ptr, type, member)

#define list_first_entry(head, type, member)	\
	list_entry((head)->next, type, member)

#define list_first_entry_or_null(head, type, member)	\
	(list_empty(head) ? NULL : list_first_entry(head, type, member))

#define list_next_entry(pos, member)	\
	list_entry((pos)->member.next, __typeof__(*(pos)), member)

#define list_for_each_entry(pos, head, member)				\
	for (pos = list_first_entry(head, __typeof__(*pos), member);	\
	     &pos->member != (head);					\
	     pos = list_next_entry(pos, member))

#define list_for_each_entry_safe(pos, ahead, head, member)		\
	for (pos = list_first_entry(head, __typeof__(*pos), member),	\
	     ahead = list_next_entry(pos, member);			\
	     &pos->member != (head);					\
	     pos = ahead, ahead = list_next_entry(ahead, member))

/* ---- atomic counter ---------------------------------------------------- */

struct vsl_atomic {
	int value;
};

/* The __sync and exchange builtins are full barriers, also for a reader. */
static inline void vsl_atomic_inc(struct vsl_atomic *counter)
{
	(void)__sync_add_and_fetch(&counter->value, 1);
}

static inline int vsl_atomic_dec_return(struct vsl_atomic *counter)
{
	return __sync_sub_and_fetch(&counter->value, 1);
}

static inline int vsl_atomic_read(const struct vsl_atomic *counter)
{
	return __sync_add_and_fetch((int *)&counter->value, 0);
}

static inline void vsl_atomic_set(struct vsl_atomic *counter, int value)
{
	(void)__atomic_exchange_n(&counter->value, value, __ATOMIC_SEQ_CST);
}

/* ---- broken invariants ------------------------------------------------- */

/* Tests may replace it; the default prints and aborts. */
extern void (*vsl_port_assert_hook)(const char *cond, const char *file,
				    int line);

void vsl_port_assert_failed(const char *cond, const char *file, int line);

#define VSL_ASSERT(cond)						\
	do {								\
		if (unlikely(!(cond)))					\
			vsl_port_assert_failed(#cond, __FILE__, __LINE__); \
	} while (0)

/* ---- for tests, not for the core --------------------------------------- */

/* What vsl_port_now_ns() returns: the virtual clock. */
extern u64 vsl_port_clock_ns;

/* The @vsl_port_fail_after'th allocation from now fails, once; 0: none. */
extern u64 vsl_port_fail_after;

/* Allocations made, and those not freed yet (not thread-safe). */
extern u64 vsl_port_allocs;
extern u64 vsl_port_allocs_live;

#endif /* VSL_PORT_OS_H */
