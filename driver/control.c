// SPDX-License-Identifier: GPL-2.0-only
/*
 * control.c - /dev/openvsl and /dev/fctN, the ioctl door.
 *
 * A call takes this way, and every call takes the same one:
 *
 *	which ioctl is it			vsl_door_find(), else -ENOTTY
 *	may this caller				capable(), else -EPERM
 *	how large is his structure		its first field, vsl_door_size()
 *	copy what both know, rest is zero	his unknown tail must be zero
 *	are the fields right			vsl_door_check()
 *	do it					run_driver_call(), run_card_call()
 *	copy the answer back			as much as he has room for
 *
 * The structure is on the stack, its size bounded by the union; no user pointer
 * is kept.  The nodes can be opened by everybody (0644), for status is everybody's
 * business; what changes something wants CAP_SYS_ADMIN, however the node was
 * opened.
 *
 * A card's node can be open longer than the card is there.  The open file holds
 * the structure; vsl_card_begin() and vsl_report_info() say -ENODEV then.
 */
#include "control.h"

#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>

#include "compat/dev.h"

#include "attach.h"
#include "card.h"
#include "door.h"
#include "peek.h"
#include "report.h"
#include "simcards.h"
#include "update.h"
#include "version.h"

#define NODE_MODE	0644

static dev_t first_devt;

/* ---- /dev/openvsl ------------------------------------------------------- */

static long get_version(struct openvsl_version *version)
{
	memset(version, 0, sizeof(*version));
	version->abi_major = OPENVSL_ABI_MAJOR;
	version->abi_minor = OPENVSL_ABI_MINOR;
	vsl_cards_bitmap(version->cards);
	snprintf(version->driver, sizeof(version->driver), "%s", VSL_VERSION);
	return 0;
}

static long run_driver_call(void *target, u32 cmd, union vsl_door_arg *arg)
{
	switch (cmd) {
	case OPENVSL_IOC_VERSION:
		return get_version(&arg->version);
	case OPENVSL_IOC_SIM_CREATE:
		return vsl_simcard_create(&arg->sim_create);
	default:
		return -ENOTTY;
	}
}

/* ---- /dev/fctN ---------------------------------------------------------- */

static long format_card(struct vsl_card *card, struct openvsl_format *arg)
{
	struct vsl_format format = {
		.label_ts = ktime_get_real_seconds(),
		.sector_bytes = arg->sector_bytes,
		.capacity_bytes = arg->capacity_bytes,
		.overformat = arg->flags & OPENVSL_FORMAT_OVER,
		.parity = arg->flags & OPENVSL_FORMAT_PARITY,
	};

	if (vsl_door_is_zero(arg->uuid, sizeof(arg->uuid)))
		generate_random_uuid(arg->uuid);
	memcpy(format.uuid, arg->uuid, sizeof(format.uuid));
	return vsl_card_format(card, &format);
}

static long attach_card(struct vsl_card *card, const struct openvsl_attach *arg)
{
	u32 flags = 0;

	if (arg->flags & OPENVSL_ATTACH_CLEAN_ONLY)
		flags |= VSL_ATTACH_CLEAN_ONLY;
	if (arg->flags & OPENVSL_ATTACH_RESCAN)
		flags |= VSL_ATTACH_RESCAN;
	if (arg->flags & OPENVSL_ATTACH_READ_ONLY)
		flags |= VSL_ATTACH_READ_ONLY;
	return vsl_card_attach(card, flags);
}

static long run_card_call(void *target, u32 cmd, union vsl_door_arg *arg)
{
	struct vsl_card *card = target;

	switch (cmd) {
	case OPENVSL_IOC_INFO:
		return vsl_report_info(card, &arg->info);
	case OPENVSL_IOC_FORMAT:
		return format_card(card, &arg->format);
	case OPENVSL_IOC_ATTACH:
		return attach_card(card, &arg->attach);
	case OPENVSL_IOC_DETACH:
		return vsl_card_detach(card);
	case OPENVSL_IOC_BEACON:
		return -EOPNOTSUPP;	/* no back end has LEDs yet */
	case OPENVSL_IOC_PEEK:
		return vsl_card_peek(card, &arg->peek);
	case OPENVSL_IOC_UPDATE:
		return vsl_card_update(card, &arg->update);
	case OPENVSL_IOC_LOGS:
		return vsl_card_logs(card, &arg->logs);
	case OPENVSL_IOC_SIM_DESTROY:
		return vsl_simcard_destroy(card);
	case OPENVSL_IOC_SIM_POWER:
		return vsl_simcard_power(card, arg->sim_power.power);
	case OPENVSL_IOC_SIM_FAULT:
		return vsl_simcard_fault(card, &arg->sim_fault);
	case OPENVSL_IOC_SIM_IMAGE:
		return vsl_simcard_image(card, &arg->sim_image);
	default:
		return -ENOTTY;
	}
}

