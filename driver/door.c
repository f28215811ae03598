// SPDX-License-Identifier: GPL-2.0-only
/*
 * door.c - what may come in through an ioctl.
 *
 * Everything that a caller can get wrong in a structure is looked at here, by
 * functions that see the structure and nothing else: no locks, no state, no
 * kernel.  User space compiles this file too, to fuzz it.
 *
 * What the checks cannot know (is there such a preset, is the card attached) is
 * found out by whoever does the work.
 */
#include "door.h"

#define SIZE_512	512u
#define SIZE_4096	4096u

#define SIM_CAPACITY_MIN	(16ull << 20)
#define SIM_CAPACITY_MAX	(16ull << 40)
#define FIRMWARE_BYTES_MAX	(64u << 20)
#define IMAGE_BYTES_MAX		(256 * SIZE_4096)

bool vsl_door_is_zero(const void *mem, size_t bytes)
{
	const u8 *byte = mem;

	while (bytes--) {
		if (*byte++)
			return false;
	}
	return true;
}

/* A name: not empty, ends within its field, nothing behind its end. */
static bool is_name(const char *field, size_t bytes)
{
	size_t len = 0;

	while (len < bytes && field[len])
		len++;
	return len && len < bytes && vsl_door_is_zero(field + len, bytes - len);
}

static int check_format(const void *arg)
{
	const struct openvsl_format *format = arg;

	if (format->sector_bytes != SIZE_512 &&
	    format->sector_bytes != SIZE_4096)
		return -EINVAL;
	if (format->flags & ~(OPENVSL_FORMAT_OVER | OPENVSL_FORMAT_PARITY) ||
	    format->pad)
		return -EINVAL;
	if (format->capacity_bytes % SIZE_4096)
		return -ERANGE;
	return 0;
}

static int check_attach(const void *arg)
{
	const struct openvsl_attach *attach = arg;
	const u32 known = OPENVSL_ATTACH_CLEAN_ONLY | OPENVSL_ATTACH_RESCAN |
			  OPENVSL_ATTACH_READ_ONLY;

	return attach->flags & ~known ? -EINVAL : 0;
}

static int check_detach(const void *arg)
{
	const struct openvsl_detach *detach = arg;

	return detach->flags ? -EINVAL : 0;
}

static int check_beacon(const void *arg)
{
	const struct openvsl_beacon *beacon = arg;

	return beacon->on > 1 ? -EINVAL : 0;
}

static int check_update(const void *arg)
{
	const struct openvsl_update *update = arg;

	if (update->flags & ~OPENVSL_UPDATE_NOW || update->end || update->pad)
		return -EINVAL;
	if (update->slot > OPENVSL_SLOTS)
		return -EINVAL;
	if (!update->bytes || update->bytes % 4 ||
	    update->bytes > FIRMWARE_BYTES_MAX)
		return -EINVAL;
	return 0;
}

static int check_sim_create(const void *arg)
{
	const struct openvsl_sim_create *create = arg;

	if (create->flags & ~OPENVSL_SIM_TIMED || create->pad)
		return -EINVAL;
	if (!is_name(create->preset, sizeof(create->preset)))
		return -EINVAL;
	if (create->capacity_bytes < SIM_CAPACITY_MIN ||
	    create->capacity_bytes > SIM_CAPACITY_MAX)
		return -ERANGE;
	return 0;
}

static int check_sim_destroy(const void *arg)
{
	const struct openvsl_sim_destroy *destroy = arg;

	return destroy->flags ? -EINVAL : 0;
}

static int check_sim_power(const void *arg)
{
	const struct openvsl_sim_power_arg *power = arg;

	if (power->power != OPENVSL_SIM_CUT && power->power != OPENVSL_SIM_ON)
		return -EINVAL;
	return 0;
}

static int check_sim_fault(const void *arg)
{
	const struct openvsl_sim_fault *fault = arg;

	if (fault->pad || fault->pad1)
		return -EINVAL;
	return is_name(fault->name, sizeof(fault->name)) ? 0 : -EINVAL;
}

static int check_sim_image(const void *arg)
{
	const struct openvsl_sim_image *image = arg;

	if (image->write > 1 || image->pad)
		return -EINVAL;
	if (image->offset % SIZE_4096 || image->bytes % SIZE_4096)
		return -EINVAL;
	if (!image->bytes || image->bytes > IMAGE_BYTES_MAX)
		return -EINVAL;
	return 0;
}

/*
 * A structure that grows keeps its first size as @min_bytes: write it out then
 * as a number.
 */
#define CALL(ioc, where, is_admin, type, fn) {		\
	.cmd = OPENVSL_IOC_##ioc,			\
	.node = VSL_DOOR_##where,			\
	.admin = is_admin,				\
	.min_bytes = sizeof(struct type),		\
	.bytes = sizeof(struct type),			\
	.check = fn,					\
}

static const struct vsl_door_call calls[] = {
	CALL(VERSION, DRIVER, false, openvsl_version, NULL),
	CALL(SIM_CREATE, DRIVER, true, openvsl_sim_create, check_sim_create),
	CALL(INFO, CARD, false, openvsl_info, NULL),
	CALL(FORMAT, CARD, true, openvsl_format, check_format),
	CALL(ATTACH, CARD, true, openvsl_attach, check_attach),
	CALL(DETACH, CARD, true, openvsl_detach, check_detach),
	CALL(BEACON, CARD, true, openvsl_beacon, check_beacon),
	CALL(PEEK, CARD, true, openvsl_peek, NULL),
	CALL(UPDATE, CARD, true, openvsl_update, check_update),
	CALL(LOGS, CARD, false, openvsl_logs, NULL),
	CALL(SIM_DESTROY, CARD, true, openvsl_sim_destroy, check_sim_destroy),
	CALL(SIM_POWER, CARD, true, openvsl_sim_power_arg, check_sim_power),
	CALL(SIM_FAULT, CARD, true, openvsl_sim_fault, check_sim_fault),
	CALL(SIM_IMAGE, CARD, true, openvsl_sim_image, check_sim_image),
};

/* All of an ioctl's number but the size of the caller's structure. */
static u32 without_size(u32 cmd)
{
	return cmd & ~((u32)_IOC_SIZEMASK << _IOC_SIZESHIFT);
}

const struct vsl_door_call *vsl_door_find(enum vsl_door_node node, u32 cmd)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (calls[i].node == node &&
		    without_size(calls[i].cmd) == without_size(cmd))
			return &calls[i];
	}
	return NULL;
}

int vsl_door_size(const struct vsl_door_call *call, u32 size)
{
	if (size < call->min_bytes)
		return -EINVAL;
	if (size > VSL_DOOR_BYTES_MAX)
		return -E2BIG;
	return 0;
}

int vsl_door_check(const struct vsl_door_call *call,
		   const union vsl_door_arg *arg)
{
	return call->check ? call->check(arg) : 0;
}
