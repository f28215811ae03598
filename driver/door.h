/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * door.h - what may come in through an ioctl.
 */
#ifndef VSL_DOOR_H
#define VSL_DOOR_H

#include "core/port.h"

#include <openvsl.h>

/* The largest structure that a caller may have, ours and his tail together. */
#define VSL_DOOR_BYTES_MAX	4096u

enum vsl_door_node {
	VSL_DOOR_DRIVER,	/* /dev/openvsl */
	VSL_DOOR_CARD,		/* /dev/fctN */
};

/**
 * struct vsl_door_call - one ioctl
 * @cmd: OPENVSL_IOC_*
 * @node: which node knows it
 * @admin: wants CAP_SYS_ADMIN
 * @min_bytes: size of the structure's first version
 * @bytes: size of the structure as we know it
 * @check: are the fields right?  Return: 0, -EINVAL, -ERANGE.  NULL: nothing
 *	but the size is looked at
 */
struct vsl_door_call {
	u32 cmd;
	u8 node;
	bool admin;
	u32 min_bytes;
	u32 bytes;
	int (*check)(const void *arg);
};

/** union vsl_door_arg - memory for any call's structure */
union vsl_door_arg {
	u32 size;
	struct openvsl_version version;
	struct openvsl_info info;
	struct openvsl_format format;
	struct openvsl_attach attach;
	struct openvsl_detach detach;
	struct openvsl_beacon beacon;
	struct openvsl_peek peek;
	struct openvsl_update update;
	struct openvsl_logs logs;
	struct openvsl_sim_create sim_create;
	struct openvsl_sim_destroy sim_destroy;
	struct openvsl_sim_power_arg sim_power;
	struct openvsl_sim_fault sim_fault;
	struct openvsl_sim_image sim_image;
};

/**
 * vsl_door_find() - which ioctl is this?
 * @node: where it was called
 * @cmd: its number; the size encoded in it is the caller's and does not count
 *
 * Return: the call, or NULL (-ENOTTY).
 */
const struct vsl_door_call *vsl_door_find(enum vsl_door_node node, u32 cmd);

/**
 * vsl_door_size() - can a structure of this size be taken?
 * @call: the ioctl
 * @size: what its first field says
 *
 * Return: 0; -EINVAL smaller than the first version; -E2BIG larger than
 * VSL_DOOR_BYTES_MAX.
 */
int vsl_door_size(const struct vsl_door_call *call, u32 size);

/**
 * vsl_door_check() - are the fields of a structure right?
 * @call: the ioctl
 * @arg: the structure, zero behind the caller's size
 *
 * Return: 0, -EINVAL, -ERANGE.
 */
int vsl_door_check(const struct vsl_door_call *call,
		   const union vsl_door_arg *arg);

/** vsl_door_is_zero() - is all of this memory zero? */
bool vsl_door_is_zero(const void *mem, size_t bytes);

#endif /* VSL_DOOR_H */
