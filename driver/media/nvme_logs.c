// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * nvme_logs.c - what the logs of an NVMe controller say, and what becomes of firmware.
 *
 * Pure functions of what a card has said; user space compiles them too.
 *
 * L1  Numbers are bounded before they are kept, and text can be printed: what is kept
 *     goes to tools as it is.
 * L2  What a card does not say clearly it does not say.
 */
#include "nvme_logs.h"
#include "nvme_status.h"

#define PAGE_BYTES	4096u

void vsl_nvme_logs_begin(const struct nvme_id_ctrl *id,
			 struct vsl_media_logs *logs)
{
	memset(logs, 0, sizeof(*logs));
	logs->slots = NVME_FRMW_SLOTS(id->frmw);
	if (!logs->slots)
		logs->slots = 1;
	if (id->frmw & NVME_FRMW_SLOT1_FIXED)
		logs->flags |= VSL_LOGS_SLOT1_FIXED;
	/* One that is fixed is none that could be written. */
	if (le16_to_cpu(id->oacs) & NVME_OACS_FIRMWARE &&
	    !(logs->slots == 1 && id->frmw & NVME_FRMW_SLOT1_FIXED))
		logs->flags |= VSL_LOGS_UPDATE;
}

/* A slot that there is, and that something is in; 0: none of these. */
static u32 slot_of(const struct vsl_media_logs *logs, u32 nr)
{
	return nr && nr <= logs->slots && *logs->slot[nr - 1] ? nr : 0;
}

void vsl_nvme_logs_firmware(const struct nvme_firmware *log,
			    struct vsl_media_logs *logs)
{
	u32 i;

	memset(logs->slot, 0, sizeof(logs->slot));
	for (i = 0; i < min_t(u32, logs->slots, VSL_MEDIA_SLOTS); i++)
		vsl_nvme_copy_text(logs->slot[i], sizeof(logs->slot[i]),
				   log->slot[i], sizeof(log->slot[i]));
	logs->active = slot_of(logs, log->afi & 0x7);
	logs->next = slot_of(logs, log->afi >> 4 & 0x7);
	if (logs->next == logs->active)
		logs->next = 0;
	logs->flags |= VSL_LOGS_FIRMWARE;
}

void vsl_nvme_logs_error(const struct nvme_error *entry,
			 struct vsl_media_logs *logs)
{
	u16 status = le16_to_cpu(entry->status) >> 1;

	logs->flags &= ~VSL_LOGS_LAST;
	if (!entry->count)
		return;
	logs->flags |= VSL_LOGS_LAST;
	logs->error_status = NVME_STATUS(NVME_STATUS_TYPE(status),
					 NVME_STATUS_CODE(status));
	logs->error_part = le32_to_cpu(entry->nsid);
	logs->error_lba = le64_to_cpu(entry->lba);
}

u32 vsl_nvme_piece_bytes(u8 fwug, u32 max_bytes)
{
	u32 bytes = fwug && fwug != NVME_FWUG_ANY ? fwug * PAGE_BYTES :
						    PAGE_BYTES;

	return bytes <= max_bytes ? bytes : 0;
}

int vsl_nvme_firmware_result(u16 status, u32 *end)
{
	*end = VSL_FIRMWARE_AT_RESET;
	switch (NVME_STATUS(NVME_STATUS_TYPE(status),
			    NVME_STATUS_CODE(status))) {
	case 0:
	case NVME_SC_FW_NEEDS_CTRL:
		return 0;
	case NVME_SC_FW_NEEDS_RESET:
		*end = VSL_FIRMWARE_AT_BOOT;
		return 0;
	case NVME_SC_FW_NEEDS_POWER:
		*end = VSL_FIRMWARE_AT_POWER;
		return 0;
	case NVME_SC_FW_SLOT:
		return -ERANGE;
	case NVME_SC_FW_IMAGE:
	case NVME_SC_FW_OVERLAP:
	case NVME_SC_INVALID_FIELD:
		return -EBADMSG;
	case NVME_SC_FW_PROHIBITED:
		return -EACCES;
	default:
		return -EIO;
	}
}
