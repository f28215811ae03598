/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * openvsl.h - the ioctl ABI of OpenVSL, shared by the driver and the tools.
 *
 * Two kinds of nodes:
 *   /dev/openvsl  one for the driver: version, simulated cards
 *   /dev/fctN     one for a card, N in probe order
 *
 * Rules of the ABI
 *   - every structure starts with its own size, as the caller knows it; the
 *     driver takes a larger one whose unknown tail is zero, and a smaller one
 *     as long as it holds the first version's fields (-EINVAL, -E2BIG);
 *   - fixed-width fields, 64-bit ones aligned, all padding explicit and zero
 *     (-EINVAL otherwise);
 *   - strings are NUL-terminated and padded with NUL;
 *   - whatever changes something needs CAP_SYS_ADMIN (-EPERM); INFO, LOGS and
 *     VERSION do not;
 *   - numbers are never used again.
 */
#ifndef _UAPI_OPENVSL_H
#define _UAPI_OPENVSL_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define OPENVSL_ABI_MAJOR	1
#define OPENVSL_ABI_MINOR	2

#define OPENVSL_NODE		"openvsl"
#define OPENVSL_CARDS_MAX	256

/**
 * struct openvsl_version - OPENVSL_IOC_VERSION on /dev/openvsl
 * @size: of this structure
 * @abi_major: OPENVSL_ABI_MAJOR; another one: do not talk to it
 * @abi_minor: OPENVSL_ABI_MINOR; a higher one only adds
 * @cards: bitmap of the cards that exist, bit N of word N / 32 for fctN
 * @driver: version of the driver, text
 */
struct openvsl_version {
	__u32 size;
	__u16 abi_major;
	__u16 abi_minor;
	__u32 cards[OPENVSL_CARDS_MAX / 32];
	char driver[64];
};

/* States of a card; the numbers are those of FUSIONIO-IODIMM-MIB. */
enum openvsl_state {
	OPENVSL_STATE_UNKNOWN = 0,
	OPENVSL_STATE_DETACHED = 1,
	OPENVSL_STATE_ATTACHED = 2,
	OPENVSL_STATE_MINIMAL = 3,
	OPENVSL_STATE_ERROR = 4,
	OPENVSL_STATE_DETACHING = 5,
	OPENVSL_STATE_ATTACHING = 6,
	OPENVSL_STATE_SCANNING = 7,
	OPENVSL_STATE_FORMATTING = 8,
	OPENVSL_STATE_UPDATING = 9,
};

/* Why a card is in minimal mode; numbers as in the MIB. */
enum openvsl_minimal_reason {
	OPENVSL_MINIMAL_UNKNOWN = 0,
	OPENVSL_MINIMAL_FORCED = 4,
	OPENVSL_MINIMAL_INTERNAL = 5,
	OPENVSL_MINIMAL_NOT = 7,		/* not in minimal mode */
	OPENVSL_MINIMAL_NO_MEMORY = 9,
	OPENVSL_MINIMAL_UNSUPPORTED_NAND = 12,
	OPENVSL_MINIMAL_DRIVER_OUTDATED = 13,	/* format from the future */
	OPENVSL_MINIMAL_HARDWARE = 14,
	OPENVSL_MINIMAL_FORMAT_OUTDATED = 100,	/* format of an older version; not
						 * in the MIB */
};

/* Why health is not good, info.reduced_reason; numbers as in the MIB.  Others of
 * the MIB (memory, power, adapter) do not occur. */
enum openvsl_reduced_reason {
	OPENVSL_REDUCED_NONE = 0,
	OPENVSL_REDUCED_USER = 1,		/* attached read-only */
	OPENVSL_REDUCED_NO_MD_BLOCKS = 2,	/* metadata cannot be written */
	OPENVSL_REDUCED_DIE_FAILURE = 4,	/* a parallel unit has failed */
	OPENVSL_REDUCED_WEAROUT = 5,		/* the reserve is used up */
	OPENVSL_REDUCED_INTERNAL = 7,		/* recovery did not come to an end */
	OPENVSL_REDUCED_GROOM_FAILS = 10,	/* space cannot be reclaimed */
};

