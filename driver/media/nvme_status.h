/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nvme_status.h - what an NVMe status code means to the core.
 */
#ifndef VSL_MEDIA_NVME_STATUS_H
#define VSL_MEDIA_NVME_STATUS_H

#include "media.h"

/**
 * vsl_nvme_result() - fold a status code into one of the media's results
 * @status: NVME_STATUS_*, without the phase tag
 * @kind: enum vsl_op_kind of the operation that ended so
 *
 * Knows the NVM command set and zones.  A personality looks first at codes of which
 * it knows more.
 *
 * Context: any.
 */
enum vsl_result vsl_nvme_result(u16 status, u8 kind);

/**
 * vsl_nvme_copy_text() - a field of Identify as a string
 * @to: the string
 * @room: bytes there, at least 1
 * @from: the field, filled up with blanks, not terminated
 * @bytes: its length
 *
 * What cannot be printed becomes '?': it goes to log lines and to tools.
 */
void vsl_nvme_copy_text(char *to, size_t room, const char *from, size_t bytes);

#endif /* VSL_MEDIA_NVME_STATUS_H */
