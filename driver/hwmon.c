// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwmon.c - the temperature of a card, where sensors(1) and monitoring look for it.
 *
 * Its parent is the device that the card is on: sensors knows those by their bus,
 * and nothing of our class.  What is shown is what the back end knows already; no
 * reader makes the card do anything.
 *
 * Without CONFIG_HWMON, or where it is a module and this driver is not, the calls do
 * nothing.
 */
#include <linux/err.h>
#include <linux/hwmon.h>

#include "card.h"
#include "report.h"

#if IS_REACHABLE(CONFIG_HWMON)

static umode_t is_visible(const void *data, enum hwmon_sensor_types type,
			  u32 attr, int channel)
{
	return 0444;
}

static int read(struct device *dev, enum hwmon_sensor_types type, u32 attr,
		int channel, long *value)
{
	struct vsl_card *card = dev_get_drvdata(dev);
	struct vsl_media_health health;

	card->media->ops->health(card->media, &health);
	*value = attr == hwmon_temp_highest ? health.temp_max_millic :
		 health.temp_millic;
	return *value == S32_MIN ? -ENODATA : 0;
}

static int read_string(struct device *dev, enum hwmon_sensor_types type,
		       u32 attr, int channel, const char **text)
{
	struct vsl_card *card = dev_get_drvdata(dev);

	*text = dev_name(&card->dev);
	return 0;
}

static const struct hwmon_ops ops = {
	.is_visible = is_visible,
	.read = read,
	.read_string = read_string,
};

static const struct hwmon_channel_info *channels[] = {
	HWMON_CHANNEL_INFO(temp,
			   HWMON_T_INPUT | HWMON_T_HIGHEST | HWMON_T_LABEL),
	NULL
};

static const struct hwmon_chip_info chip = {
	.ops = &ops,
	.info = channels,
};

void vsl_report_add_sensor(struct vsl_card *card)
{
	struct device *hwmon;

	if (!card->media->ops->health || !card->dev.parent)
		return;
	hwmon = hwmon_device_register_with_info(card->dev.parent, "openvsl",
						card, &chip, NULL);
	if (IS_ERR(hwmon)) {
		vsl_log(card, VSL_LOG_WARN, "Its temperature has no sensor: %ld",
			PTR_ERR(hwmon));
		return;
	}
	card->hwmon = hwmon;
}

void vsl_report_remove_sensor(struct vsl_card *card)
{
	if (card->hwmon)
		hwmon_device_unregister(card->hwmon);
	card->hwmon = NULL;
}

#else

void vsl_report_add_sensor(struct vsl_card *card)
{
}

void vsl_report_remove_sensor(struct vsl_card *card)
{
}

#endif
