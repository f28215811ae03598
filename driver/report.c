// SPDX-License-Identifier: GPL-2.0-only
/*
 * report.c - what the driver tells: log lines, status, sysfs attributes.
 *
 * All status of a card is gathered in one place, vsl_report_info(), in the
 * structure that the ioctl hands out; sysfs shows fields of it by name.  So the
 * two cannot disagree.
 *
 * Anybody may ask, as often as he likes.  So the counters in it are a snapshot
 * that may be a tenth of a second old (vsl_card_recent_stats()), and who shows
 * none of them does not ask the core at all.
 *
 * A card that was never attached since it was found has no counters; what it had
 * when it was last attached stays readable after a detach.
 *
 * Log lines begin with fioinf or fioerr and the card's label, which tools look
 * for.  What the core says is rate-limited, what happens to a card is not: that
 * is one line for each change of state.
 */
#include "report.h"

#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/pci.h>
#include <linux/ratelimit.h>
#include <linux/timekeeping.h>

#define CREATE_TRACE_POINTS
#include "trace.h"

#include "block.h"
#include "card.h"

/* ---- log lines ---------------------------------------------------------- */

static void log_line(struct vsl_card *card, enum vsl_log_level level,
		     struct va_format *vaf)
{
	switch (level) {
	case VSL_LOG_ERROR:
		pr_err("fioerr %s: %pV\n", card->label, vaf);
		break;
	case VSL_LOG_WARN:
		pr_warn("fioerr %s: %pV\n", card->label, vaf);
		break;
	default:
		pr_info("fioinf %s: %pV\n", card->label, vaf);
	}
}

void vsl_log(struct vsl_card *card, enum vsl_log_level level,
	     const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	log_line(card, level, &vaf);
	va_end(args);
}

void vsl_report_core_log(void *ctx, enum vsl_log_level level,
			 const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	struct vsl_card *card = ctx;
	va_list args;

	if (!__ratelimit(&card->log_limit))
		return;
	va_start(args, fmt);
	vaf.va = &args;
	log_line(card, level, &vaf);
	va_end(args);
}

void vsl_report_state(struct vsl_card *card, u32 from, u32 to)
{
	const char *name = vsl_card_state_name(to);

	trace_vsl_state(card->number, from, to, name);
	vsl_log(card, to == OPENVSL_STATE_ERROR ? VSL_LOG_ERROR : VSL_LOG_INFO,
		"fct%u is %s", card->number,
		to == OPENVSL_STATE_UNKNOWN ? "removed" : name);
	if (device_is_registered(&card->dev))
		sysfs_notify(&card->dev.kobj, NULL, "state");
}

/* ---- status ------------------------------------------------------------- */

#define BLOCKS(n)	((u64)(n) * VSL_BLOCK_BYTES)

/* How it is; the media is there as long as the card is not removed. */
static void info_of_health(struct vsl_media *media, struct openvsl_info *info)
{
	struct vsl_media_health health;

	if (!media->ops->health)
		return;
	media->ops->health(media, &health);
	info->temp_millic = health.temp_millic;
	info->temp_max_millic = health.temp_max_millic;
}

/* What runs may be another than when it was found. */
static void info_of_logs(struct vsl_media *media, struct openvsl_info *info)
{
	struct vsl_media_logs logs;

	if (!media->ops->logs)
		return;
	media->ops->logs(media, &logs);
	if (*logs.firmware)
		strscpy(info->firmware, logs.firmware, sizeof(info->firmware));
}

/* Where it is plugged in; @parent is there as long as the card is not removed. */
static void info_of_pci(const struct device *parent, struct openvsl_info *info)
{
	struct pci_dev *pdev;

	if (!parent || !dev_is_pci(parent))
		return;
	pdev = to_pci_dev(parent);
	info->pci_domain = pci_domain_nr(pdev->bus);
	info->pci_bus = pdev->bus->number;
	info->pci_slot = PCI_SLOT(pdev->devfn);
	info->pci_function = PCI_FUNC(pdev->devfn);
	info->pci_vendor = pdev->vendor;
	info->pci_device = pdev->device;
	info->pci_subvendor = pdev->subsystem_vendor;
	info->pci_subdevice = pdev->subsystem_device;
}

