/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nvme_spec.h - the words of NVM Express: registers, commands, structures.
 *
 * Only what the driver uses, in the words of the driver; sections are those of
 * the NVM Express Base Specification 1.4, which later ones kept compatible with.
 * Everything on the card is little-endian.  No structure has padding; their
 * sizes are asserted.
 *
 * The kernel's own <linux/nvme.h> is not used: it is another one in each kernel.
 */
#ifndef VSL_MEDIA_NVME_SPEC_H
#define VSL_MEDIA_NVME_SPEC_H

#include "../core/port.h"

/* The only page size that is used, whatever the kernel's is. */
#define NVME_PAGE_SHIFT		12
#define NVME_PAGE_BYTES		4096u

/* ---- registers (3.1), offsets in BAR 0 ---------------------------------- */

#define NVME_REG_CAP		0x00	/* 8 bytes: capabilities */
#define NVME_REG_VS		0x08	/* version */
#define NVME_REG_CC		0x14	/* configuration */
#define NVME_REG_CSTS		0x1c	/* status */
#define NVME_REG_AQA		0x24	/* sizes of the admin queues */
#define NVME_REG_ASQ		0x28	/* 8 bytes: admin submission queue */
#define NVME_REG_ACQ		0x30	/* 8 bytes: admin completion queue */
#define NVME_REG_DOORBELLS	0x1000

/* A register read that nobody answered. */
#define NVME_ALL_ONES		0xffffffffu

/* CAP (3.1.1) */
#define NVME_CAP_MQES(cap)	((u32)((cap) & 0xffff))	/* entries - 1 */
#define NVME_CAP_TO(cap)	((u32)((cap) >> 24 & 0xff))	/* 500 ms */
#define NVME_CAP_DSTRD(cap)	((u32)((cap) >> 32 & 0xf))	/* 4 << n bytes */
#define NVME_CAP_NVM(cap)	((u32)((cap) >> 37 & 1))	/* NVM command set */
#define NVME_CAP_ALL_SETS(cap)	((u32)((cap) >> 43 & 1)) /* tells of command sets */
#define NVME_CAP_MPSMIN(cap)	((u32)((cap) >> 48 & 0xf))	/* 4 KiB << n */

/* VS (3.1.2) */
#define NVME_VERSION(major, minor)	((u32)(major) << 16 | (minor) << 8)

/* CC (3.1.5) */
#define NVME_CC_ENABLE		(1u << 0)
#define NVME_CC_ALL_SETS	(6u << 4)	/* all command sets that it has */
#define NVME_CC_SHN_MASK	(3u << 14)
#define NVME_CC_SHN_NORMAL	(1u << 14)
#define NVME_CC_SQES		(6u << 16)	/* 64-byte commands */
#define NVME_CC_CQES		(4u << 20)	/* 16-byte completions */

/* CSTS (3.1.6) */
#define NVME_CSTS_READY		(1u << 0)
#define NVME_CSTS_FATAL		(1u << 1)
#define NVME_CSTS_SHST_MASK	(3u << 2)
#define NVME_CSTS_SHST_DONE	(2u << 2)

/* ---- commands (4.2), completions (4.6) ---------------------------------- */

/* Opcodes of the admin queue (5). */
#define NVME_ADMIN_CREATE_SQ	0x01
#define NVME_ADMIN_GET_LOG	0x02
#define NVME_ADMIN_CREATE_CQ	0x05
#define NVME_ADMIN_IDENTIFY	0x06
#define NVME_ADMIN_ABORT	0x08
#define NVME_ADMIN_SET_FEATURES	0x09
#define NVME_ADMIN_ASYNC_EVENT	0x0c
#define NVME_ADMIN_FW_COMMIT	0x10
#define NVME_ADMIN_FW_DOWNLOAD	0x11
#define NVME_ADMIN_DOORBELLS	0x7c	/* since 1.3 */

/* Opcodes of the NVM command set (6). */
#define NVME_CMD_FLUSH		0x00
#define NVME_CMD_WRITE		0x01
#define NVME_CMD_READ		0x02
#define NVME_CMD_DATASET	0x09

/* CNS of Identify (5.15). */
#define NVME_CNS_NAMESPACE	0x00
#define NVME_CNS_CONTROLLER	0x01
#define NVME_CNS_ACTIVE		0x02	/* since 1.1 */

/* Feature identifiers (5.21.1). */
#define NVME_FEAT_NR_QUEUES	0x07
#define NVME_FEAT_COALESCING	0x08
#define NVME_FEAT_ASYNC_EVENT	0x0b

