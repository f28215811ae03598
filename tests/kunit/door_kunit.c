// SPDX-License-Identifier: GPL-2.0-only
/*
 * door_kunit.c - driver/control.c and driver/door.c: every way to be refused.
 *
 * Goal: each errno that include/uapi/openvsl.h names is given for what it names.
 * Calls go through the functions of the nodes, from real user memory: a structure
 * ends where its mapping ends, so whoever reads a byte too much gets -EFAULT.
 *
 * For what only the door decides the card is held busy.  Then each call has one
 * answer that is neither -EINVAL, -E2BIG nor -ERANGE and changes nothing, and any
 * other one was the door's.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/cred.h>
#include <linux/mman.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>

#include "../../driver/control.c"

#include "stage.h"

#include "door_rig.h"

/* ---- which call, and may he ---------------------------------------------- */

static void call_belongs_to_one_node(struct kunit *test)
{
	const struct call *call = test->param_value;
	u32 other_size = _IOC(_IOC_DIR(call->cmd), _IOC_TYPE(call->cmd),
			      _IOC_NR(call->cmd), call->bytes + 8);
	const struct vsl_door_call *found;

	found = vsl_door_find(call->node, call->cmd);
	KUNIT_ASSERT_NOT_NULL(test, found);
	KUNIT_EXPECT_EQ(test, call->cmd, found->cmd);
	KUNIT_EXPECT_EQ(test, call->admin, found->admin);
	KUNIT_EXPECT_EQ(test, call->bytes, found->bytes);
	KUNIT_EXPECT_EQ(test, call->bytes, found->min_bytes);
	/* A program made with another version of the header is understood. */
	KUNIT_EXPECT_PTR_EQ(test, found, vsl_door_find(call->node, other_size));
	KUNIT_EXPECT_EQ(test, -ENOTTY, ioctl_at(caller_of(test), !call->node,
						call->cmd, 0));
}

static void unknown_calls_are_not_for_us(struct kunit *test)
{
	struct caller *caller = caller_of(test);
	u32 nr, dir, cmd, node, known = 0;

	for (nr = 0; nr < 256; nr++)
		for (dir = 0; dir < 4; dir++)
			for (node = 0; node < 2; node++) {
				cmd = _IOC(dir, OPENVSL_IOC_MAGIC, nr, 0);
				known += !!vsl_door_find(node, cmd);
				cmd = _IOC(dir, OPENVSL_IOC_MAGIC + 1, nr, 8);
				KUNIT_ASSERT_EQ(test, -ENOTTY,
						ioctl_at(caller, node, cmd, 0));
			}
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(calls), known);
}

/* Also with a structure that is not right: who may not is told nothing. */
static void changing_needs_the_capability(struct kunit *test)
{
	const struct call *call = test->param_value;
	union vsl_door_arg arg = right_arg(call);
	struct cred *cred = prepare_creds();
	long right, wrong, nowhere;
	const struct cred *old;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_lower(cred->cap_effective, CAP_SYS_ADMIN);
	old = override_creds(cred);
	right = call_sized(test, call, &arg, call->bytes, call->bytes);
	wrong = call_sized(test, call, &arg, 3, call->bytes);
	nowhere = ioctl_at(caller_of(test), call->node, call->cmd, 0);
	revert_creds(old);
	put_cred(cred);
	KUNIT_EXPECT_EQ(test, call->admin ? -EPERM : call->ret, right);
	KUNIT_EXPECT_EQ(test, call->admin ? -EPERM : -EINVAL, wrong);
	KUNIT_EXPECT_EQ(test, call->admin ? -EPERM : -EFAULT, nowhere);
}

/* ---- sizes --------------------------------------------------------------- */

static const struct size_case {
	const char *name;
	s32 more;		/* than the structure has */
	u32 at;			/* a byte that is not zero, behind it; 0 none */
	long ret;		/* 0: as with the right size */
} size_cases[] = {
	{ "right", 0, 0, 0 },
	{ "one byte less", -1, 0, -EINVAL },
	{ "eight bytes less", -8, 0, -EINVAL },
	{ "one byte more, zero", 1, 0, 0 },
	{ "eight bytes more, zero", 8, 0, 0 },
	{ "100 bytes more, zero", 100, 0, 0 },
	{ "one byte more, not zero", 1, 1, -E2BIG },
	{ "first of 100 not zero", 100, 1, -E2BIG },
	{ "65th of 100 not zero", 100, 65, -E2BIG },
	{ "last of 100 not zero", 100, 100, -E2BIG },
};