enum openvsl_health {
	OPENVSL_HEALTHY = 0,
	OPENVSL_WRITE_REDUCED = 1,
	OPENVSL_READ_ONLY = 2,
};

#define OPENVSL_INFO_VIRTUAL	(1u << 0)	/* simulated card */
#define OPENVSL_INFO_FORMATTED	(1u << 1)
#define OPENVSL_INFO_CLEAN	(1u << 2)	/* last detach was clean */
#define OPENVSL_INFO_PLP	(1u << 3)	/* power-loss protection */
#define OPENVSL_INFO_BUSY	(1u << 4)	/* block device is open */
#define OPENVSL_INFO_PARITY	(1u << 5)	/* formatted with parity */
#define OPENVSL_INFO_LINEAR	(1u << 6)	/* a disk, cut into units and erase units:
						 * see OPENVSL_IOC_PEEK */

/**
 * struct openvsl_info - OPENVSL_IOC_INFO on /dev/fctN: all of a card's status
 *
 * Byte counts are bytes, temperatures thousandths of a degree (INT32_MIN where
 * there is no sensor), fractions 1/10000.  Counters may be a tenth of a second
 * old.
 *
 * Errors: -ENODEV the card is removed.
 */
struct openvsl_info {
	__u32 size;
	__u32 card;			/* N of /dev/fctN */
	__u32 state;			/* enum openvsl_state */
	__u32 minimal_reason;		/* enum openvsl_minimal_reason */
	__u32 health;			/* enum openvsl_health */
	__u32 reduced_reason;		/* enum openvsl_reduced_reason */
	__u32 flags;			/* OPENVSL_INFO_* */
	__s32 last_error;		/* negative errno of the last attach,
					 * format or detach; 0 */
	__u32 progress_permille;	/* of the state's work, else 1000 */
	__u32 sector_bytes;
	__u64 capacity_bytes;		/* formatted size; 0 unformatted */
	__u64 factory_bytes;		/* on the label */
	__u64 advertised_bytes;		/* default format */
	__u64 max_bytes;		/* with overformat */
	__u64 physical_bytes;
	__u32 units;
	__u32 eus;
	__u32 eu_blocks;
	__u32 format_version;
	__u8 format_uuid[16];
	__u64 format_ts;		/* seconds since 1970 */
	__u64 generation;
	__u32 pci_domain;		/* all-ones: no PCI device */
	__u8 pci_bus;
	__u8 pci_slot;
	__u8 pci_function;
	__u8 pad0;
	__u16 pci_vendor;
	__u16 pci_device;
	__u16 pci_subvendor;
	__u16 pci_subdevice;
	char disk[32];			/* "fioa", empty when not attached */
	char model[48];
	char serial[24];
	char firmware[16];
	__s32 temp_millic;
	__s32 temp_max_millic;
	__u32 spare_permyriad;		/* reserve left */
	__u32 spare_warn_permyriad;
	__u32 active_permyriad;		/* erase units in use */
	__u32 erase_cycles;		/* rated, 0 unknown */
	__u32 erase_min;
	__u32 erase_max;
	__u64 erase_sum;
	__u32 eus_total;
	__u32 eus_bad;
	__u64 host_read_bytes;		/* lifetime */
	__u64 host_written_bytes;
	__u64 media_read_bytes;		/* lifetime, physical */
	__u64 media_written_bytes;
	__u64 lost_blocks;
	__u64 ram_bytes;
	__u64 ram_peak_bytes;
	__u64 session_read_ops;
	__u64 session_write_ops;
	__u64 session_moved_bytes;
	__u64 session_erased_bytes;
	__u64 attach_ns;		/* how long the last attach took */
	__u64 attach_read_bytes;	/* what it read */
	__u64 groom_debt_bytes;
	__u64 mapped_bytes;
	__u64 segments;
	__u64 segments_free;
	__u64 corrupt_blocks;		/* reads that were not what they should
					 * be, lifetime */
	__u64 scrub_blocks;		/* read to see whether they can be, of */
	__u64 scrub_bad;		/* which so many were bad; lifetime */
	__s64 scrub_pass_ts;		/* when all was read last, since 1970; 0
					 * not since the last attach */
	__u64 session_refreshed_bytes;	/* moved because of their age or reads */
	__u64 session_levelled_bytes;	/* moved to level wear */
	__u64 rebuilt_blocks;		/* made again from parity, lifetime */
	__u64 pad1;
};