/* Log page identifiers (5.14.1). */
#define NVME_LOG_ERROR		0x01
#define NVME_LOG_SMART		0x02
#define NVME_LOG_FIRMWARE	0x03
#define NVME_LOG_NAMESPACES	0x04	/* that have changed */

/* Create I/O Completion Queue, CDW11 (5.3). */
#define NVME_QUEUE_CONTIGUOUS	(1u << 0)
#define NVME_CQ_INTERRUPTS	(1u << 1)

/* Dataset Management, CDW11 (6.7). */
#define NVME_DATASET_DEALLOCATE	(1u << 2)

/**
 * struct nvme_sqe - a command
 * @opcode: NVME_ADMIN_*, NVME_CMD_*
 * @flags: fused operations, PRP or SGL; 0 here
 * @cid: what its completion will be known by
 * @nsid: namespace
 * @cdw2: command dwords 2 and 3
 * @mptr: bus address of separate metadata
 * @prp1: bus address of the first page of data
 * @prp2: of the second page, or of a list of the others
 * @cdw10: command dwords 10 to 15
 */
struct nvme_sqe {
	u8 opcode;
	u8 flags;
	__le16 cid;
	__le32 nsid;
	__le32 cdw2[2];
	__le64 mptr;
	__le64 prp1;
	__le64 prp2;
	__le32 cdw10[6];
};

/**
 * struct nvme_cqe - a completion
 * @result: of the command
 * @sq_head: how far the card has fetched commands
 * @sq_id: submission queue
 * @cid: of the command
 * @status: bit 0 the phase tag, the others NVME_STATUS_*
 */
struct nvme_cqe {
	__le32 result;
	__le32 reserved;
	__le16 sq_head;
	__le16 sq_id;
	__le16 cid;
	__le16 status;
};

/** struct nvme_range - one range of Dataset Management (6.7.1) */
struct nvme_range {
	__le32 attributes;
	__le32 lbas;
	__le64 slba;
};

static_assert(sizeof(struct nvme_sqe) == 64);
static_assert(sizeof(struct nvme_cqe) == 16);
static_assert(sizeof(struct nvme_range) == 16);

/* ---- status (4.6.1), without the phase tag ------------------------------- */

#define NVME_STATUS_CODE(status)	((status) & 0xff)
#define NVME_STATUS_TYPE(status)	((status) >> 8 & 0x7)
#define NVME_STATUS_DNR			(1u << 14)	/* do not retry */
#define NVME_STATUS(type, code)		((type) << 8 | (code))

#define NVME_TYPE_GENERIC	0u
#define NVME_TYPE_COMMAND	1u
#define NVME_TYPE_MEDIA		2u
#define NVME_TYPE_PATH		3u
#define NVME_TYPE_VENDOR	7u

#define NVME_SC_INVALID_OPCODE	NVME_STATUS(0u, 0x01)
#define NVME_SC_INVALID_FIELD	NVME_STATUS(0u, 0x02)
#define NVME_SC_CID_CONFLICT	NVME_STATUS(0u, 0x03)
#define NVME_SC_ABORTED		NVME_STATUS(0u, 0x07)	/* it was asked to */
#define NVME_SC_QUEUE_DELETED	NVME_STATUS(0u, 0x08)
#define NVME_SC_INVALID_NS	NVME_STATUS(0u, 0x0b)
#define NVME_SC_SEQUENCE	NVME_STATUS(0u, 0x0c)
#define NVME_SC_PRP_OFFSET	NVME_STATUS(0u, 0x13)
#define NVME_SC_READ_ONLY	NVME_STATUS(0u, 0x20)
#define NVME_SC_LBA_RANGE	NVME_STATUS(0u, 0x80)
#define NVME_SC_CAPACITY	NVME_STATUS(0u, 0x81)
#define NVME_SC_FW_SLOT		NVME_STATUS(1u, 0x06)
#define NVME_SC_FW_IMAGE	NVME_STATUS(1u, 0x07)
#define NVME_SC_FW_NEEDS_RESET	NVME_STATUS(1u, 0x0b)	/* of its bus */
#define NVME_SC_FW_NEEDS_POWER	NVME_STATUS(1u, 0x10)	/* of all of it */
#define NVME_SC_FW_NEEDS_CTRL	NVME_STATUS(1u, 0x11)	/* of the controller */
#define NVME_SC_FW_TOO_LONG	NVME_STATUS(1u, 0x12)	/* more than it may pause */
#define NVME_SC_FW_PROHIBITED	NVME_STATUS(1u, 0x13)
#define NVME_SC_FW_OVERLAP	NVME_STATUS(1u, 0x14)
#define NVME_SC_CONFLICT	NVME_STATUS(1u, 0x80)
#define NVME_SC_BAD_PROTECTION	NVME_STATUS(1u, 0x81)
#define NVME_SC_RANGE_READ_ONLY	NVME_STATUS(1u, 0x82)
#define NVME_SC_WRITE_FAULT	NVME_STATUS(2u, 0x80)
#define NVME_SC_READ_ERROR	NVME_STATUS(2u, 0x81)
#define NVME_SC_UNWRITTEN	NVME_STATUS(2u, 0x87)
#define NVME_SC_HOST_ABORTED	NVME_STATUS(3u, 0x71)

