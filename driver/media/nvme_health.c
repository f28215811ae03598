// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_health.c - how a controller is: its temperature, and what it warns of.
 *
 * The watch asks now and then, and when the card says so (nvme_event.c); who wants
 * to know gets what was found last.  A warning is a line in the log when it comes and
 * one when it goes.
 *
 * H1  What is found is written by the holder of ctrl->life and read by anybody:
 *     single words.
 * H2  A card that does not know the log is asked once only.
 */
#include "nvme.h"

#define ASK_JIFFIES	(10 * HZ)
#define KELVIN_MILLIC	273150

static const char * const warnings[] = {
	"its spare space is low",
	"its temperature is out of bounds",
	"it is not reliable any more",
	"its media is read-only",
	"its memory is not saved when power goes",
};

static int read_smart(struct vsl_nvme_ctrl *ctrl, struct nvme_smart *smart)
{
	int ret = vsl_nvme_get_log(ctrl, NVME_LOG_SMART, sizeof(*smart));

	if (!ret)
		memcpy(smart, ctrl->page, sizeof(*smart));
	return ret;
}

static void take_temperature(struct vsl_nvme_ctrl *ctrl,
			     const struct nvme_smart *smart)
{
	u32 kelvin = smart->temp_kelvin[0] | smart->temp_kelvin[1] << 8;
	s32 millic = (s32)kelvin * 1000 - KELVIN_MILLIC;

	if (!kelvin)
		return;
	WRITE_ONCE(ctrl->temp_millic, millic);
	WRITE_ONCE(ctrl->temp_max_millic, max(millic, ctrl->temp_max_millic));
}

static void tell_warnings(struct vsl_nvme_ctrl *ctrl, u8 now)
{
	u8 changed = now ^ ctrl->warnings;
	struct vsl_nvme_ns *ns;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(warnings); i++)
		if (changed & 1u << i)
			vsl_nvme_log(ctrl, now & 1u << i, "%s: %s",
				     now & 1u << i ? "It warns" :
				     "It warns no more", warnings[i]);
	ctrl->warnings = now;
	if (!changed)
		return;
	list_for_each_entry(ns, &ctrl->namespaces, link)
		vsl_nvme_tell(ns, VSL_EVENT_HEALTH);
}

/**
 * vsl_nvme_look_at_health() - ask the controller, if it is time
 * @ctrl: one that is live
 *
 * Context: process, may sleep, with ctrl->life held.
 */
void vsl_nvme_look_at_health(struct vsl_nvme_ctrl *ctrl)
{
	struct nvme_smart smart;
	int ret;

	if (ctrl->no_smart || time_before(jiffies, ctrl->next_smart))
		return;
	ctrl->next_smart = jiffies + ASK_JIFFIES;
	ret = read_smart(ctrl, &smart);
	if (ret > 0)
		ctrl->no_smart = true;
	if (ret)
		return;
	take_temperature(ctrl, &smart);
	tell_warnings(ctrl, smart.warnings);
	ctrl->errors = le64_to_cpu(smart.errors);
	ctrl->errors_known = true;
}

/**
 * vsl_nvme_health() - vsl_media_ops.health() of all
 * @media: of a struct vsl_nvme_ns
 * @health: filled in
 *
 * Context: any.
 */
void vsl_nvme_health(struct vsl_media *media, struct vsl_media_health *health)
{
	struct vsl_nvme_ns *ns = container_of(media, struct vsl_nvme_ns, media);

	health->temp_millic = READ_ONCE(ns->ctrl->temp_millic);
	health->temp_max_millic = READ_ONCE(ns->ctrl->temp_max_millic);
}