/**
 * struct openvsl_format - OPENVSL_IOC_FORMAT on /dev/fctN
 * @size: of this structure
 * @sector_bytes: 512 or 4096
 * @capacity_bytes: size of the disk; 0 for the advertised one
 * @flags: OPENVSL_FORMAT_*
 * @pad: zero
 * @uuid: all zero: the driver makes one
 *
 * Blocks until it is done; a signal stops it (-EINTR); another descriptor can
 * follow progress by OPENVSL_IOC_INFO.
 *
 * Errors: -EBUSY attached, or another operation is under way; -EINVAL sector
 * size or padding; -ERANGE capacity; -EUCLEAN flash of a kind that is not
 * supported; -ENODEV gone; -EIO too many bad erase units; -EINTR; -ENOMEM;
 * -EPERM.
 */
struct openvsl_format {
	__u32 size;
	__u32 sector_bytes;
	__u64 capacity_bytes;
	__u32 flags;
	__u32 pad;
	__u8 uuid[16];
};

#define OPENVSL_FORMAT_OVER	(1u << 0)	/* above the advertised size */
#define OPENVSL_FORMAT_PARITY	(1u << 1)	/* survive the loss of one unit; needs
						 * three, and the room of two */

/**
 * struct openvsl_attach - OPENVSL_IOC_ATTACH on /dev/fctN
 * @size: of this structure
 * @flags: OPENVSL_ATTACH_*
 *
 * Blocks until the block device exists.
 *
 * Errors: -EALREADY attached; -EBUSY another operation is under way;
 * -ENODATA not formatted; -EUCLEAN unclean and CLEAN_ONLY was asked;
 * -EPROTO format of a newer version, -ESTALE of an older one; -EMEDIUMTYPE format
 * of another geometry;
 * -EOPNOTSUPP RESCAN, which is not there yet, or READ_ONLY on a card with a read
 * hole that has an open erase unit, which has to be written before it can be read;
 * -EIO metadata unreadable; -ENOMEM; -ENODEV gone; -EPERM.
 */
struct openvsl_attach {
	__u32 size;
	__u32 flags;
};

#define OPENVSL_ATTACH_CLEAN_ONLY	(1u << 0)
#define OPENVSL_ATTACH_RESCAN		(1u << 1)
#define OPENVSL_ATTACH_READ_ONLY	(1u << 2)

/**
 * struct openvsl_detach - OPENVSL_IOC_DETACH on /dev/fctN
 * @size: of this structure
 * @flags: zero
 *
 * Errors: -EBUSY open, mounted, part of md or dm, or another operation is
 * under way; -ENOTCONN not attached; -EIO detached, but not clean; -ENODEV gone;
 * -EPERM.
 */
struct openvsl_detach {
	__u32 size;
	__u32 flags;
};

/**
 * struct openvsl_beacon - OPENVSL_IOC_BEACON on /dev/fctN
 * @size: of this structure
 * @on: 0 or 1
 *
 * Errors: -EOPNOTSUPP no LEDs; -EINVAL; -EPERM.
 */
struct openvsl_beacon {
	__u32 size;
	__u32 on;
};