/* ---- Identify Controller (5.15.2.2) -------------------------------------- */

/**
 * struct nvme_id_ctrl - 4096 bytes, of which these are used
 * @sn: serial number, blanks at its end, as in @mn and @fr
 * @mn: model number
 * @fr: firmware revision
 * @mdts: most data of one command, 4 KiB << n; 0 for any
 * @rtd3e_us: how long a shutdown takes
 * @aerl: most Asynchronous Event Requests, less one
 * @acl: most Abort commands at once, less one
 * @frmw: NVME_FRMW_*
 * @fwug: pieces of a firmware image are multiples of so many 4 KiB; 0 it does not
 *	  say, 255 of anything
 * @sqes: sizes of a command, powers of two: least in the low half
 * @cqes: the same of a completion
 * @nn: highest namespace identifier
 * @oacs: NVME_OACS_*
 * @oncs: NVME_ONCS_*
 * @vwc: bit 0: there is a volatile write cache
 */
struct nvme_id_ctrl {
	u8 ids[4];
	char sn[20];
	char mn[40];
	char fr[8];
	u8 rab_to_cmic[5];
	u8 mdts;
	__le16 cntlid;
	__le32 ver;
	__le32 rtd3r_us;
	__le32 rtd3e_us;
	__le32 oaes;
	u8 ctratt_to_crdt[160];
	__le16 oacs;
	u8 acl;
	u8 aerl;
	u8 frmw;
	u8 lpa_to_dsto[58];
	u8 fwug;
	u8 kas_to_megcap[192];
	u8 sqes;
	u8 cqes;
	__le16 maxcmd;
	__le32 nn;
	__le16 oncs;
	__le16 fuses;
	u8 fna;
	u8 vwc;
	u8 rest[4096 - 526];
};

#define NVME_OACS_FIRMWARE	(1u << 2)
#define NVME_OACS_DOORBELLS	(1u << 8)
#define NVME_FRMW_SLOT1_FIXED	(1u << 0)	/* slot 1 cannot be written */
#define NVME_FRMW_SLOTS(frmw)	((frmw) >> 1 & 0x7)
#define NVME_FWUG_ANY		255u
#define NVME_OAES_NAMESPACES	(1u << 8)
#define NVME_OAES_FIRMWARE	(1u << 9)
#define NVME_ONCS_DATASET	(1u << 2)
#define NVME_VWC_PRESENT	(1u << 0)

static_assert(offsetof(struct nvme_id_ctrl, mdts) == 77);
static_assert(offsetof(struct nvme_id_ctrl, rtd3e_us) == 88);
static_assert(offsetof(struct nvme_id_ctrl, oaes) == 92);
static_assert(offsetof(struct nvme_id_ctrl, oacs) == 256);
static_assert(offsetof(struct nvme_id_ctrl, frmw) == 260);
static_assert(offsetof(struct nvme_id_ctrl, fwug) == 319);
static_assert(offsetof(struct nvme_id_ctrl, sqes) == 512);
static_assert(offsetof(struct nvme_id_ctrl, vwc) == 525);
static_assert(sizeof(struct nvme_id_ctrl) == 4096);

/* ---- Identify Namespace (5.15.2.1) --------------------------------------- */

/** struct nvme_lba_format - @meta_bytes and 1 << @lba_shift bytes of data */
struct nvme_lba_format {
	__le16 meta_bytes;
	u8 lba_shift;
	u8 performance;
};

/**
 * struct nvme_id_ns - 4096 bytes, of which these are used
 * @nsze: size in logical blocks
 * @ncap: how many of them can be in use
 * @nlbaf: formats, less one
 * @flbas: bits 3:0 and 6:5 the format in use; bit 4 metadata is interleaved
 * @dps: bits 2:0 kind of protection information, 0 for none
 * @nsattr: bit 0: write protected
 * @lbaf: formats
 */