static void size_is_taken_or_refused(struct kunit *test)
{
	const struct call *call = test->param_value;
	DECLARE_BITMAP(taken, OPENVSL_CARDS_MAX);
	u8 *large = kunit_kzalloc(test, VSL_DOOR_BYTES_MAX, GFP_KERNEL);
	union vsl_door_arg arg = right_arg(call);
	long ret, expected;
	u32 i, bytes;

	KUNIT_ASSERT_NOT_NULL(test, large);
	close_doors(test, taken);
	for (i = 0; i < ARRAY_SIZE(size_cases); i++) {
		const struct size_case *size = &size_cases[i];

		bytes = call->bytes + size->more;
		memset(large, 0, VSL_DOOR_BYTES_MAX);
		memcpy(large, &arg, min_t(u32, bytes, sizeof(arg)));
		memcpy(large, &bytes, sizeof(bytes));
		if (size->at)
			large[call->bytes + size->at - 1] = 1;
		ret = call_bytes(test, call->cmd, call->node, large,
				 max_t(u32, bytes, sizeof(bytes)));
		expected = size->ret ? size->ret : call->ret;
		KUNIT_EXPECT_EQ_MSG(test, expected, ret, "%s", size->name);
	}
	open_doors(test, taken);
}

static void extreme_sizes_are_taken_or_refused(struct kunit *test)
{
	const struct call *call = test->param_value;
	DECLARE_BITMAP(taken, OPENVSL_CARDS_MAX);
	static const struct {
		u32 size;
		long ret;
	} sizes[] = {
		{ 0, -EINVAL },
		{ 1, -EINVAL },
		{ 4, -EINVAL },
		{ VSL_DOOR_BYTES_MAX, 0 },
		{ VSL_DOOR_BYTES_MAX + 1, -E2BIG },
		{ S32_MAX, -E2BIG },
		{ U32_MAX, -E2BIG },
	};
	u32 i;

	close_doors(test, taken);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		union vsl_door_arg arg = right_arg(call);
		long expected = sizes[i].ret ? sizes[i].ret : call->ret;

		KUNIT_EXPECT_EQ_MSG(test, expected,
				    call_sized(test, call, &arg, sizes[i].size,
					       VSL_DOOR_BYTES_MAX),
				    "size %u", sizes[i].size);
	}
	open_doors(test, taken);
}

static void answer_is_as_large_as_both_know(struct kunit *test)
{
	const struct call *call = find_call(OPENVSL_IOC_VERSION);
	u8 *large = kunit_kzalloc(test, 256, GFP_KERNEL);
	struct openvsl_version *version = (void *)large;

	KUNIT_ASSERT_NOT_NULL(test, large);
	version->size = sizeof(*version) + 24;
	KUNIT_EXPECT_EQ(test, 0, call_bytes(test, call->cmd, call->node, large,
					    version->size));
	KUNIT_EXPECT_EQ(test, sizeof(*version), version->size);
	KUNIT_EXPECT_EQ(test, OPENVSL_ABI_MAJOR, version->abi_major);
	KUNIT_EXPECT_EQ(test, OPENVSL_ABI_MINOR, version->abi_minor);
	KUNIT_EXPECT_STREQ(test, VSL_VERSION, version->driver);
	KUNIT_EXPECT_TRUE(test, version->cards[0] >>
				caller_of(test)->card->number & 1);
}

/* ---- user memory that is not there --------------------------------------- */

static void bad_address_is_told(struct kunit *test)
{
	const struct call *call = test->param_value;
	struct caller *caller = caller_of(test);
	DECLARE_BITMAP(taken, OPENVSL_CARDS_MAX);
	unsigned long part = user_end(caller, call->bytes - 1);
	unsigned long tail = user_end(caller, call->bytes + 7);
	u32 more = call->bytes + 8;

	close_doors(test, taken);
	KUNIT_EXPECT_EQ(test, -EFAULT, ioctl_at(caller, call->node, call->cmd,
						0));
	KUNIT_EXPECT_EQ(test, -EFAULT, ioctl_at(caller, call->node, call->cmd,
						~0ul - 4095));
	KUNIT_EXPECT_EQ(test, -EFAULT, ioctl_at(caller, call->node, call->cmd,
						user_end(caller, 2)));
	KUNIT_EXPECT_EQ(test, 0, put_user(call->bytes, (u32 __user *)part));
	KUNIT_EXPECT_EQ(test, -EFAULT, ioctl_at(caller, call->node, call->cmd,
						part));
	/* The tail that must be zero is not all there. */
	KUNIT_EXPECT_EQ(test, 0, clear_user((void __user *)tail,
					    call->bytes + 7));
	KUNIT_EXPECT_EQ(test, 0, put_user(more, (u32 __user *)tail));
	KUNIT_EXPECT_EQ(test, -EFAULT, ioctl_at(caller, call->node, call->cmd,
						tail));
	open_doors(test, taken);
}

/* Memory that can only be read, with a structure's size in it. */
static unsigned long read_only_user(struct kunit *test, u32 size)
{
	struct file *file = shmem_file_setup("openvsl_kunit", PAGE_SIZE, 0);
	unsigned long user;
	loff_t pos = 0;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	KUNIT_EXPECT_EQ(test, (ssize_t)sizeof(size),
			kernel_write(file, &size, sizeof(size), &pos));
	user = kunit_vm_mmap(test, file, 0, PAGE_SIZE, PROT_READ, MAP_PRIVATE,
			     0);
	fput(file);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(user));
	return user;
}