/**
 * struct openvsl_peek - OPENVSL_IOC_PEEK on /dev/fctN
 * @size: of this structure
 * @unit: parallel unit
 * @eu: erase unit of it
 * @off: block of that
 * @buf: user address; 4096 bytes go there
 *
 * Reads one block of a card that is not attached, whatever it is.  Where the card
 * is OPENVSL_INFO_LINEAR, that block is on the disk beneath at byte
 * ((eu * info.units + unit) * info.eu_blocks + off) * 4096.
 *
 * Errors: -EBUSY attached, or another operation is under way; -ERANGE no such
 * place; -ENODATA never written; -EIO it cannot be read; -ENODEV no power, or the
 * card is removed; -ENOMEM; -EFAULT; -EPERM.
 */
struct openvsl_peek {
	__u32 size;
	__u32 unit;
	__u32 eu;
	__u32 off;
	__u64 buf;
};

#define OPENVSL_SLOTS		7	/* of firmware, at most */

#define OPENVSL_UPDATE_NOW	(1u << 0)	/* run it at once, not after a reset */

/* When a new firmware runs. */
enum openvsl_update_end {
	OPENVSL_UPDATE_AT_RESET = 0,	/* when the card is reset: bound again */
	OPENVSL_UPDATE_AT_BOOT = 1,	/* when the machine is started again */
	OPENVSL_UPDATE_AT_POWER = 2,	/* when the card was without power */
	OPENVSL_UPDATE_RUNS = 3,	/* it does already */
};

/**
 * struct openvsl_update - OPENVSL_IOC_UPDATE on /dev/fctN: another firmware
 * @size: of this structure
 * @flags: OPENVSL_UPDATE_NOW
 * @buf: user address of the image
 * @bytes: of the image, a multiple of 4, at most 64 MiB
 * @slot: of the card, where the firmware goes; 0: the card chooses
 * @end: zero; answer: enum openvsl_update_end
 * @pad: zero
 *
 * Blocks until the card has taken it; a signal stops it before (-EINTR), and the
 * card keeps what it has.  Another descriptor can follow progress by
 * OPENVSL_IOC_INFO.  What is on the card stays, and an attached disk goes on.
 * Since ABI 1.2.
 *
 * Errors: -EOPNOTSUPP the card takes none; -EBUSY another operation is under way,
 * or OPENVSL_UPDATE_NOW and it is attached; -EINVAL; -ERANGE no such slot, or it
 * cannot be written; -EBADMSG the card says that this is no firmware for it;
 * -EILSEQ that it has another piece of the same place; -EACCES that it does not
 * allow this one; -EOVERFLOW that it cannot run it at once; -ECONNRESET it was
 * reset meanwhile; -ETIME it does not answer; -EIO other failures; -ENODEV gone;
 * -EINTR; -ENOMEM; -EFAULT; -EPERM.
 */
struct openvsl_update {
	__u32 size;
	__u32 flags;
	__u64 buf;
	__u32 bytes;
	__u32 slot;
	__u32 end;
	__u32 pad;
};

#define OPENVSL_LOGS_FIRMWARE	(1u << 0)	/* active, next and slot are known */
#define OPENVSL_LOGS_ERRORS	(1u << 1)	/* errors is known */
#define OPENVSL_LOGS_LAST	(1u << 2)	/* and what the last of them was */
#define OPENVSL_LOGS_UPDATE	(1u << 3)	/* OPENVSL_IOC_UPDATE is possible */
#define OPENVSL_LOGS_SLOT1_FIXED	(1u << 4)	/* but not for slot 1 */
#define OPENVSL_LOGS_COMMAND	(1u << 5)	/* error_opcode is known */
#define OPENVSL_LOGS_NO_QUEUE	0xffffu