static void info_of_card(struct vsl_card *card, struct openvsl_info *info)
{
	const struct vsl_media_info *media = &card->info;

	info->card = card->number;
	info->factory_bytes = media->factory_bytes;
	info->units = media->units;
	info->eus = media->eus;
	info->eu_blocks = media->eu_blocks;
	info->erase_cycles = media->erase_cycles;
	info->pci_domain = U32_MAX;
	info->temp_millic = S32_MIN;
	info->temp_max_millic = S32_MIN;
	strscpy(info->model, media->model, sizeof(info->model));
	strscpy(info->serial, media->serial, sizeof(info->serial));
	strscpy(info->firmware, media->firmware, sizeof(info->firmware));
	if (media->flags & VSL_MEDIA_VIRTUAL)
		info->flags |= OPENVSL_INFO_VIRTUAL;
	if (media->flags & VSL_MEDIA_PLP)
		info->flags |= OPENVSL_INFO_PLP;
	if (media->flags & VSL_MEDIA_LINEAR)
		info->flags |= OPENVSL_INFO_LINEAR;
}

static bool is_working(u32 state)
{
	return state == OPENVSL_STATE_ATTACHING ||
	       state == OPENVSL_STATE_DETACHING ||
	       state == OPENVSL_STATE_SCANNING ||
	       state == OPENVSL_STATE_FORMATTING ||
	       state == OPENVSL_STATE_UPDATING;
}

static void info_of_state_locked(struct vsl_card *card,
				 struct openvsl_info *info)
{
	const struct vsl_label *found = &card->found;

	lockdep_assert_held(&card->lock);

	info->state = card->state;
	info->minimal_reason = card->minimal_reason;
	info->last_error = card->last_error;
	info->progress_permille = is_working(card->state) || card->updating ?
				  READ_ONCE(card->progress) : 1000;
	info->advertised_bytes = card->limits.advertised_bytes;
	info->max_bytes = card->limits.max_bytes;
	info->physical_bytes = card->limits.physical_bytes;
	info->format_version = found->version;
	if (!card->removed) {
		info_of_pci(card->dev.parent, info);
		info_of_health(card->media, info);
		info_of_logs(card->media, info);
	}
	info->attach_ns = card->attach_ns;
	info->ram_peak_bytes = card->ram_peak_bytes;
	if (found->formatted) {
		info->flags |= OPENVSL_INFO_FORMATTED;
		if (found->clean)
			info->flags |= OPENVSL_INFO_CLEAN;
		if (found->parity)
			info->flags |= OPENVSL_INFO_PARITY;
		info->sector_bytes = found->sector_bytes;
		info->capacity_bytes = found->capacity_bytes;
		memcpy(info->format_uuid, found->uuid,
		       sizeof(info->format_uuid));
		info->format_ts = found->label_ts;
		info->generation = found->generation;
	}
	if (card->disk) {
		strscpy(info->disk, vsl_disk_name(card->disk),
			sizeof(info->disk));
		vsl_disk_count(card->disk, &info->session_read_ops,
			       &info->session_write_ops);
		if (vsl_disk_is_open(card->disk))
			info->flags |= OPENVSL_INFO_BUSY;
	}
}

/* When the scrubber was last through, by the clock on the wall. */
static s64 pass_ts(const struct vsl_core_stats *stats)
{
	if (!stats->scrub_passes)
		return 0;
	return ktime_get_real_seconds() -
	       (s64)((vsl_port_now_ns() - stats->scrub_passed_ns) /
		     NSEC_PER_SEC);
}