/* ---- the way of every call ---------------------------------------------- */

/* What a caller has behind the structure that we know must be zero. */
static int check_tail(const void __user *tail, size_t bytes)
{
	size_t step;
	u8 part[64];

	for (; bytes; bytes -= step, tail += step) {
		step = min(bytes, sizeof(part));
		if (copy_from_user(part, tail, step))
			return -EFAULT;
		if (!vsl_door_is_zero(part, step))
			return -E2BIG;
	}
	return 0;
}

static int copy_in(const struct vsl_door_call *call, union vsl_door_arg *arg,
		   const void __user *user, u32 *user_size)
{
	u32 size;
	int ret;

	if (get_user(size, (const u32 __user *)user))
		return -EFAULT;
	ret = vsl_door_size(call, size);
	if (ret)
		return ret;

	memset(arg, 0, sizeof(*arg));
	if (copy_from_user(arg, user, min(size, call->bytes)))
		return -EFAULT;
	if (arg->size != size)
		return -EINVAL;		/* changed while we looked */
	if (size > call->bytes)
		ret = check_tail(user + call->bytes, size - call->bytes);
	*user_size = size;
	return ret;
}

static int copy_out(const struct vsl_door_call *call, union vsl_door_arg *arg,
		    void __user *user, u32 user_size)
{
	arg->size = min(user_size, call->bytes);
	return copy_to_user(user, arg, arg->size) ? -EFAULT : 0;
}

static long door(enum vsl_door_node node, void *target, unsigned int cmd,
		 void __user *user,
		 long (*run)(void *target, u32 cmd, union vsl_door_arg *arg))
{
	const struct vsl_door_call *call = vsl_door_find(node, cmd);
	union vsl_door_arg arg;
	u32 user_size;
	long ret;

	if (!call)
		return -ENOTTY;
	if (call->admin && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	ret = copy_in(call, &arg, user, &user_size);
	if (ret)
		return ret;
	ret = vsl_door_check(call, &arg);
	if (ret)
		return ret;
	ret = run(target, call->cmd, &arg);
	if (!ret && _IOC_DIR(call->cmd) & _IOC_READ)
		ret = copy_out(call, &arg, user, user_size);
	return ret;
}

static long driver_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return door(VSL_DOOR_DRIVER, NULL, cmd, (void __user *)arg,
		    run_driver_call);
}

static long card_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return door(VSL_DOOR_CARD, file->private_data, cmd, (void __user *)arg,
		    run_card_call);
}

static int card_open(struct inode *inode, struct file *file)
{
	file->private_data = container_of(inode->i_cdev, struct vsl_card, cdev);
	return 0;
}

/* The structures look the same to 32-bit callers. */
static const struct file_operations driver_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = driver_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static const struct file_operations card_fops = {
	.owner = THIS_MODULE,
	.open = card_open,
	.unlocked_ioctl = card_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* ---- nodes --------------------------------------------------------------- */

static char *card_devnode(compat_devnode_device *dev, umode_t *mode)
{
	if (mode)
		*mode = NODE_MODE;
	return NULL;
}

static struct class card_class = {
	.name = "openvsl",
	.devnode = card_devnode,
};

static struct miscdevice driver_node = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = OPENVSL_NODE,
	.fops = &driver_fops,
	.mode = NODE_MODE,
};

int vsl_control_add(struct vsl_card *card)
{
	card->dev.class = &card_class;
	card->dev.devt = MKDEV(MAJOR(first_devt), card->number);
	cdev_init(&card->cdev, &card_fops);
	card->cdev.owner = THIS_MODULE;
	return cdev_device_add(&card->cdev, &card->dev);
}

void vsl_control_remove(struct vsl_card *card)
{
	cdev_device_del(&card->cdev, &card->dev);
}

int vsl_control_init(void)
{
	int ret;

	ret = class_register(&card_class);
	if (ret)
		return ret;
	ret = alloc_chrdev_region(&first_devt, 0, OPENVSL_CARDS_MAX, "fct");
	if (ret)
		goto out_class;
	ret = misc_register(&driver_node);
	if (ret)
		goto out_region;
	return 0;

out_region:
	unregister_chrdev_region(first_devt, OPENVSL_CARDS_MAX);
out_class:
	class_unregister(&card_class);
	return ret;
}

void vsl_control_exit(void)
{
	misc_deregister(&driver_node);
	unregister_chrdev_region(first_devt, OPENVSL_CARDS_MAX);
	class_unregister(&card_class);
}