/**
 * struct openvsl_logs - OPENVSL_IOC_LOGS on /dev/fctN: what the card's logs say
 * @size: of this structure
 * @flags: OPENVSL_LOGS_*
 * @slots: of firmware
 * @active: the slot that runs, from 1 on; 0 unknown
 * @next: the one that the next reset starts; 0: the same
 * @error_status: of the last error: NVMe status, type << 8 | code
 * @error_part: its namespace
 * @error_queue: of its command; 0: one of administration; OPENVSL_LOGS_NO_QUEUE: it
 *	is of no command
 * @error_opcode: of its command
 * @slot: what is in each slot, text; empty: nothing
 * @errors: entries that the card's own error log has had, ever
 * @error_lba: of the last: the first block of the namespace that it is about
 *
 * As they were read last; the card is not asked.  All zero: it has none.  Since
 * ABI 1.2.
 *
 * Errors: -ENODEV the card is removed.
 */
struct openvsl_logs {
	__u32 size;
	__u32 flags;
	__u32 slots;
	__u32 active;
	__u32 next;
	__u32 error_status;
	__u32 error_part;
	__u32 error_queue;
	__u32 error_opcode;
	char slot[OPENVSL_SLOTS][12];
	__u64 errors;
	__u64 error_lba;
};

/* ---- simulated cards ---------------------------------------------------- */

#define OPENVSL_PRESET_BYTES	24

/**
 * struct openvsl_sim_create - OPENVSL_IOC_SIM_CREATE on /dev/openvsl
 * @size: of this structure
 * @flags: OPENVSL_SIM_*
 * @capacity_bytes: advertised capacity, 16 MiB to 16 TiB
 * @seed: of everything random in it
 * @preset: "slc160", "fast", ...; see openvsl(8)
 * @card: answer: N of the new /dev/fctN
 * @pad: zero
 *
 * The card starts blank (unformatted) and detached.
 *
 * Errors: -EINVAL unknown preset, flags; -ERANGE capacity; -ENOSPC no card
 * number left; -ENOMEM; -EPERM.
 */
struct openvsl_sim_create {
	__u32 size;
	__u32 flags;
	__u64 capacity_bytes;
	__u64 seed;
	char preset[OPENVSL_PRESET_BYTES];
	__u32 card;
	__u32 pad;
};

#define OPENVSL_SIM_TIMED	(1u << 0)	/* keep the preset's times */

enum openvsl_sim_power {
	OPENVSL_SIM_CUT = 0,	/* tear what is under way, answer nothing */
	OPENVSL_SIM_ON = 1,	/* back again; the card is detached */
};

/**
 * struct openvsl_sim_power_arg - OPENVSL_IOC_SIM_POWER on /dev/fctN
 * @size: of this structure
 * @power: enum openvsl_sim_power
 *
 * After a cut I/O ends with EIO and the card's state is error: at once, or when
 * the operation that was under way has ended, which the cut makes it do.  Once
 * its users are gone, power on makes it detached (INFO_CLEAN not set), ready to
 * attach.
 *
 * Errors: -EOPNOTSUPP not simulated; -EALREADY has that power; -EBUSY power on
 * while the dead block device is still open, or another operation is under way;
 * -ENODEV the card is removed; -EINVAL; -EPERM.
 */
struct openvsl_sim_power_arg {
	__u32 size;
	__u32 power;
};

#define OPENVSL_FAULT_BYTES	24

/**
 * struct openvsl_sim_fault - OPENVSL_IOC_SIM_FAULT on /dev/fctN
 * @size: of this structure
 * @pad: zero
 * @name: which fault: "read-lost", "read-transient", "program-fail",
 *	"erase-fail", "corrupt", "slow", ...; see openvsl(8)
 * @unit: parallel unit, all-ones for any
 * @eu: erase unit, all-ones for any
 * @block: block in it, all-ones for any
 * @count: how many times; 0 takes the fault back
 * @every: fire on each @every-th match; 0 and 1: each
 * @pad1: zero
 * @value: what the fault takes (slow: nanoseconds)
 *
 * Errors: -EOPNOTSUPP not simulated; -EINVAL unknown name or place, or no such
 * fault to take back; -ENOSPC too many faults planted; -ENODEV the card is
 * removed; -EPERM.
 */
