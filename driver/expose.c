// SPDX-License-Identifier: GPL-2.0-only
/*
 * expose.c - /proc/fusion and debugfs.
 *
 * /proc/fusion has what monitoring for VSL reads there, in its format:
 *	/proc/fusion/fctN/status			name and value
 *	/proc/fusion/fio/fioX/data/groomer/stats	third field: a number
 * Two collectors are known to read the latter.  One takes the third field of
 * every line as an integer, the other wants "Blocks Erased:" with a third and a
 * fifth field and "Data copied:" with a third.
 *
 * debugfs is for testers and promises nothing:
 *	openvsl/fctN/stats	everything the core and the simulation count
 *	openvsl/fctN/audit	reading it runs the core's audit (promise P7), with
 *				interrupts off: -27 (-EFBIG) and no audit where
 *				the disk is larger than 8 GiB
 *	openvsl/fctN/fault	write "name unit eu block count every value"
 *
 * Without CONFIG_PROC_FS or CONFIG_DEBUG_FS the calls do nothing and the rest of
 * the driver does not notice.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "card.h"
#include "report.h"
#include "simcards.h"

static struct proc_dir_entry *proc_root;
static struct proc_dir_entry *proc_disks;
static struct dentry *debugfs_root;

/* ---- /proc/fusion -------------------------------------------------------- */

static int status_show(struct seq_file *seq, void *unused)
{
	struct vsl_card *card = seq->private;
	struct openvsl_info info;
	int ret = vsl_report_identity(card, &info);

	if (ret)
		return ret;
	seq_printf(seq, "state: %s\n", vsl_card_state_name(info.state));
	seq_printf(seq, "product: %s\n", info.model);
	seq_printf(seq, "serial: %s\n", info.serial);
	seq_printf(seq, "device: %s\n", info.disk);
	seq_printf(seq, "capacity: %llu\n", info.capacity_bytes);
	return 0;
}

static int groomer_show(struct seq_file *seq, void *unused)
{
	struct vsl_card *card = seq->private;
	struct vsl_core_stats stats;

	vsl_card_recent_stats(card, &stats, NULL);
	seq_printf(seq, "Blocks Erased: %llu bytes: %llu\n", stats.media_erases,
		   stats.media_erases * card->info.eu_blocks * VSL_BLOCK_BYTES);
	seq_printf(seq, "Data copied: %llu bytes\n",
		   stats.media_moved_blocks * VSL_BLOCK_BYTES);
	seq_printf(seq, "Data written: %llu bytes\n",
		   stats.media_write_blocks * VSL_BLOCK_BYTES);
	seq_printf(seq, "Data debt: %llu bytes\n",
		   stats.groom_debt_blocks * VSL_BLOCK_BYTES);
	seq_printf(seq, "Segments free: %u of %u\n", stats.segments_free,
		   stats.segments);
	return 0;
}

void vsl_report_add_disk(struct vsl_card *card, const char *name)
{
	struct proc_dir_entry *dir;

	card->proc_disk = proc_mkdir(name, proc_disks);
	if (!card->proc_disk)
		return;
	dir = proc_mkdir("data", card->proc_disk);
	if (dir)
		dir = proc_mkdir("groomer", dir);
	if (dir)
		proc_create_single_data("stats", 0444, dir, groomer_show, card);
}

void vsl_report_remove_disk(struct vsl_card *card)
{
	proc_remove(card->proc_disk);
	card->proc_disk = NULL;
}

/* ---- debugfs ------------------------------------------------------------- */

