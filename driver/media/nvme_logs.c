// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * nvme_logs.c - what the logs of an NVMe controller say, and the commands by which it
 * gets another firmware.
 *
 * Pure functions of what a card has said, or is to be told; user space compiles them
 * too.
 *
 * L1  Numbers are bounded before they are kept, and text can be printed: what is kept
 *     goes to tools as it is.
 * L2  What a card does not say clearly it does not say.
 */
#include "nvme_logs.h"
#include "nvme_status.h"

void vsl_nvme_logs_begin(const struct nvme_id_ctrl *id,
			 struct vsl_media_logs *logs)
{
	memset(logs, 0, sizeof(*logs));
	vsl_nvme_copy_text(logs->firmware, sizeof(logs->firmware), id->fr,
			   sizeof(id->fr));
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

	logs->flags &= ~(VSL_LOGS_LAST | VSL_LOGS_COMMAND);
	if (!entry->count)
		return;
	logs->flags |= VSL_LOGS_LAST;
	logs->error_queue = le16_to_cpu(entry->sq_id);
	logs->error_opcode = 0;
	if (entry->version && logs->error_queue != NVME_ERROR_NO_QUEUE) {
		logs->flags |= VSL_LOGS_COMMAND;
		logs->error_opcode = entry->opcode;
	}
	logs->error_status = NVME_STATUS(NVME_STATUS_TYPE(status),
					 NVME_STATUS_CODE(status));
	logs->error_part = le32_to_cpu(entry->nsid);
	logs->error_lba = le64_to_cpu(entry->lba);
}

u32 vsl_nvme_piece_bytes(u8 fwug, u32 max_bytes)
{
	u32 bytes = fwug && fwug != NVME_FWUG_ANY ? fwug * NVME_PAGE_BYTES :
						    NVME_PAGE_BYTES;

	return bytes <= max_bytes ? bytes : 0;
}

void vsl_nvme_download(struct nvme_sqe *sqe,
		       const struct vsl_media_firmware *fw, u64 bus,
		       __le64 *list)
{
	u32 pages = DIV_ROUND_UP(fw->bytes, NVME_PAGE_BYTES), i;
	u64 second = bus + NVME_PAGE_BYTES;

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = NVME_ADMIN_FW_DOWNLOAD;
	sqe->cdw10[0] = cpu_to_le32(fw->bytes / 4 - 1);
	sqe->cdw10[1] = cpu_to_le32(fw->offset / 4);
	sqe->prp1 = cpu_to_le64(bus);
	if (pages > 2) {
		for (i = 1; i < pages; i++)
			list[i - 1] = cpu_to_le64(bus +
						  (u64)i * NVME_PAGE_BYTES);
		second = bus + (u64)pages * NVME_PAGE_BYTES;
	}
	if (pages > 1)
		sqe->prp2 = cpu_to_le64(second);
}

void vsl_nvme_commit(struct nvme_sqe *sqe, const struct vsl_media_firmware *fw)
{
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = NVME_ADMIN_FW_COMMIT;
	sqe->cdw10[0] = cpu_to_le32((fw->now ? NVME_FW_NOW : NVME_FW_AT_RESET) |
				    NVME_FW_SLOT(fw->slot));
}

int vsl_nvme_firmware_result(u16 status, u32 *end)
{
	switch (NVME_STATUS(NVME_STATUS_TYPE(status),
			    NVME_STATUS_CODE(status))) {
	case 0:
		return 0;
	case NVME_SC_FW_NEEDS_CTRL:
		*end = VSL_FIRMWARE_AT_RESET;
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
	case NVME_SC_INVALID_FIELD:
		return -EBADMSG;
	case NVME_SC_FW_OVERLAP:
		return -EILSEQ;
	case NVME_SC_FW_PROHIBITED:
		return -EACCES;
	case NVME_SC_FW_TOO_LONG:
		return -EOVERFLOW;
	case NVME_SC_INVALID_OPCODE:
		return -EOPNOTSUPP;
	case NVME_SC_HOST_ABORTED:
		return -ECONNRESET;
	default:
		return -EIO;
	}
}