static void answer_needs_memory_that_can_be_written(struct kunit *test)
{
	static const u32 cmds[] = { OPENVSL_IOC_VERSION, OPENVSL_IOC_INFO };
	const struct call *call;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cmds); i++) {
		call = find_call(cmds[i]);
		KUNIT_EXPECT_EQ(test, -EFAULT,
				ioctl_at(caller_of(test), call->node, call->cmd,
					 read_only_user(test, call->bytes)));
	}
}

/* ---- fields -------------------------------------------------------------- */

/* One field of the right structure changed. */
static const struct field_case {
	const char *name;
	u32 cmd;
	u32 offset;
	u32 bytes;
	u64 value;
	int ret;		/* 0: it is right, too */
} field_cases[] = {
#define FIELD(ioc, type, width, field, value, ret)			\
	{ #ioc "." #field " = " #value, OPENVSL_IOC_##ioc,		\
	  offsetof(struct type, field), sizeof(width), value, ret }
	FIELD(FORMAT, openvsl_format, u32, sector_bytes, 512, 0),
	FIELD(FORMAT, openvsl_format, u32, sector_bytes, 0, -EINVAL),
	FIELD(FORMAT, openvsl_format, u32, sector_bytes, 511, -EINVAL),
	FIELD(FORMAT, openvsl_format, u32, sector_bytes, 1024, -EINVAL),
	FIELD(FORMAT, openvsl_format, u32, sector_bytes, 8192, -EINVAL),
	FIELD(FORMAT, openvsl_format, u32, sector_bytes, U32_MAX, -EINVAL),
	FIELD(FORMAT, openvsl_format, u64, capacity_bytes, 1 << 20, 0),
	FIELD(FORMAT, openvsl_format, u64, capacity_bytes, 1, -ERANGE),
	FIELD(FORMAT, openvsl_format, u64, capacity_bytes, 512, -ERANGE),
	FIELD(FORMAT, openvsl_format, u64, capacity_bytes, U64_MAX, -ERANGE),
	FIELD(FORMAT, openvsl_format, u32, flags, OPENVSL_FORMAT_OVER, 0),
	FIELD(FORMAT, openvsl_format, u32, flags, OPENVSL_FORMAT_PARITY, 0),
	FIELD(FORMAT, openvsl_format, u32, flags, 4, -EINVAL),
	FIELD(FORMAT, openvsl_format, u32, flags, 1u << 31, -EINVAL),
	FIELD(FORMAT, openvsl_format, u32, pad, 1, -EINVAL),
	FIELD(ATTACH, openvsl_attach, u32, flags, 7, 0),
	FIELD(ATTACH, openvsl_attach, u32, flags, 8, -EINVAL),
	FIELD(ATTACH, openvsl_attach, u32, flags, 1u << 31, -EINVAL),
	FIELD(DETACH, openvsl_detach, u32, flags, 1, -EINVAL),
	FIELD(DETACH, openvsl_detach, u32, flags, 1u << 31, -EINVAL),
	FIELD(BEACON, openvsl_beacon, u32, on, 1, 0),
	FIELD(BEACON, openvsl_beacon, u32, on, 2, -EINVAL),
	FIELD(BEACON, openvsl_beacon, u32, on, U32_MAX, -EINVAL),
	FIELD(PEEK, openvsl_peek, u32, unit, U32_MAX, 0),
	FIELD(PEEK, openvsl_peek, u64, buf, U64_MAX, 0),
	FIELD(UPDATE, openvsl_update, u32, slot, 7, 0),
	FIELD(UPDATE, openvsl_update, u32, slot, 8, -EINVAL),
	FIELD(UPDATE, openvsl_update, u32, slot, U32_MAX, -EINVAL),
	FIELD(UPDATE, openvsl_update, u32, bytes, 64 << 20, 0),
	FIELD(UPDATE, openvsl_update, u32, bytes, (64 << 20) + 4, -EINVAL),
	FIELD(UPDATE, openvsl_update, u32, bytes, 0, -EINVAL),
	FIELD(UPDATE, openvsl_update, u32, bytes, 4094, -EINVAL),
	FIELD(UPDATE, openvsl_update, u32, flags, OPENVSL_UPDATE_NOW, 0),
	FIELD(UPDATE, openvsl_update, u32, flags, 2, -EINVAL),
	FIELD(UPDATE, openvsl_update, u32, end, 1, -EINVAL),
	FIELD(UPDATE, openvsl_update, u32, pad, 1, -EINVAL),
	FIELD(SIM_CREATE, openvsl_sim_create, u32, flags, OPENVSL_SIM_TIMED, 0),
	FIELD(SIM_CREATE, openvsl_sim_create, u32, flags, 2, -EINVAL),
	FIELD(SIM_CREATE, openvsl_sim_create, u32, pad, 1, -EINVAL),
	FIELD(SIM_CREATE, openvsl_sim_create, u32, card, U32_MAX, 0),
	FIELD(SIM_CREATE, openvsl_sim_create, u64, seed, U64_MAX, 0),
	FIELD(SIM_CREATE, openvsl_sim_create, u64, capacity_bytes, 0, -ERANGE),
	FIELD(SIM_CREATE, openvsl_sim_create, u64, capacity_bytes,
	      (16 << 20) - 1, -ERANGE),
	FIELD(SIM_CREATE, openvsl_sim_create, u64, capacity_bytes,
	      16ull << 40, 0),
	FIELD(SIM_CREATE, openvsl_sim_create, u64, capacity_bytes,
	      (16ull << 40) + 1, -ERANGE),
	FIELD(SIM_CREATE, openvsl_sim_create, u8, preset[0], 0, -EINVAL),
	FIELD(SIM_CREATE, openvsl_sim_create, u8, preset[5], 'x', -EINVAL),
	FIELD(SIM_CREATE, openvsl_sim_create, u8, preset[23], 'x', -EINVAL),
	FIELD(SIM_DESTROY, openvsl_sim_destroy, u32, flags, 1, -EINVAL),
	FIELD(SIM_POWER, openvsl_sim_power_arg, u32, power, 2, -EINVAL),
	FIELD(SIM_POWER, openvsl_sim_power_arg, u32, power, U32_MAX, -EINVAL),
	FIELD(SIM_FAULT, openvsl_sim_fault, u32, pad, 1, -EINVAL),
	FIELD(SIM_FAULT, openvsl_sim_fault, u32, pad1, 1, -EINVAL),
	FIELD(SIM_FAULT, openvsl_sim_fault, u8, name[0], 0, -EINVAL),
	FIELD(SIM_FAULT, openvsl_sim_fault, u8, name[5], 'x', -EINVAL),
	FIELD(SIM_FAULT, openvsl_sim_fault, u8, name[23], 'x', -EINVAL),
	FIELD(SIM_FAULT, openvsl_sim_fault, u32, every, 7, 0),
	FIELD(SIM_IMAGE, openvsl_sim_image, u32, write, 1, 0),
	FIELD(SIM_IMAGE, openvsl_sim_image, u32, write, 2, -EINVAL),
	FIELD(SIM_IMAGE, openvsl_sim_image, u32, pad, 1, -EINVAL),
	FIELD(SIM_IMAGE, openvsl_sim_image, u64, offset, 4096, 0),
	FIELD(SIM_IMAGE, openvsl_sim_image, u64, offset, 1, -EINVAL),
	FIELD(SIM_IMAGE, openvsl_sim_image, u64, offset, 512, -EINVAL),
	FIELD(SIM_IMAGE, openvsl_sim_image, u32, bytes, 1 << 20, 0),
	FIELD(SIM_IMAGE, openvsl_sim_image, u32, bytes, 0, -EINVAL),
	FIELD(SIM_IMAGE, openvsl_sim_image, u32, bytes, 1, -EINVAL),
	FIELD(SIM_IMAGE, openvsl_sim_image, u32, bytes, 512, -EINVAL),
	FIELD(SIM_IMAGE, openvsl_sim_image, u32, bytes, (1 << 20) + 4096,
	      -EINVAL),
	FIELD(SIM_IMAGE, openvsl_sim_image, u32, bytes, 0xfffff000, -EINVAL),
#undef FIELD
};

