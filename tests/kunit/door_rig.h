/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * door_rig.h - what the suite about the ioctl door calls with: user memory, a
 * card behind a file, and one right argument for each call.  Included by
 * door_kunit.c alone, behind control.c.
 */
#define USER_BYTES	(4 * PAGE_SIZE)

/* ---- for the other suites ------------------------------------------------ */

void stage_rename_nodes(void)
{
	card_class.name = "openvsl_kunit";
	driver_node.name = "openvsl_kunit";
}

/* ---- calls from user memory ---------------------------------------------- */

/* What a case has: a card, an open file of it, and user memory. */
struct caller {
	struct vsl_card *card;
	struct file *file;
	unsigned long user;
	bool is_held;		/* the card is busy by us */
};

static struct caller *caller_of(struct kunit *test)
{
	return test->priv;
}

/* As the last bytes of the user's memory. */
static unsigned long user_end(struct caller *caller, size_t bytes)
{
	return caller->user + USER_BYTES - bytes;
}

static long ioctl_at(struct caller *caller, enum vsl_door_node node, u32 cmd,
		     unsigned long user)
{
	if (node == VSL_DOOR_DRIVER)
		return driver_ioctl(caller->file, cmd, user);
	return card_ioctl(caller->file, cmd, user);
}

/* Copy @bytes in, call, copy back. */
static long call_bytes(struct kunit *test, u32 cmd, enum vsl_door_node node,
		       void *arg, size_t bytes)
{
	struct caller *caller = caller_of(test);
	unsigned long user = user_end(caller, bytes);
	long ret;

	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)user, arg, bytes));
	ret = ioctl_at(caller, node, cmd, user);
	KUNIT_ASSERT_EQ(test, 0, copy_from_user(arg, (void __user *)user,
						bytes));
	return ret;
}

/* A call to the card, the structure of its own size. */
static long call_card(struct kunit *test, u32 cmd, void *arg)
{
	u32 size = _IOC_SIZE(cmd);

	memcpy(arg, &size, sizeof(size));
	return call_bytes(test, cmd, VSL_DOOR_CARD, arg, size);
}

static void release_card(struct caller *caller)
{
	if (caller->is_held)
		vsl_card_end(caller->card);
	caller->is_held = false;
}

static int door_init(struct kunit *test)
{
	struct caller *caller = kunit_kzalloc(test, sizeof(*caller),
					      GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, caller);
	test->priv = caller;
	caller->file = kunit_kzalloc(test, sizeof(*caller->file), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, caller->file);
	caller->user = kunit_vm_mmap(test, NULL, 0, USER_BYTES,
				     PROT_READ | PROT_WRITE,
				     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(caller->user));
	caller->card = stage_card(test, "tiny");
	caller->file->private_data = caller->card;
	return 0;
}

static void door_exit(struct kunit *test)
{
	struct caller *caller = test->priv;

	if (caller)
		release_card(caller);
}

static void hold_card(struct kunit *test)
{
	struct caller *caller = caller_of(test);

	KUNIT_ASSERT_EQ(test, 0, vsl_card_begin(caller->card));
	caller->is_held = true;
}

/* ---- all the calls ------------------------------------------------------- */

static const union vsl_door_arg right_format = {
	.format = { .sector_bytes = 4096 },
};

static const union vsl_door_arg right_sim_create = {
	.sim_create = { .capacity_bytes = 16 << 20, .preset = "tiny" },
};

static const union vsl_door_arg right_sim_power = {
	.sim_power = { .power = OPENVSL_SIM_ON },
};

static const union vsl_door_arg right_sim_fault = {
	.sim_fault = { .name = "slow" },
};

static const union vsl_door_arg right_sim_image = {
	.sim_image = { .bytes = 4096 },
};

static const union vsl_door_arg right_update = {
	.update = { .bytes = 4096 },
};

static const union vsl_door_arg zeros;

