/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * port_os.h - the kernel as the core sees it; driver/core/port.h says what
 * belongs here.
 *
 * The kernel has all of these names but two: vsl_atomic and VSL_ASSERT.
 */
#ifndef VSL_PORT_OS_H
#define VSL_PORT_OS_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/string.h>
#include <linux/types.h>

#include <asm/byteorder.h>

struct vsl_atomic {
	atomic_t value;
};

/* atomic_inc() orders nothing by itself; what returns a value does. */
static inline void vsl_atomic_inc(struct vsl_atomic *counter)
{
	atomic_inc_return(&counter->value);
}

static inline int vsl_atomic_dec_return(struct vsl_atomic *counter)
{
	return atomic_dec_return(&counter->value);
}

static inline int vsl_atomic_read(const struct vsl_atomic *counter)
{
	int value;

	/* Pairs with the barriers of the operations that change it. */
	smp_mb();
	value = atomic_read(&counter->value);
	/* As above, for what the caller reads next. */
	smp_mb();
	return value;
}

static inline void vsl_atomic_set(struct vsl_atomic *counter, int value)
{
	atomic_xchg(&counter->value, value);
}

#define VSL_ASSERT(cond)	WARN_ONCE(!(cond), "openvsl: broken: %s\n", #cond)

#endif /* VSL_PORT_OS_H */