KUNIT_ARRAY_PARAM_DESC(field_case, field_cases, name);

static void field_is_right_or_refused(struct kunit *test)
{
	const struct field_case *field = test->param_value;
	const struct call *call = find_call(field->cmd);
	union vsl_door_arg arg = right_arg(call);
	DECLARE_BITMAP(taken, OPENVSL_CARDS_MAX);
	long expected = field->ret ? field->ret : call->ret;

	memcpy((u8 *)&arg + field->offset, &field->value, field->bytes);
	KUNIT_EXPECT_EQ(test, field->ret,
			vsl_door_check(vsl_door_find(call->node, call->cmd),
				       &arg));
	close_doors(test, taken);
	KUNIT_EXPECT_EQ(test, expected, call_sized(test, call, &arg,
						   call->bytes, call->bytes));
	open_doors(test, taken);
}

static void zero_memory_is_all_zero(struct kunit *test)
{
	u8 mem[33] = { };
	u32 i;

	KUNIT_EXPECT_TRUE(test, vsl_door_is_zero(mem, 0));
	KUNIT_EXPECT_TRUE(test, vsl_door_is_zero(mem, sizeof(mem)));
	for (i = 0; i < sizeof(mem); i++) {
		mem[i] = 0x80;
		KUNIT_EXPECT_FALSE(test, vsl_door_is_zero(mem, sizeof(mem)));
		KUNIT_EXPECT_TRUE(test, vsl_door_is_zero(mem, i));
		mem[i] = 0;
	}
}

/* ---- what the work says -------------------------------------------------- */

