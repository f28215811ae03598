// SPDX-License-Identifier: GPL-2.0-only
/*
 * block.c - /dev/fioX, the disk of an attached card.
 *
 * A request becomes a struct vsl_io in the request's own memory and goes to the
 * pump; it comes back through vsl_disk_io_done().  Nothing is allocated on the
 * way, nothing is refused for its shape: the limits given to the block layer
 * make it split what the core would not take in one piece.
 *
 *	pieces of memory	any that are multiples of 512 bytes; VECS_MAX is
 *				what 512 KiB need at the worst alignment
 *	read, write		up to VSL_IO_MAX_SECTORS
 *	discard, write zeroes	any size; both unmap whole blocks
 *	flush, FUA		only where acknowledged does not mean durable
 *
 * No request times out here.  Every operation ends by the back end's duty (rule
 * M5), the core ends every request, and a card that is gone ends all of them.
 *
 * Open and close are counted under disk->lock: the count decides whether a card
 * may be detached, for a mounted file system, md, dm and swap all keep it open.
 * Once @closing is set nobody gets in any more, so the answer stays true.
 *
 * The structure lives as long as anybody has the disk open, which can be longer
 * than the disk is there: the card may be pulled.  It holds the card.
 */
#include "block.h"

#include <linux/kref.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "compat/blk.h"

#include "card.h"
#include "report.h"
#include "trace.h"

/* The kernel deals in pages, the map in blocks: pointers into kernel memory. */
static_assert(IS_ENABLED(CONFIG_64BIT), "openvsl needs a 64-bit kernel");

#define QUEUES_MAX	32u
#define QUEUE_DEPTH	256u

/* 512 KiB guaranteed at any alignment of its first and last sector. */
#define VECS_MAX	(VSL_IO_MAX_SECTORS / VSL_BLOCK_SECTORS + 2)
static_assert(VECS_MAX <= VSL_IO_MAX_VECS);

/* How long closing waits for those who only look. */
#define CLOSE_JIFFIES	HZ

/* What the driver keeps in each request. */
struct cmd {
	struct vsl_io io;
	struct vsl_vec vec[VECS_MAX];
};

struct disk_count {
	u64 ops[VSL_IO_FLUSH + 1];	/* by enum vsl_io_kind */
};

struct vsl_disk {
	struct kref ref;
	struct vsl_card *card;
	struct gendisk *gd;
	struct blk_mq_tag_set tags;
	struct disk_count __percpu *count;
	wait_queue_head_t idle;

	spinlock_t lock;	/* protects everything down to @closing */
	u32 opens;
	bool closing;
};

/* ---- requests ---------------------------------------------------------- */

/* The one place where an errno becomes what the block layer understands. */
static blk_status_t errno_to_status(int error)
{
	switch (error) {
	case 0:
		return BLK_STS_OK;
	case -EINVAL:
		return BLK_STS_NOTSUPP;
	case -EIO:
		/*
		 * The core says so of the media only: lost, unreadable, or not
		 * to be written any more.  Another path would lead to the same
		 * flash, so dm-multipath must not give up this one.  User space
		 * sees ENODATA, as with other disks.
		 */
		return BLK_STS_MEDIUM;
	default:
		/* -EROFS, -ENODEV: nobody above could do better. */
		return BLK_STS_IOERR;
	}
}

void vsl_disk_io_done(struct vsl_io *io)
{
	struct cmd *cmd = container_of(io, struct cmd, io);

	blk_mq_complete_request(blk_mq_rq_from_pdu(cmd));
}

static void disk_complete(struct request *rq)
{
	struct vsl_disk *disk = rq->q->queuedata;
	struct cmd *cmd = blk_mq_rq_to_pdu(rq);
	struct vsl_io *io = &cmd->io;

	this_cpu_inc(disk->count->ops[io->kind]);
	if (unlikely(io->error))
		trace_vsl_io_error(disk->card->number, io);
	blk_mq_end_request(rq, errno_to_status(io->error));
}

static int io_kind(struct request *rq)
{
	switch (req_op(rq)) {
	case REQ_OP_READ:
		return VSL_IO_READ;
	case REQ_OP_WRITE:
		return VSL_IO_WRITE;
	case REQ_OP_FLUSH:
		return VSL_IO_FLUSH;
	case REQ_OP_DISCARD:
		return VSL_IO_TRIM;
	case REQ_OP_WRITE_ZEROES:
		return VSL_IO_ZERO;
	default:
		return -EOPNOTSUPP;
	}
}

/*
 * List the request's memory; neighbours become one piece.  Returns whether it has
 * room for all, as the limits promise.
 */