static int stats_show(struct seq_file *seq, void *unused)
{
	struct vsl_card *card = seq->private;
	struct vsl_core_stats s;

	vsl_card_stats(card, &s);
	seq_printf(seq, "host_read_blocks %llu\n", s.host_read_blocks);
	seq_printf(seq, "host_write_blocks %llu\n", s.host_write_blocks);
	seq_printf(seq, "host_trim_blocks %llu\n", s.host_trim_blocks);
	seq_printf(seq, "media_read_blocks %llu\n", s.media_read_blocks);
	seq_printf(seq, "media_write_blocks %llu\n", s.media_write_blocks);
	seq_printf(seq, "media_host_blocks %llu\n", s.media_host_blocks);
	seq_printf(seq, "media_moved_blocks %llu\n", s.media_moved_blocks);
	seq_printf(seq, "media_map_blocks %llu\n", s.media_map_blocks);
	seq_printf(seq, "media_head_blocks %llu\n", s.media_head_blocks);
	seq_printf(seq, "media_pad_blocks %llu\n", s.media_pad_blocks);
	seq_printf(seq, "media_parity_blocks %llu\n", s.media_parity_blocks);
	seq_printf(seq, "media_erases %llu\n", s.media_erases);
	seq_printf(seq, "lost_blocks %llu\n", s.lost_blocks);
	seq_printf(seq, "corrupt_blocks %llu\n", s.corrupt_blocks);
	seq_printf(seq, "rebuilt_blocks %llu\n", s.rebuilt_blocks);
	seq_printf(seq, "attach_read_blocks %llu\n", s.attach_read_blocks);
	seq_printf(seq, "groom_debt_blocks %llu\n", s.groom_debt_blocks);
	seq_printf(seq, "segments %u\n", s.segments);
	seq_printf(seq, "segments_free %u\n", s.segments_free);
	seq_printf(seq, "segments_held %u\n", s.segments_held);
	seq_printf(seq, "segment_blocks %u\n", s.segment_blocks);
	seq_printf(seq, "eus_total %u\n", s.eus_total);
	seq_printf(seq, "eus_bad %u\n", s.eus_bad);
	seq_printf(seq, "erase_min %u\n", s.erase_min);
	seq_printf(seq, "erase_max %u\n", s.erase_max);
	seq_printf(seq, "erase_sum %llu\n", s.erase_sum);
	seq_printf(seq, "mapped_blocks %llu\n", s.mapped_blocks);
	seq_printf(seq, "ram_bytes %llu\n", s.ram_bytes);
	seq_printf(seq, "root_generation %llu\n", s.root_generation);
	seq_printf(seq, "tail_blocks %llu\n", s.tail_blocks);
	vsl_simcard_show(card, seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int audit_show(struct seq_file *seq, void *unused)
{
	int ret = vsl_card_audit(seq->private);

	seq_printf(seq, "%d\n", ret);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(audit);

/* "any" and "-" stand for all-ones. */
static int parse_place(char **text, u32 *value)
{
	char *word = strsep(text, " \t\n");

	if (!word || !*word)
		return -EINVAL;
	if (!strcmp(word, "any") || !strcmp(word, "-")) {
		*value = U32_MAX;
		return 0;
	}
	return kstrtou32(word, 0, value);
}

static int parse_fault(char *text, struct openvsl_sim_fault *fault)
{
	char *name = strsep(&text, " \t\n");
	int ret;

	if (strscpy(fault->name, name, sizeof(fault->name)) <= 0)
		return -EINVAL;
	ret = parse_place(&text, &fault->unit);
	if (!ret)
		ret = parse_place(&text, &fault->eu);
	if (!ret)
		ret = parse_place(&text, &fault->block);
	if (!ret)
		ret = parse_place(&text, &fault->count);
	if (!ret)
		ret = parse_place(&text, &fault->every);
	if (!ret)
		ret = kstrtou64(strim(text ? text : ""), 0, &fault->value);
	return ret;
}

static ssize_t fault_write(struct file *file, const char __user *user,
			   size_t bytes, loff_t *pos)
{
	struct vsl_card *card = file_inode(file)->i_private;
	struct openvsl_sim_fault fault = { .size = sizeof(fault) };
	char text[128];
	int ret;

	if (bytes >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, user, bytes))
		return -EFAULT;
	text[bytes] = '\0';
	ret = parse_fault(text, &fault);
	if (!ret)
		ret = vsl_simcard_fault(card, &fault);
	return ret ? ret : bytes;
}

static const struct file_operations fault_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = fault_write,
};

/* ---- cards --------------------------------------------------------------- */

void vsl_report_add(struct vsl_card *card)
{
	const char *name = dev_name(&card->dev);

	card->proc = proc_mkdir(name, proc_root);
	if (card->proc)
		proc_create_single_data("status", 0444, card->proc, status_show,
					card);

	card->debugfs = debugfs_create_dir(name, debugfs_root);
	debugfs_create_file("stats", 0400, card->debugfs, card, &stats_fops);
	debugfs_create_file("audit", 0400, card->debugfs, card, &audit_fops);
	if (card->sim)
		debugfs_create_file("fault", 0200, card->debugfs, card,
				    &fault_fops);
}

void vsl_report_remove(struct vsl_card *card)
{
	debugfs_remove_recursive(card->debugfs);
	proc_remove(card->proc);
}

int vsl_report_init(void)
{
	debugfs_root = debugfs_create_dir("openvsl", NULL);
	proc_root = proc_mkdir("fusion", NULL);
	proc_disks = proc_root ? proc_mkdir("fio", proc_root) : NULL;
	if (IS_ENABLED(CONFIG_PROC_FS) && !proc_disks) {
		vsl_report_exit();
		return -ENOMEM;
	}
	return 0;
}

void vsl_report_exit(void)
{
	proc_remove(proc_root);
	debugfs_remove_recursive(debugfs_root);
}