/* The last is what a call with the right structure ends with on a held card. */
static const struct call {
	const char *name;
	u32 cmd;
	enum vsl_door_node node;
	bool admin;
	bool answers;
	u32 bytes;
	const union vsl_door_arg *right;
	long ret;
} calls[] = {
	{ "VERSION", OPENVSL_IOC_VERSION, VSL_DOOR_DRIVER, false, true,
	  sizeof(struct openvsl_version), &zeros, 0 },
	{ "SIM_CREATE", OPENVSL_IOC_SIM_CREATE, VSL_DOOR_DRIVER, true, true,
	  sizeof(struct openvsl_sim_create), &right_sim_create, -ENOSPC },
	{ "INFO", OPENVSL_IOC_INFO, VSL_DOOR_CARD, false, true,
	  sizeof(struct openvsl_info), &zeros, 0 },
	{ "FORMAT", OPENVSL_IOC_FORMAT, VSL_DOOR_CARD, true, false,
	  sizeof(struct openvsl_format), &right_format, -EBUSY },
	{ "ATTACH", OPENVSL_IOC_ATTACH, VSL_DOOR_CARD, true, false,
	  sizeof(struct openvsl_attach), &zeros, -EBUSY },
	{ "DETACH", OPENVSL_IOC_DETACH, VSL_DOOR_CARD, true, false,
	  sizeof(struct openvsl_detach), &zeros, -EBUSY },
	{ "BEACON", OPENVSL_IOC_BEACON, VSL_DOOR_CARD, true, false,
	  sizeof(struct openvsl_beacon), &zeros, -EOPNOTSUPP },
	{ "PEEK", OPENVSL_IOC_PEEK, VSL_DOOR_CARD, true, false,
	  sizeof(struct openvsl_peek), &zeros, -EBUSY },
	{ "UPDATE", OPENVSL_IOC_UPDATE, VSL_DOOR_CARD, true, true,
	  sizeof(struct openvsl_update), &right_update, -EBUSY },
	{ "LOGS", OPENVSL_IOC_LOGS, VSL_DOOR_CARD, false, true,
	  sizeof(struct openvsl_logs), &zeros, 0 },
	{ "SIM_DESTROY", OPENVSL_IOC_SIM_DESTROY, VSL_DOOR_CARD, true, false,
	  sizeof(struct openvsl_sim_destroy), &zeros, -EBUSY },
	{ "SIM_POWER", OPENVSL_IOC_SIM_POWER, VSL_DOOR_CARD, true, false,
	  sizeof(struct openvsl_sim_power_arg), &right_sim_power, -EALREADY },
	{ "SIM_FAULT", OPENVSL_IOC_SIM_FAULT, VSL_DOOR_CARD, true, false,
	  sizeof(struct openvsl_sim_fault), &right_sim_fault, 0 },
	{ "SIM_IMAGE", OPENVSL_IOC_SIM_IMAGE, VSL_DOOR_CARD, true, true,
	  sizeof(struct openvsl_sim_image), &right_sim_image, -EBUSY },
};

KUNIT_ARRAY_PARAM_DESC(call, calls, name);

static const struct call *find_call(u32 cmd)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].cmd == cmd)
			return &calls[i];
	return NULL;
}

/* @size is what the structure says, @bytes how much of it is there. */
static long call_sized(struct kunit *test, const struct call *call,
		       union vsl_door_arg *arg, u32 size, size_t bytes)
{
	u8 *large = kunit_kzalloc(test, VSL_DOOR_BYTES_MAX * 2, GFP_KERNEL);
	long ret;

	KUNIT_ASSERT_NOT_NULL(test, large);
	memcpy(large, arg, sizeof(*arg));
	memcpy(large, &size, sizeof(size));
	ret = call_bytes(test, call->cmd, call->node, large, bytes);
	memcpy(arg, large, sizeof(*arg));
	kunit_kfree(test, large);
	return ret;
}

/* Hold the card, and leave no number for another one. */
static void close_doors(struct kunit *test, unsigned long *taken)
{
	hold_card(test);
	stage_take_numbers(taken);
}

static void open_doors(struct kunit *test, unsigned long *taken)
{
	stage_give_numbers(taken);
	release_card(caller_of(test));
}

/* Planted by SIM_FAULT: the right structure takes back what was never planted. */
static union vsl_door_arg right_arg(const struct call *call)
{
	union vsl_door_arg arg = *call->right;

	if (call->cmd == OPENVSL_IOC_SIM_FAULT)
		arg.sim_fault.count = 1;
	return arg;
}