static bool map_memory(struct request *rq, struct cmd *cmd)
{
	struct vsl_vec *vec = cmd->vec;
	struct req_iterator iter;
	struct bio_vec bv;
	u32 nr = 0;
	void *base;

	rq_for_each_bvec(bv, rq, iter) {
		base = page_address(bv.bv_page) + bv.bv_offset;
		if (nr && vec[nr - 1].base + vec[nr - 1].bytes == base) {
			vec[nr - 1].bytes += bv.bv_len;
			continue;
		}
		if (WARN_ON_ONCE(nr == VECS_MAX))
			return false;
		vec[nr].base = base;
		vec[nr].bytes = bv.bv_len;
		nr++;
	}
	cmd->io.vec = vec;
	cmd->io.nr_vecs = nr;
	return true;
}

static blk_status_t disk_queue_rq(struct blk_mq_hw_ctx *hctx,
				  const struct blk_mq_queue_data *bd)
{
	struct vsl_disk *disk = hctx->queue->queuedata;
	struct request *rq = bd->rq;
	struct cmd *cmd = blk_mq_rq_to_pdu(rq);
	struct vsl_io *io = &cmd->io;
	int kind = io_kind(rq);

	if (kind < 0)
		return BLK_STS_NOTSUPP;

	memset(io, 0, sizeof(*io));
	io->kind = kind;
	if (kind != VSL_IO_FLUSH) {
		io->sector = blk_rq_pos(rq);
		io->nr_sectors = blk_rq_sectors(rq);
	}
	if ((kind == VSL_IO_READ || kind == VSL_IO_WRITE) &&
	    !map_memory(rq, cmd))
		return BLK_STS_IOERR;
	if (rq->cmd_flags & REQ_FUA)
		io->flags |= VSL_IO_FUA;

	blk_mq_start_request(rq);
	vsl_pump_submit(&disk->card->pump, io);
	return BLK_STS_OK;
}

static enum blk_eh_timer_return disk_timeout(struct request *rq)
{
	return BLK_EH_RESET_TIMER;
}

static const struct blk_mq_ops disk_mq_ops = {
	.queue_rq = disk_queue_rq,
	.complete = disk_complete,
	.timeout = disk_timeout,
};

/* ---- open and close ---------------------------------------------------- */

static void disk_free(struct kref *ref)
{
	struct vsl_disk *disk = container_of(ref, struct vsl_disk, ref);

	free_percpu(disk->count);
	put_device(&disk->card->dev);
	kfree(disk);
}

static void disk_put(struct vsl_disk *disk)
{
	kref_put(&disk->ref, disk_free);
}

static int disk_open(compat_open_target *target, blk_mode_t mode)
{
	struct vsl_disk *disk = compat_open_disk(target)->private_data;
	int ret = 0;

	spin_lock(&disk->lock);
	if (disk->closing) {
		ret = -ENXIO;
	} else {
		disk->opens++;
		kref_get(&disk->ref);
	}
	spin_unlock(&disk->lock);
	return ret;
}

static void disk_release(COMPAT_RELEASE_ARGS)
{
	struct vsl_disk *disk = gd->private_data;

	spin_lock(&disk->lock);
	disk->opens--;
	if (!disk->opens)
		wake_up_all(&disk->idle);
	spin_unlock(&disk->lock);
	disk_put(disk);
}

static const struct block_device_operations disk_fops = {
	.owner = THIS_MODULE,
	.open = disk_open,
	.release = disk_release,
};

static bool try_close(struct vsl_disk *disk)
{
	bool closed;

	spin_lock(&disk->lock);
	if (!disk->opens)
		disk->closing = true;
	closed = disk->closing;
	spin_unlock(&disk->lock);
	return closed;
}

int vsl_disk_close(struct vsl_disk *disk)
{
	if (!wait_event_timeout(disk->idle, try_close(disk), CLOSE_JIFFIES))
		return -EBUSY;
	return 0;
}

bool vsl_disk_is_open(struct vsl_disk *disk)
{
	return READ_ONCE(disk->opens);
}

/* ---- attributes of the disk, for udev's by-id links -------------------- */

static struct vsl_card *dev_to_card(struct device *dev)
{
	struct vsl_disk *disk = dev_to_disk(dev)->private_data;

	return disk->card;
}

static ssize_t serial_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n", dev_to_card(dev)->info.serial);
}

static ssize_t wwid_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "uuid.%pUb\n", dev_to_card(dev)->found.uuid);
}

static DEVICE_ATTR_RO(serial);
static DEVICE_ATTR_RO(wwid);

static struct attribute *disk_attrs[] = {
	&dev_attr_serial.attr,
	&dev_attr_wwid.attr,
	NULL,
};
ATTRIBUTE_GROUPS(disk);

/* ---- life -------------------------------------------------------------- */

/* Card 0 has fioa, 25 fioz, 26 fioaa: as sd does it. */
static void name_disk(struct gendisk *gd, u32 number)
{
	char letters[8];
	char *at = letters + sizeof(letters) - 1;

	*at = '\0';
	for (number++; number; number = (number - 1) / 26)
		*--at = 'a' + (number - 1) % 26;
	snprintf(gd->disk_name, sizeof(gd->disk_name), "fio%s", at);
}

