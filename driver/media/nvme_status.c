// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * nvme_status.c - what an NVMe status code means to the core.
 *
 * Pure functions of what a card has said; user space compiles them too.
 *
 * N1  Whatever a card says, there is a result for it, and none of them is a lie
 *     that loses data: a code that nobody knows is worth another try unless the
 *     card says that there is no use in one, and then it is a failure of the media.
 * N2  VSL_RES_INVALID is only for codes that say that the command was wrong: then
 *     it would be so again, and it is a fault of this driver or of the card.
 */
#include "nvme_status.h"
#include "zns_spec.h"

/* The media failed: that is another thing for each kind of operation. */
static enum vsl_result media_failed(u8 kind)
{
	switch (kind) {
	case VSL_OP_READ:
		return VSL_RES_LOST;
	case VSL_OP_PROGRAM:
	case VSL_OP_ERASE:
		return VSL_RES_EU_DEAD;
	default:
		/* It concerns no erase unit; others may end better. */
		return VSL_RES_TRANSIENT;
	}
}

/* It cannot go on in this zone, but no zone is worse for it. */
static enum vsl_result zone_ended(u8 kind)
{
	return kind == VSL_OP_PROGRAM ? VSL_RES_EU_ENDED : media_failed(kind);
}

/* A code that says how it was with this command, but not why. */
static enum vsl_result unknown(u16 status, u8 kind)
{
	return status & NVME_STATUS_DNR ? media_failed(kind) :
	       VSL_RES_TRANSIENT;
}

enum vsl_result vsl_nvme_result(u16 status, u8 kind)
{
	u32 code = NVME_STATUS(NVME_STATUS_TYPE(status),
			       NVME_STATUS_CODE(status));

	switch (code) {
	case 0:
		return VSL_RES_OK;
	case NVME_SC_INVALID_OPCODE:
	case NVME_SC_INVALID_FIELD:
	case NVME_SC_CID_CONFLICT:
	case NVME_SC_SEQUENCE:
	case NVME_SC_PRP_OFFSET:
	case NVME_SC_LBA_RANGE:
	case NVME_SC_CONFLICT:
	case NVME_SC_BAD_PROTECTION:
	case NVME_SC_ZONE_BOUNDARY:
		return VSL_RES_INVALID;
	case NVME_SC_INVALID_NS:
		return VSL_RES_GONE;
	case NVME_SC_CAPACITY:
	case NVME_SC_READ_ONLY:
	case NVME_SC_RANGE_READ_ONLY:
	case NVME_SC_ZONE_READ_ONLY:
	case NVME_SC_ZONE_OFFLINE:
	case NVME_SC_ZONE_TRANSITION:
		return media_failed(kind);
	case NVME_SC_ZONE_FULL:
	case NVME_SC_ZONE_WRITE:
	case NVME_SC_TOO_MANY_ACTIVE:
	case NVME_SC_TOO_MANY_OPEN:
		return zone_ended(kind);
	case NVME_SC_UNWRITTEN:
		return kind == VSL_OP_READ ? VSL_RES_UNWRITTEN :
		       media_failed(kind);
	}
	/* Write fault, unrecovered read, a checksum that does not fit ... */
	if (NVME_STATUS_TYPE(status) == NVME_TYPE_MEDIA)
		return media_failed(kind);
	return unknown(status, kind);
}

void vsl_nvme_copy_text(char *to, size_t room, const char *from, size_t bytes)
{
	size_t i;

	while (bytes && (from[bytes - 1] == ' ' || !from[bytes - 1]))
		bytes--;
	bytes = min(bytes, room - 1);
	for (i = 0; i < bytes; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	to[bytes] = '\0';
}