static long do_attach(struct kunit *test, u32 flags)
{
	struct openvsl_attach arg = { .flags = flags };

	return call_card(test, OPENVSL_IOC_ATTACH, &arg);
}

static long do_detach(struct kunit *test)
{
	struct openvsl_detach arg = { };

	return call_card(test, OPENVSL_IOC_DETACH, &arg);
}

static long do_power(struct kunit *test, u32 power)
{
	struct openvsl_sim_power_arg arg = { .power = power };

	return call_card(test, OPENVSL_IOC_SIM_POWER, &arg);
}

static long format_to(struct kunit *test, u64 capacity_bytes, u32 flags)
{
	struct openvsl_format arg = {
		.sector_bytes = 4096,
		.capacity_bytes = capacity_bytes,
		.flags = flags,
	};

	return call_card(test, OPENVSL_IOC_FORMAT, &arg);
}

static long plant(struct kunit *test, const char *name, u32 count)
{
	struct openvsl_sim_fault arg = {
		.unit = U32_MAX,
		.eu = U32_MAX,
		.block = U32_MAX,
		.count = count,
		.value = 1,
	};

	strscpy(arg.name, name, sizeof(arg.name));
	return call_card(test, OPENVSL_IOC_SIM_FAULT, &arg);
}

static struct openvsl_info info_now(struct kunit *test)
{
	struct openvsl_info info = { };

	KUNIT_ASSERT_EQ(test, 0, call_card(test, OPENVSL_IOC_INFO, &info));
	KUNIT_EXPECT_EQ(test, sizeof(info), info.size);
	return info;
}

static void format_says_why_not(struct kunit *test)
{
	struct openvsl_info info = info_now(test);

	KUNIT_EXPECT_EQ(test, -ERANGE, format_to(test, 4096, 0));
	KUNIT_EXPECT_EQ(test, -ERANGE, format_to(test, info.max_bytes + 4096,
						 OPENVSL_FORMAT_OVER));
	KUNIT_EXPECT_EQ(test, -ERANGE, format_to(test, ~4095ull, 0));
	KUNIT_EXPECT_EQ(test, 0, format_to(test, info.max_bytes,
					   OPENVSL_FORMAT_OVER));
	KUNIT_EXPECT_EQ(test, 0, format_to(test, 1 << 20, 0));
	info = info_now(test);
	KUNIT_EXPECT_EQ(test, 1 << 20, info.capacity_bytes);
	KUNIT_EXPECT_EQ(test, 4096, info.sector_bytes);
	KUNIT_EXPECT_EQ(test, 0, format_to(test, 0, 0));
	info = info_now(test);
	KUNIT_EXPECT_EQ(test, info.advertised_bytes, info.capacity_bytes);
	KUNIT_EXPECT_FALSE(test, vsl_door_is_zero(info.format_uuid, 16));
	KUNIT_EXPECT_GT(test, info.format_ts, 0);

	KUNIT_EXPECT_EQ(test, 0, do_attach(test, 0));
	KUNIT_EXPECT_EQ(test, -EBUSY, format_to(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, stage_detach(caller_of(test)->card));
	KUNIT_EXPECT_EQ(test, 0, do_power(test, OPENVSL_SIM_CUT));
	KUNIT_EXPECT_EQ(test, -ENODEV, format_to(test, 0, 0));
}

static void format_of_a_bad_card_fails(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, plant(test, "erase-fail", U32_MAX));
	KUNIT_EXPECT_EQ(test, -EIO, format_to(test, 0, 0));
	KUNIT_EXPECT_EQ(test, -EIO, info_now(test).last_error);
}

