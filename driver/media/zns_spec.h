/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * zns_spec.h - the words of zoned namespaces.
 *
 * As nvme_spec.h; sections are those of the NVM Express Zoned Namespace Command Set
 * Specification 1.1.
 */
#ifndef VSL_MEDIA_ZNS_SPEC_H
#define VSL_MEDIA_ZNS_SPEC_H

#include "nvme_spec.h"

/* Identifiers of command sets, and where Identify (CDW11) wants one. */
#define NVME_CSI_NVM		0u
#define NVME_CSI_ZONED		2u
#define NVME_IDENTIFY_CSI(csi)	((csi) << 24)

/* CNS of Identify for them (base specification 2.0, 5.17.2). */
#define NVME_CNS_DESCRIPTORS	0x03	/* list of identifiers of a namespace */
#define NVME_CNS_OF_SET		0x05	/* what a command set says of a namespace */

/* Commands (3.4). */
#define NVME_CMD_ZONE_SEND	0x79
#define NVME_CMD_ZONE_RECEIVE	0x7a

/* Zone Management Send, CDW13 (3.4.3): the action, for one zone. */
#define NVME_ZONE_FINISH	0x02u
#define NVME_ZONE_RESET		0x04u

/* Zone Management Receive, CDW13 (3.4.2): report all, as many as there is room for. */
#define NVME_ZONE_REPORT	0x00u
#define NVME_ZONE_PARTIAL	(1u << 16)

/* Status codes (3.1.1). */
#define NVME_SC_ZONE_BOUNDARY	NVME_STATUS(1u, 0xb8)
#define NVME_SC_ZONE_FULL	NVME_STATUS(1u, 0xb9)
#define NVME_SC_ZONE_READ_ONLY	NVME_STATUS(1u, 0xba)
#define NVME_SC_ZONE_OFFLINE	NVME_STATUS(1u, 0xbb)
#define NVME_SC_ZONE_WRITE	NVME_STATUS(1u, 0xbc)	/* not at the write pointer */
#define NVME_SC_TOO_MANY_ACTIVE	NVME_STATUS(1u, 0xbd)
#define NVME_SC_TOO_MANY_OPEN	NVME_STATUS(1u, 0xbe)
#define NVME_SC_ZONE_TRANSITION	NVME_STATUS(1u, 0xbf)

/**
 * struct nvme_id_descriptor - head of an entry of NVME_CNS_DESCRIPTORS
 * @type: what it tells; 0 ends the list
 * @bytes: how many follow
 */
struct nvme_id_descriptor {
	u8 type;
	u8 bytes;
	u8 reserved[2];
};

#define NVME_ID_TYPE_CSI	0x04	/* one byte */

static_assert(sizeof(struct nvme_id_descriptor) == 4);

/** struct nvme_zone_format - of a format of blocks: size of a zone, in blocks */
struct nvme_zone_format {
	__le64 zone_lbas;
	u8 descriptor_size;
	u8 reserved[7];
};

/**
 * struct nvme_id_zoned - 4096 bytes (4.1.5.1), of which these are used
 * @most_active: zones that may be active, less one; all ones for any
 * @most_open: the same of open ones
 * @format: as nvme_id_ns.lbaf
 */
struct nvme_id_zoned {
	__le16 zone_characteristics;
	__le16 optional;
	__le32 most_active;
	__le32 most_open;
	u8 recommended_to_rest[2816 - 12];
	struct nvme_zone_format format[64];
	u8 vendor[256];
};

#define NVME_ZONES_ANY		0xffffffffu

static_assert(sizeof(struct nvme_zone_format) == 16);
static_assert(offsetof(struct nvme_id_zoned, format) == 2816);
static_assert(sizeof(struct nvme_id_zoned) == 4096);

/**
 * struct nvme_zone - what is reported of a zone (3.4.2.2.3)
 * @type: bits 3:0 NVME_ZONE_SEQUENTIAL
 * @state: bits 7:4 NVME_ZONE_*
 * @capacity: blocks that can be written, from its start on
 * @start: its first block
 * @wp: the next block to be written; says nothing of zones that cannot be written
 */
struct nvme_zone {
	u8 type;
	u8 state;
	u8 attributes;
	u8 attributes_info;
	u8 reserved[4];
	__le64 capacity;
	__le64 start;
	__le64 wp;
	u8 rest[32];
};

#define NVME_ZONE_TYPE(zone)	((zone)->type & 0xf)
#define NVME_ZONE_SEQUENTIAL	2u
#define NVME_ZONE_STATE(zone)	((zone)->state >> 4)
#define NVME_ZONE_EMPTY		0x1u
#define NVME_ZONE_OPENED	0x2u	/* by a write */
#define NVME_ZONE_OPEN		0x3u
#define NVME_ZONE_CLOSED	0x4u
#define NVME_ZONE_RDONLY	0xdu
#define NVME_ZONE_FULL		0xeu
#define NVME_ZONE_OFFLINE	0xfu

/* What NVME_CMD_ZONE_RECEIVE answers with begins with how many zones follow. */
#define NVME_ZONES_A_PAGE	63u

/** struct nvme_zones - one page of a report (3.4.2.2.1) */
struct nvme_zones {
	__le64 nr;
	u8 reserved[56];
	struct nvme_zone zone[NVME_ZONES_A_PAGE];
};

static_assert(sizeof(struct nvme_zone) == 64);
static_assert(sizeof(struct nvme_zones) == NVME_PAGE_BYTES);

#endif /* VSL_MEDIA_ZNS_SPEC_H */