static int init_tags(struct vsl_disk *disk)
{
	struct blk_mq_tag_set *tags = &disk->tags;

	tags->ops = &disk_mq_ops;
	tags->nr_hw_queues = min(num_online_cpus(), QUEUES_MAX);
	tags->queue_depth = QUEUE_DEPTH;
	tags->numa_node = dev_to_node(&disk->card->dev);
	tags->cmd_size = sizeof(struct cmd);
	tags->flags = BLK_MQ_F_SHOULD_MERGE | BLK_MQ_F_NO_SCHED_BY_DEFAULT;
	return blk_mq_alloc_tag_set(tags);
}

static struct gendisk *alloc_gendisk(struct vsl_disk *disk,
				     const struct vsl_disk_config *config)
{
	struct compat_disk_limits limits = {
		.logical_bytes = config->sector_bytes,
		.physical_bytes = VSL_BLOCK_BYTES,
		.io_opt_bytes = config->io_opt_bytes,
		.max_hw_sectors = VSL_IO_MAX_SECTORS,
		.max_segments = VECS_MAX,
		.discard_bytes = VSL_BLOCK_BYTES,
		.atomic_bytes = config->atomic_bytes,
		.write_cache = config->write_cache,
	};
	struct gendisk *gd;

	gd = compat_disk_alloc(&disk->tags, disk, &limits);
	if (IS_ERR(gd))
		return gd;
	gd->fops = &disk_fops;
	gd->private_data = disk;
	name_disk(gd, disk->card->number);
	set_capacity(gd, config->sectors);
	set_disk_ro(gd, config->read_only);
	return gd;
}

static struct vsl_disk *alloc_disk_struct(struct vsl_card *card)
{
	struct vsl_disk *disk = kzalloc(sizeof(*disk), GFP_KERNEL);

	if (!disk)
		return NULL;
	disk->count = alloc_percpu(struct disk_count);
	if (!disk->count) {
		kfree(disk);
		return NULL;
	}
	kref_init(&disk->ref);
	spin_lock_init(&disk->lock);
	init_waitqueue_head(&disk->idle);
	get_device(&card->dev);
	disk->card = card;
	return disk;
}

static int add_disk_to(struct vsl_card *card, struct gendisk *gd)
{
	int ret = device_add_disk(&card->dev, gd, disk_groups);

	/* It does not look whether there was memory for the name. */
	if (ret == -EINVAL && !dev_name(disk_to_dev(gd)))
		ret = -ENOMEM;
	return ret;
}

int vsl_disk_create(struct vsl_card *card, const struct vsl_disk_config *config,
		    struct vsl_disk **out)
{
	struct vsl_disk *disk;
	int ret;

	disk = alloc_disk_struct(card);
	if (!disk)
		return -ENOMEM;

	ret = init_tags(disk);
	if (ret)
		goto out_put;

	disk->gd = alloc_gendisk(disk, config);
	if (IS_ERR(disk->gd)) {
		ret = PTR_ERR(disk->gd);
		goto out_free_tags;
	}

	ret = add_disk_to(card, disk->gd);
	if (ret)
		goto out_put_gendisk;

	vsl_log(card, VSL_LOG_INFO,
		"Creating block device %s: major: %d minor: %d sector size: %u",
		disk->gd->disk_name, MAJOR(disk_devt(disk->gd)),
		MINOR(disk_devt(disk->gd)), config->sector_bytes);
	*out = disk;
	return 0;

out_put_gendisk:
	put_disk(disk->gd);
out_free_tags:
	blk_mq_free_tag_set(&disk->tags);
out_put:
	disk_put(disk);
	return ret;
}

void vsl_disk_destroy(struct vsl_disk *disk)
{
	del_gendisk(disk->gd);
	put_disk(disk->gd);
	blk_mq_free_tag_set(&disk->tags);
	disk_put(disk);
}

void vsl_disk_kill(struct vsl_disk *disk)
{
	blk_mark_disk_dead(disk->gd);
}

void vsl_disk_set_read_only(struct vsl_disk *disk)
{
	set_disk_ro(disk->gd, true);
}

const char *vsl_disk_name(const struct vsl_disk *disk)
{
	return disk->gd->disk_name;
}

void vsl_disk_count(struct vsl_disk *disk, u64 *reads, u64 *writes)
{
	int cpu;

	*reads = 0;
	*writes = 0;
	for_each_possible_cpu(cpu) {
		*reads += per_cpu_ptr(disk->count, cpu)->ops[VSL_IO_READ];
		*writes += per_cpu_ptr(disk->count, cpu)->ops[VSL_IO_WRITE];
	}
}