static void info_of_stats(struct vsl_card *card,
			  const struct vsl_core_stats *stats,
			  const struct vsl_core_stats *base, bool attached,
			  struct openvsl_info *info)
{
	info->health = stats->health;
	info->reduced_reason = stats->reason;
	info->spare_permyriad = stats->spare_permyriad;
	info->spare_warn_permyriad = stats->spare_warn_permyriad;
	info->erase_min = stats->erase_min;
	info->erase_max = stats->erase_max;
	info->erase_sum = stats->erase_sum;
	info->eus_total = stats->eus_total;
	info->eus_bad = stats->eus_bad;
	if (stats->eus_total)
		info->active_permyriad = (stats->eus_total - stats->eus_bad) *
					 10000ULL / stats->eus_total;
	info->host_read_bytes = BLOCKS(stats->host_read_blocks);
	info->host_written_bytes = BLOCKS(stats->host_write_blocks);
	info->media_read_bytes = BLOCKS(stats->media_read_blocks);
	info->media_written_bytes = BLOCKS(stats->media_write_blocks);
	info->lost_blocks = stats->lost_blocks;
	info->corrupt_blocks = stats->corrupt_blocks;
	info->scrub_blocks = stats->scrub_blocks;
	info->scrub_bad = stats->scrub_bad;
	info->scrub_pass_ts = pass_ts(stats);
	info->session_refreshed_bytes = BLOCKS(stats->refreshed_blocks);
	info->session_levelled_bytes = BLOCKS(stats->levelled_blocks);
	info->rebuilt_blocks = stats->rebuilt_blocks;
	info->mapped_bytes = BLOCKS(stats->mapped_blocks);
	info->attach_read_bytes = BLOCKS(stats->attach_read_blocks);
	info->session_moved_bytes = BLOCKS(stats->media_moved_blocks -
					   base->media_moved_blocks);
	info->session_erased_bytes = BLOCKS((stats->media_erases -
					     base->media_erases) *
					    card->info.eu_blocks);
	info->segments = stats->segments;
	info->segments_free = stats->segments_free;
	if (attached) {
		info->ram_bytes = stats->ram_bytes;
		info->groom_debt_bytes = BLOCKS(stats->groom_debt_blocks);
		info->generation = stats->root_generation;
	}
}

int vsl_report_identity(struct vsl_card *card, struct openvsl_info *info)
{
	bool removed;

	memset(info, 0, sizeof(*info));
	info_of_card(card, info);
	spin_lock(&card->lock);
	removed = card->removed;
	info_of_state_locked(card, info);
	spin_unlock(&card->lock);
	return removed ? -ENODEV : 0;
}

int vsl_report_info(struct vsl_card *card, struct openvsl_info *info)
{
	struct vsl_core_stats stats, base;
	bool attached;
	int ret;

	/* First: the peak of memory in the state takes part in it. */
	attached = vsl_card_recent_stats(card, &stats, &base);
	ret = vsl_report_identity(card, info);
	/* Never attached: nothing is known, and nothing is wrong. */
	if (stats.eus_total)
		info_of_stats(card, &stats, &base, attached, info);
	else
		info->spare_permyriad = 10000;
	return ret;
}

/* ---- sysfs: fields of the status, one a file ----------------------------- */

enum attr_kind { KIND_U32, KIND_S32, KIND_U64, KIND_TEXT, KIND_UUID,
		 KIND_STATE, KIND_HEALTH };

struct info_attr {
	struct device_attribute attr;
	u16 offset;
	u8 kind;
};

static const char *health_name(u32 health)
{
	switch (health) {
	case OPENVSL_HEALTHY:
		return "healthy";
	case OPENVSL_WRITE_REDUCED:
		return "write-reduced";
	default:
		return "read-only";
	}
}

/* Shown without a look at what the core counts. */
static bool is_identity(u8 kind)
{
	return kind == KIND_TEXT || kind == KIND_UUID || kind == KIND_STATE;
}

static ssize_t info_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	struct vsl_card *card = container_of(dev, struct vsl_card, dev);
	struct info_attr *which = container_of(attr, struct info_attr, attr);
	struct openvsl_info info;
	const void *field = (const void *)&info + which->offset;
	int ret;

	ret = is_identity(which->kind) ? vsl_report_identity(card, &info) :
					 vsl_report_info(card, &info);
	if (ret)
		return ret;
	switch (which->kind) {
	case KIND_U32:
		return sysfs_emit(buf, "%u\n", *(const u32 *)field);
	case KIND_S32:
		return sysfs_emit(buf, "%d\n", *(const s32 *)field);
	case KIND_U64:
		return sysfs_emit(buf, "%llu\n", *(const u64 *)field);
	case KIND_UUID:
		return sysfs_emit(buf, "%pUb\n", field);
	case KIND_STATE:
		return sysfs_emit(buf, "%s\n", vsl_card_state_name(info.state));
	case KIND_HEALTH:
		return sysfs_emit(buf, "%s\n", health_name(info.health));
	default:
		return sysfs_emit(buf, "%s\n", (const char *)field);
	}
}