static void signal_stops_formatting(struct kunit *test)
{
	u32 progress;

	allow_signal(SIGTERM);
	send_sig(SIGTERM, current, 1);
	KUNIT_EXPECT_EQ(test, -EINTR, format_to(test, 0, 0));
	disallow_signal(SIGTERM);
	flush_signals(current);
	KUNIT_EXPECT_EQ(test, -EINTR, info_now(test).last_error);
	progress = info_now(test).progress_permille;
	KUNIT_EXPECT_EQ(test, 1000, progress);
	/* It can be done again, and nothing was left behind. */
	KUNIT_EXPECT_EQ(test, 0, format_to(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, do_attach(test, 0));
}

static void attach_says_why_not(struct kunit *test)
{
	struct file *file;

	KUNIT_EXPECT_EQ(test, -ENODATA, do_attach(test, 0));
	KUNIT_EXPECT_EQ(test, 0, format_to(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, plant(test, "unit-dead", U32_MAX));
	KUNIT_EXPECT_EQ(test, -EIO, do_attach(test, 0));
	KUNIT_EXPECT_EQ(test, 0, plant(test, "unit-dead", 0));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			do_attach(test, OPENVSL_ATTACH_RESCAN));
	KUNIT_EXPECT_EQ(test, 0, do_attach(test, 0));
	KUNIT_EXPECT_EQ(test, -EALREADY, do_attach(test, 0));
	file = stage_open(test, caller_of(test)->card);
	KUNIT_EXPECT_EQ(test, 0, stage_write(file));
	stage_close(file);
	KUNIT_EXPECT_EQ(test, 0, do_power(test, OPENVSL_SIM_CUT));
	KUNIT_EXPECT_EQ(test, -ENODEV, do_attach(test, 0));
	KUNIT_EXPECT_EQ(test, 0, do_power(test, OPENVSL_SIM_ON));
	KUNIT_EXPECT_EQ(test, -EUCLEAN,
			do_attach(test, OPENVSL_ATTACH_CLEAN_ONLY));
	KUNIT_EXPECT_EQ(test, 0, do_attach(test, OPENVSL_ATTACH_READ_ONLY));
}

static void detach_says_why_not(struct kunit *test)
{
	struct vsl_card *card = caller_of(test)->card;
	struct openvsl_info info;
	struct file *file;

	KUNIT_EXPECT_EQ(test, -ENOTCONN, do_detach(test));
	KUNIT_EXPECT_EQ(test, 0, format_to(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, do_attach(test, 0));
	file = stage_open(test, card);
	info = info_now(test);
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_ATTACHED, info.state);
	KUNIT_EXPECT_TRUE(test, info.flags & OPENVSL_INFO_BUSY);
	KUNIT_EXPECT_EQ(test, 'f', info.disk[0]);
	KUNIT_EXPECT_EQ(test, -EBUSY, do_detach(test));
	KUNIT_EXPECT_EQ(test, 0, stage_write(file));
	stage_close(file);
	/* The clean root cannot be written. */
	KUNIT_EXPECT_EQ(test, 0, plant(test, "program-fail", U32_MAX));
	KUNIT_EXPECT_EQ(test, 0, plant(test, "erase-fail", U32_MAX));
	KUNIT_EXPECT_EQ(test, -EIO, stage_detach(card));
	info = info_now(test);
	KUNIT_EXPECT_EQ(test, -EIO, info.last_error);
	KUNIT_EXPECT_FALSE(test, info.flags & OPENVSL_INFO_CLEAN);
	KUNIT_EXPECT_EQ(test, 0, info.disk[0]);
}

static long peek(struct kunit *test, u32 unit, u32 eu, u32 off, u64 buf)
{
	struct openvsl_peek arg = {
		.unit = unit,
		.eu = eu,
		.off = off,
		.buf = buf,
	};

	return call_card(test, OPENVSL_IOC_PEEK, &arg);
}

/* Blocks of a card that is formatted but not attached; the first is a root. */
static void peek_says_why_not(struct kunit *test)
{
	const struct vsl_media_info *info = &caller_of(test)->card->info;
	u64 buf = caller_of(test)->user;
	char name[8];

	KUNIT_EXPECT_EQ(test, -ENODATA, peek(test, 0, 0, 0, buf));
	KUNIT_EXPECT_EQ(test, 0, format_to(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, peek(test, 0, 0, 0, buf));
	KUNIT_EXPECT_EQ(test, 0, copy_from_user(name, (void __user *)(long)buf,
						sizeof(name)));
	KUNIT_EXPECT_EQ(test, 0, memcmp(name, "OVSLROOT", sizeof(name)));
	KUNIT_EXPECT_EQ(test, -ENODATA, peek(test, info->units - 1, info->eus - 1,
					     info->eu_blocks - 1, buf));
	KUNIT_EXPECT_EQ(test, -ERANGE, peek(test, info->units, 0, 0, buf));
	KUNIT_EXPECT_EQ(test, -ERANGE, peek(test, 0, info->eus, 0, buf));
	KUNIT_EXPECT_EQ(test, -ERANGE, peek(test, 0, 0, info->eu_blocks, buf));
	KUNIT_EXPECT_EQ(test, -ERANGE, peek(test, U32_MAX, U32_MAX, U32_MAX, buf));
	KUNIT_EXPECT_EQ(test, -EFAULT, peek(test, 0, 0, 0, 0));
	KUNIT_EXPECT_EQ(test, -EFAULT, peek(test, 0, 0, 0, U64_MAX - 4095));
	KUNIT_EXPECT_EQ(test, -EFAULT,
			peek(test, 0, 0, 0, user_end(caller_of(test), 4095)));
	KUNIT_EXPECT_EQ(test, 0, peek(test, 0, 0, 0,
				      user_end(caller_of(test), 4096)));
	KUNIT_EXPECT_EQ(test, 0, plant(test, "read-transient", 2));
	KUNIT_EXPECT_EQ(test, 0, peek(test, 0, 0, 0, buf));
	KUNIT_EXPECT_EQ(test, 0, plant(test, "read-transient", U32_MAX));
	KUNIT_EXPECT_EQ(test, -EIO, peek(test, 0, 0, 0, buf));
	KUNIT_EXPECT_EQ(test, 0, plant(test, "read-transient", 0));
	KUNIT_EXPECT_EQ(test, 0, do_attach(test, 0));
	KUNIT_EXPECT_EQ(test, -EBUSY, peek(test, 0, 0, 0, buf));
	KUNIT_EXPECT_EQ(test, 0, do_power(test, OPENVSL_SIM_CUT));
	KUNIT_EXPECT_EQ(test, -ENODEV, peek(test, 0, 0, 0, buf));
}

static void power_says_why_not(struct kunit *test)
{
	struct file *file;

	KUNIT_EXPECT_EQ(test, -EALREADY, do_power(test, OPENVSL_SIM_ON));
	KUNIT_EXPECT_EQ(test, 0, format_to(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, do_attach(test, 0));
	file = stage_open(test, caller_of(test)->card);
	KUNIT_EXPECT_EQ(test, 0, do_power(test, OPENVSL_SIM_CUT));
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_ERROR, info_now(test).state);
	KUNIT_EXPECT_EQ(test, -EALREADY, do_power(test, OPENVSL_SIM_CUT));
	KUNIT_EXPECT_EQ(test, -EBUSY, do_power(test, OPENVSL_SIM_ON));
	stage_close(file);
}

static void fault_says_why_not(struct kunit *test)
{
	struct openvsl_sim_fault arg = { .name = "slow", .count = 1 };
	u32 i;

	KUNIT_EXPECT_EQ(test, -EINVAL, plant(test, "nosuch", 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, plant(test, "slow", 0));
	arg.unit = 4;
	KUNIT_EXPECT_EQ(test, -EINVAL, call_card(test, OPENVSL_IOC_SIM_FAULT, &arg));
	arg.unit = 0;
	arg.eu = 32;
	KUNIT_EXPECT_EQ(test, -EINVAL, call_card(test, OPENVSL_IOC_SIM_FAULT, &arg));
	arg.eu = 0;
	arg.block = 16;
	KUNIT_EXPECT_EQ(test, -EINVAL, call_card(test, OPENVSL_IOC_SIM_FAULT, &arg));
	arg.block = 15;
	for (i = 0; i < 64; i++)
		KUNIT_EXPECT_EQ(test, 0, call_card(test, OPENVSL_IOC_SIM_FAULT, &arg));
	KUNIT_EXPECT_EQ(test, -ENOSPC, call_card(test, OPENVSL_IOC_SIM_FAULT, &arg));
}

static long image(struct kunit *test, u32 write, u64 offset, u64 buf)
{
	struct openvsl_sim_image arg = {
		.write = write,
		.offset = offset,
		.buf = buf,
		.bytes = 4096,
	};

	return call_card(test, OPENVSL_IOC_SIM_IMAGE, &arg);
}

static void image_says_why_not(struct kunit *test)
{
	struct caller *caller = caller_of(test);
	u64 buf = caller->user;

	KUNIT_EXPECT_EQ(test, -EINVAL, image(test, 0, 8192, buf));
	KUNIT_EXPECT_EQ(test, -EFAULT, image(test, 0, 0, 0));
	KUNIT_EXPECT_EQ(test, -EFAULT, image(test, 1, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, image(test, 0, 0, buf));
	/* It goes in again as it came out, from the beginning only. */
	KUNIT_EXPECT_EQ(test, -EINVAL, image(test, 1, 4096, buf));
	KUNIT_EXPECT_EQ(test, 0, image(test, 1, 0, buf));
	KUNIT_EXPECT_EQ(test, 0, clear_user((void __user *)(long)buf, 4096));
	KUNIT_EXPECT_EQ(test, -EBADMSG, image(test, 1, 0, buf));

	KUNIT_EXPECT_EQ(test, 0, format_to(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, do_attach(test, 0));
	KUNIT_EXPECT_EQ(test, -EBUSY, image(test, 0, 0, buf));
	KUNIT_EXPECT_EQ(test, 0, do_power(test, OPENVSL_SIM_CUT));
	KUNIT_EXPECT_EQ(test, -ENODEV, image(test, 0, 0, buf));
}

static void create_and_destroy_say_why_not(struct kunit *test)
{
	const struct call *call = find_call(OPENVSL_IOC_SIM_CREATE);
	union vsl_door_arg arg = right_sim_create;
	struct openvsl_sim_destroy destroy = { };
	struct caller *caller = caller_of(test);
	DECLARE_BITMAP(taken, OPENVSL_CARDS_MAX);

	arg.sim_create.preset[0] = 'n';
	KUNIT_EXPECT_EQ(test, -EINVAL, call_sized(test, call, &arg, call->bytes,
						  call->bytes));
	arg = right_sim_create;
	stage_take_numbers(taken);
	KUNIT_EXPECT_EQ(test, -ENOSPC, call_sized(test, call, &arg, call->bytes,
						  call->bytes));
	stage_give_numbers(taken);
	KUNIT_EXPECT_EQ(test, 0, call_sized(test, call, &arg, call->bytes,
					    call->bytes));
	KUNIT_EXPECT_NE(test, caller->card->number, arg.sim_create.card);
	KUNIT_EXPECT_NOT_NULL(test, stage_find(arg.sim_create.card));
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_destroy
			(stage_find(arg.sim_create.card)));

	KUNIT_EXPECT_EQ(test, 0, format_to(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, do_attach(test, 0));
	KUNIT_EXPECT_EQ(test, -EBUSY, call_card(test, OPENVSL_IOC_SIM_DESTROY, &destroy));
}

/* A card with hardware behind it has none of these. */
static void real_card_is_not_simulated(struct kunit *test)
{
	struct vsl_card *card = caller_of(test)->card;
	struct openvsl_sim_destroy destroy = { };
	long power, fault, picture, gone;
	struct vsl_simcard *sim = card->sim;
	u32 flags = card->info.flags;

	card->sim = NULL;
	card->info.flags &= ~VSL_MEDIA_VIRTUAL;
	power = do_power(test, OPENVSL_SIM_CUT);
	fault = plant(test, "slow", 1);
	picture = image(test, 0, 0, caller_of(test)->user);
	gone = call_card(test, OPENVSL_IOC_SIM_DESTROY, &destroy);
	card->sim = sim;
	card->info.flags = flags;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, power);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, fault);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, picture);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, gone);
}

static void info_tells_what_is(struct kunit *test)
{
	struct openvsl_info info = info_now(test);

	KUNIT_EXPECT_EQ(test, caller_of(test)->card->number, info.card);
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_DETACHED, info.state);
	KUNIT_EXPECT_EQ(test, OPENVSL_MINIMAL_NOT, info.minimal_reason);
	KUNIT_EXPECT_EQ(test, OPENVSL_INFO_VIRTUAL, info.flags);
	KUNIT_EXPECT_EQ(test, 1000, info.progress_permille);
	KUNIT_EXPECT_EQ(test, 4, info.units);
	KUNIT_EXPECT_EQ(test, 32, info.eus);
	KUNIT_EXPECT_EQ(test, 16, info.eu_blocks);
	KUNIT_EXPECT_EQ(test, U32_MAX, info.pci_domain);
	KUNIT_EXPECT_EQ(test, S32_MIN, info.temp_millic);
	KUNIT_EXPECT_EQ(test, 0, info.capacity_bytes);
	KUNIT_EXPECT_EQ(test, 10000, info.spare_permyriad);
	KUNIT_EXPECT_STREQ(test, "OpenVSL simulated tiny", info.model);
	KUNIT_EXPECT_TRUE(test, vsl_door_is_zero(&info.pad1, sizeof(info.pad1)));
	KUNIT_EXPECT_EQ(test, 0, info.pad0);

	KUNIT_EXPECT_EQ(test, 0, format_to(test, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, do_attach(test, 0));
	info = info_now(test);
	KUNIT_EXPECT_EQ(test, OPENVSL_INFO_VIRTUAL | OPENVSL_INFO_FORMATTED,
			info.flags & ~(OPENVSL_INFO_BUSY | OPENVSL_INFO_CLEAN));
	KUNIT_EXPECT_GT(test, info.ram_bytes, 0);
	KUNIT_EXPECT_EQ(test, 128, info.eus_total);
	KUNIT_EXPECT_GE(test, info.ram_peak_bytes, info.ram_bytes);
}

static struct kunit_case door_cases[] = {
	KUNIT_CASE_PARAM(call_belongs_to_one_node, call_gen_params),
	KUNIT_CASE(unknown_calls_are_not_for_us),
	KUNIT_CASE_PARAM(changing_needs_the_capability, call_gen_params),
	KUNIT_CASE_PARAM(size_is_taken_or_refused, call_gen_params),
	KUNIT_CASE_PARAM(extreme_sizes_are_taken_or_refused, call_gen_params),
	KUNIT_CASE(answer_is_as_large_as_both_know),
	KUNIT_CASE_PARAM(bad_address_is_told, call_gen_params),
	KUNIT_CASE(answer_needs_memory_that_can_be_written),
	KUNIT_CASE_PARAM(field_is_right_or_refused, field_case_gen_params),
	KUNIT_CASE(zero_memory_is_all_zero),
	KUNIT_CASE(format_says_why_not),
	KUNIT_CASE(format_of_a_bad_card_fails),
	KUNIT_CASE(signal_stops_formatting),
	KUNIT_CASE(attach_says_why_not),
	KUNIT_CASE(detach_says_why_not),
	KUNIT_CASE(peek_says_why_not),
	KUNIT_CASE(power_says_why_not),
	KUNIT_CASE(fault_says_why_not),
	KUNIT_CASE(image_says_why_not),
	KUNIT_CASE(create_and_destroy_say_why_not),
	KUNIT_CASE(real_card_is_not_simulated),
	KUNIT_CASE(info_tells_what_is),
	{ }
};

static struct kunit_suite door_suite = {
	.name = "openvsl_door",
	.suite_init = stage_init,
	.suite_exit = stage_exit,
	.init = door_init,
	.exit = door_exit,
	.test_cases = door_cases,
};

kunit_test_suite(door_suite);