struct nvme_id_ns {
	__le64 nsze;
	__le64 ncap;
	__le64 nuse;
	u8 nsfeat;
	u8 nlbaf;
	u8 flbas;
	u8 mc;
	u8 dpc;
	u8 dps;
	u8 nmic_to_anagrpid[69];
	u8 nsattr;
	u8 nvmsetid_to_eui64[28];
	struct nvme_lba_format lbaf[64];
	u8 vendor[4096 - 384];
};

#define NVME_FLBAS_INDEX(flbas)	(((flbas) & 0xf) | ((flbas) >> 1 & 0x30))
#define NVME_FLBAS_INTERLEAVED	(1u << 4)
#define NVME_DPS_KIND		0x7u
#define NVME_NSATTR_PROTECTED	(1u << 0)

static_assert(offsetof(struct nvme_id_ns, nsattr) == 99);
static_assert(offsetof(struct nvme_id_ns, lbaf) == 128);
static_assert(offsetof(struct nvme_id_ns, vendor) == 384);
static_assert(sizeof(struct nvme_id_ns) == 4096);

/* ---- SMART / Health Information (5.14.1.2) -------------------------------- */

/**
 * struct nvme_smart - 512 bytes, of which these are used
 * @warnings: NVME_WARN_*
 * @temp_kelvin: composite temperature
 * @spare_percent: spare left
 * @spare_warn_percent: below it the card warns
 * @used_percent: of its life
 * @errors: entries that the error log has had, ever; the low half
 */
struct nvme_smart {
	u8 warnings;
	u8 temp_kelvin[2];
	u8 spare_percent;
	u8 spare_warn_percent;
	u8 used_percent;
	u8 endurance_to_integrity[170];
	__le64 errors;
	u8 rest[512 - 184];
};

#define NVME_WARN_SPARE		(1u << 0)
#define NVME_WARN_TEMPERATURE	(1u << 1)
#define NVME_WARN_RELIABILITY	(1u << 2)
#define NVME_WARN_READ_ONLY	(1u << 3)
#define NVME_WARN_BACKUP	(1u << 4)

static_assert(offsetof(struct nvme_smart, errors) == 176);
static_assert(sizeof(struct nvme_smart) == 512);

/* ---- Error Information (5.14.1.1), Firmware Slot Information (5.14.1.3) ---- */

/**
 * struct nvme_error - one entry of the error log, the newest comes first
 * @count: number of this error, ever; 0: there is no entry
 * @sq_id: the queue of its command
 * @cid: its identifier there
 * @status: as in struct nvme_cqe, phase tag included
 * @where: byte and bit of the command that was wrong
 * @lba: the first that it is about
 * @nsid: namespace
 * @opcode: of its command, where @version is 1 or more (since 2.0)
 * @version: of this layout
 */
struct nvme_error {
	__le64 count;
	__le16 sq_id;
	__le16 cid;
	__le16 status;
	__le16 where;
	__le64 lba;
	__le32 nsid;
	u8 vendor_to_csi[3];
	u8 opcode;
	u8 info_to_rest[31];
	u8 version;
};

static_assert(offsetof(struct nvme_error, opcode) == 31);
static_assert(offsetof(struct nvme_error, version) == 63);
static_assert(sizeof(struct nvme_error) == 64);

/* The queue of an error that is of no command. */
#define NVME_ERROR_NO_QUEUE	0xffffu

#define NVME_FIRMWARE_SLOTS	7u

/**
 * struct nvme_firmware - 512 bytes, of which these are used
 * @afi: bits 2:0 the slot that runs, bits 6:4 that of the next reset, or 0
 * @slot: what is in each, text; zeros: nothing
 */
struct nvme_firmware {
	u8 afi;
	u8 pad[7];
	char slot[NVME_FIRMWARE_SLOTS][8];
	u8 rest[512 - 64];
};

static_assert(sizeof(struct nvme_firmware) == 512);

/* Firmware Commit, CDW10 (5.11): replace what is in the slot, run it then. */
#define NVME_FW_SLOT(nr)	((nr) & 0x7)
#define NVME_FW_AT_RESET	(1u << 3)
#define NVME_FW_NOW		(3u << 3)

/* Asynchronous Event Request, result (5.2.1). */
#define NVME_EVENT_TYPE(result)	((result) & 0x7)
#define NVME_EVENT_LOG(result)	((result) >> 16 & 0xff)
#define NVME_EVENT_ERROR	0u
#define NVME_EVENT_SMART	1u
#define NVME_EVENT_NOTICE	2u

#endif /* VSL_MEDIA_NVME_SPEC_H */
