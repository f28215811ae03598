/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nvme_logs.h - what the logs of an NVMe controller say, and how it gets a firmware.
 */
#ifndef VSL_MEDIA_NVME_LOGS_H
#define VSL_MEDIA_NVME_LOGS_H

#include "media.h"
#include "nvme_spec.h"

/**
 * vsl_nvme_logs_begin() - what Identify says of them
 * @id: of the controller
 * @logs: filled in: flags and slots, the rest is zero
 *
 * Context: any.
 */
void vsl_nvme_logs_begin(const struct nvme_id_ctrl *id,
			 struct vsl_media_logs *logs);

/**
 * vsl_nvme_logs_firmware() - take what the log of the firmware slots says
 * @log: as the card gave it
 * @logs: begun
 *
 * Slots that there are not do not count, nor does a slot that could not run.
 *
 * Context: any.
 */
void vsl_nvme_logs_firmware(const struct nvme_firmware *log,
			    struct vsl_media_logs *logs);

/**
 * vsl_nvme_logs_error() - take the newest entry of the error log
 * @entry: as the card gave it
 * @logs: begun
 *
 * Context: any.
 */
void vsl_nvme_logs_error(const struct nvme_error *entry,
			 struct vsl_media_logs *logs);

/**
 * vsl_nvme_piece_bytes() - how a firmware image is cut (FWUG, MDTS)
 * @fwug: of Identify
 * @max_bytes: most data of a command
 *
 * Context: any.
 * Return: bytes of a piece, a multiple of 4 KiB; 0: no command could carry one.
 */
u32 vsl_nvme_piece_bytes(u8 fwug, u32 max_bytes);

/**
 * vsl_nvme_download() - the command that carries a piece of an image (5.12)
 * @sqe: filled in
 * @fw: the piece: offset and bytes, multiples of 4, VSL_NVME_IMAGE_PAGES at most
 * @bus: for the card, where the piece lies, a multiple of 4 KiB
 * @list: the 4 KiB behind the pages of the piece
 *
 * A command names two pages itself, more by the list.
 *
 * Context: any.
 */
void vsl_nvme_download(struct nvme_sqe *sqe,
		       const struct vsl_media_firmware *fw, u64 bus,
		       __le64 *list);

/* Pages that one list can name, and the first. */
#define VSL_NVME_IMAGE_PAGES	(NVME_PAGE_BYTES / 8 + 1)

/**
 * vsl_nvme_commit() - the command that keeps an image (5.11)
 * @sqe: filled in
 * @fw: slot, and whether it is to run now
 *
 * Context: any.
 */
void vsl_nvme_commit(struct nvme_sqe *sqe, const struct vsl_media_firmware *fw);

/**
 * vsl_nvme_firmware_result() - how Download or Commit ended (5.11.1, 5.12.1)
 * @status: NVME_STATUS_*
 * @end: filled in with enum vsl_media_firmware_end, where it is above 0 and the
 *	 image was taken
 *
 * A card that wants more than a reset has taken the image all the same.
 *
 * Context: any.
 * Return: 0, -EBADMSG, -EILSEQ, -ERANGE, -EACCES, -EOVERFLOW, -ECONNRESET, -EIO: see
 * struct vsl_media_update_ops; -EOPNOTSUPP it does not know the command.
 */
int vsl_nvme_firmware_result(u16 status, u32 *end);

#endif /* VSL_MEDIA_NVME_LOGS_H */
