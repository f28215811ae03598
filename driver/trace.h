/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - tracepoints.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM openvsl

#if !defined(VSL_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define VSL_TRACE_H

#include <linux/tracepoint.h>

#include "core/core.h"

/* Without it tools see the names in the format and not the numbers. */
TRACE_DEFINE_ENUM(VSL_IO_READ);
TRACE_DEFINE_ENUM(VSL_IO_WRITE);
TRACE_DEFINE_ENUM(VSL_IO_TRIM);
TRACE_DEFINE_ENUM(VSL_IO_ZERO);
TRACE_DEFINE_ENUM(VSL_IO_FLUSH);

#define vsl_show_io_kind(kind)				\
	__print_symbolic(kind,				\
			 { VSL_IO_READ, "read" },	\
			 { VSL_IO_WRITE, "write" },	\
			 { VSL_IO_TRIM, "trim" },	\
			 { VSL_IO_ZERO, "zero" },	\
			 { VSL_IO_FLUSH, "flush" })

TRACE_EVENT(vsl_state,
	    TP_PROTO(u32 card, u32 from, u32 to, const char *name),
	    TP_ARGS(card, from, to, name),
	    TP_STRUCT__entry(__field(u32, card)
			     __field(u32, from)
			     __field(u32, to)
			     __array(char, name, 16)
	    ),
	    TP_fast_assign(__entry->card = card;
			   __entry->from = from;
			   __entry->to = to;
			   snprintf(__entry->name, sizeof(__entry->name), "%s",
				    name);
	    ),
	    TP_printk("fct%u %u -> %u (%s)", __entry->card, __entry->from,
		      __entry->to, __entry->name)
);

TRACE_EVENT(vsl_io_error,
	    TP_PROTO(u32 card, const struct vsl_io *io),
	    TP_ARGS(card, io),
	    TP_STRUCT__entry(__field(u32, card)
			     __field(u32, kind)
			     __field(u64, sector)
			     __field(u32, nr_sectors)
			     __field(int, error)
	    ),
	    TP_fast_assign(__entry->card = card;
			   __entry->kind = io->kind;
			   __entry->sector = io->sector;
			   __entry->nr_sectors = io->nr_sectors;
			   __entry->error = io->error;
	    ),
	    TP_printk("fct%u %s sector %llu nr %u: %d", __entry->card,
		      vsl_show_io_kind(__entry->kind), __entry->sector,
		      __entry->nr_sectors, __entry->error)
);

#endif /* VSL_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