struct openvsl_sim_fault {
	__u32 size;
	__u32 pad;
	char name[OPENVSL_FAULT_BYTES];
	__u32 unit;
	__u32 eu;
	__u32 block;
	__u32 count;
	__u32 every;
	__u32 pad1;
	__u64 value;
};

/**
 * struct openvsl_sim_image - OPENVSL_IOC_SIM_IMAGE on /dev/fctN
 * @size: of this structure
 * @write: 0 read from the image, 1 write to it
 * @offset: in the image file, a multiple of 4096
 * @buf: user address
 * @bytes: 1 to 1 MiB, a multiple of 4096; at the end, answer: how much was done
 * @pad: zero
 * @total_bytes: answer: size of the whole image file
 *
 * The card must be detached.  Writing starts at offset 0; the geometry in the
 * first block must be the card's own.  docs/FORMAT.md describes the file.
 *
 * Errors: -EOPNOTSUPP not simulated; -EBUSY attached, or another operation is
 * under way; -EINVAL offsets; -EBADMSG not an image, damaged, or of another
 * geometry; -ENODEV no power, or the card is removed; -ENOMEM; -EFAULT; -EPERM.
 */
struct openvsl_sim_image {
	__u32 size;
	__u32 write;
	__u64 offset;
	__u64 buf;
	__u32 bytes;
	__u32 pad;
	__u64 total_bytes;
};

/**
 * struct openvsl_sim_destroy - OPENVSL_IOC_SIM_DESTROY on /dev/fctN
 * @size: of this structure
 * @flags: zero
 *
 * Errors: -EOPNOTSUPP not simulated; -EBUSY attached or busy; -ENODEV the card is
 * removed; -EPERM.
 */
struct openvsl_sim_destroy {
	__u32 size;
	__u32 flags;
};

#define OPENVSL_IOC_MAGIC	0xF1
#define OPENVSL_IOC_VERSION	_IOWR(OPENVSL_IOC_MAGIC, 0x00, struct openvsl_version)
#define OPENVSL_IOC_INFO	_IOWR(OPENVSL_IOC_MAGIC, 0x01, struct openvsl_info)
#define OPENVSL_IOC_FORMAT	_IOW(OPENVSL_IOC_MAGIC, 0x02, struct openvsl_format)
#define OPENVSL_IOC_ATTACH	_IOW(OPENVSL_IOC_MAGIC, 0x03, struct openvsl_attach)
#define OPENVSL_IOC_DETACH	_IOW(OPENVSL_IOC_MAGIC, 0x04, struct openvsl_detach)
#define OPENVSL_IOC_BEACON	_IOW(OPENVSL_IOC_MAGIC, 0x05, struct openvsl_beacon)
#define OPENVSL_IOC_PEEK	_IOW(OPENVSL_IOC_MAGIC, 0x06, struct openvsl_peek)
#define OPENVSL_IOC_UPDATE	_IOWR(OPENVSL_IOC_MAGIC, 0x07, struct openvsl_update)
#define OPENVSL_IOC_LOGS	_IOWR(OPENVSL_IOC_MAGIC, 0x08, struct openvsl_logs)
#define OPENVSL_IOC_SIM_CREATE	_IOWR(OPENVSL_IOC_MAGIC, 0x40, struct openvsl_sim_create)
#define OPENVSL_IOC_SIM_DESTROY	_IOW(OPENVSL_IOC_MAGIC, 0x41, struct openvsl_sim_destroy)
#define OPENVSL_IOC_SIM_POWER	_IOW(OPENVSL_IOC_MAGIC, 0x42, struct openvsl_sim_power_arg)
#define OPENVSL_IOC_SIM_FAULT	_IOW(OPENVSL_IOC_MAGIC, 0x43, struct openvsl_sim_fault)
#define OPENVSL_IOC_SIM_IMAGE	_IOWR(OPENVSL_IOC_MAGIC, 0x44, struct openvsl_sim_image)

#endif /* _UAPI_OPENVSL_H */