#define INFO_ATTR(_name, _kind)						\
static struct info_attr info_##_name = {				\
	.attr = {							\
		.attr = { .name = #_name, .mode = 0444 },		\
		.show = info_show,					\
	},								\
	.offset = offsetof(struct openvsl_info, _name),			\
	.kind = KIND_##_kind,						\
}

INFO_ATTR(state, STATE);
INFO_ATTR(minimal_reason, U32);
INFO_ATTR(health, HEALTH);
INFO_ATTR(reduced_reason, U32);
INFO_ATTR(last_error, S32);
INFO_ATTR(progress_permille, U32);
INFO_ATTR(model, TEXT);
INFO_ATTR(serial, TEXT);
INFO_ATTR(firmware, TEXT);
INFO_ATTR(disk, TEXT);
INFO_ATTR(format_uuid, UUID);
INFO_ATTR(sector_bytes, U32);
INFO_ATTR(capacity_bytes, U64);
INFO_ATTR(factory_bytes, U64);
INFO_ATTR(advertised_bytes, U64);
INFO_ATTR(max_bytes, U64);
INFO_ATTR(physical_bytes, U64);
INFO_ATTR(spare_permyriad, U32);
INFO_ATTR(eus_total, U32);
INFO_ATTR(eus_bad, U32);
INFO_ATTR(erase_min, U32);
INFO_ATTR(erase_max, U32);
INFO_ATTR(erase_sum, U64);
INFO_ATTR(host_read_bytes, U64);
INFO_ATTR(host_written_bytes, U64);
INFO_ATTR(media_read_bytes, U64);
INFO_ATTR(media_written_bytes, U64);
INFO_ATTR(lost_blocks, U64);
INFO_ATTR(corrupt_blocks, U64);
INFO_ATTR(scrub_blocks, U64);
INFO_ATTR(scrub_bad, U64);
INFO_ATTR(scrub_pass_ts, U64);
INFO_ATTR(session_refreshed_bytes, U64);
INFO_ATTR(session_levelled_bytes, U64);
INFO_ATTR(rebuilt_blocks, U64);
INFO_ATTR(mapped_bytes, U64);
INFO_ATTR(ram_bytes, U64);
INFO_ATTR(segments, U64);
INFO_ATTR(segments_free, U64);
INFO_ATTR(groom_debt_bytes, U64);
INFO_ATTR(attach_ns, U64);
INFO_ATTR(attach_read_bytes, U64);

static struct attribute *card_attrs[] = {
	&info_state.attr.attr,
	&info_minimal_reason.attr.attr,
	&info_health.attr.attr,
	&info_reduced_reason.attr.attr,
	&info_last_error.attr.attr,
	&info_progress_permille.attr.attr,
	&info_model.attr.attr,
	&info_serial.attr.attr,
	&info_firmware.attr.attr,
	&info_disk.attr.attr,
	&info_format_uuid.attr.attr,
	&info_sector_bytes.attr.attr,
	&info_capacity_bytes.attr.attr,
	&info_factory_bytes.attr.attr,
	&info_advertised_bytes.attr.attr,
	&info_max_bytes.attr.attr,
	&info_physical_bytes.attr.attr,
	&info_spare_permyriad.attr.attr,
	&info_eus_total.attr.attr,
	&info_eus_bad.attr.attr,
	&info_erase_min.attr.attr,
	&info_erase_max.attr.attr,
	&info_erase_sum.attr.attr,
	&info_host_read_bytes.attr.attr,
	&info_host_written_bytes.attr.attr,
	&info_media_read_bytes.attr.attr,
	&info_media_written_bytes.attr.attr,
	&info_lost_blocks.attr.attr,
	&info_corrupt_blocks.attr.attr,
	&info_scrub_blocks.attr.attr,
	&info_scrub_bad.attr.attr,
	&info_scrub_pass_ts.attr.attr,
	&info_session_refreshed_bytes.attr.attr,
	&info_session_levelled_bytes.attr.attr,
	&info_rebuilt_blocks.attr.attr,
	&info_mapped_bytes.attr.attr,
	&info_ram_bytes.attr.attr,
	&info_segments.attr.attr,
	&info_segments_free.attr.attr,
	&info_groom_debt_bytes.attr.attr,
	&info_attach_ns.attr.attr,
	&info_attach_read_bytes.attr.attr,
	NULL,
};

static const struct attribute_group card_group = { .attrs = card_attrs };

const struct attribute_group *vsl_card_groups[] = { &card_group, NULL };
