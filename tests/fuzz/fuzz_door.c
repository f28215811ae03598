// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_door.c - every structure that an ioctl takes.
 *
 * An input is: which node, the ioctl's number, then the caller's memory, whose
 * first four bytes say how large it is.  It is taken in the way control.c does it,
 * by the checks of door.c; what they let pass must be what the ABI says
 * (include/uapi/openvsl.h), told here once more, and whoever does the work must be
 * able to take it: presets, faults, formats, pieces of images.
 */
#include <stdlib.h>

#include "../../driver/core/core.h"
#include "../../driver/core/layout.h"
#include "../../driver/door.h"
#include "../../driver/media/sim.h"
#include "feed.h"

/* Numbers of all calls, and one that is none. */
static const u32 numbers[] = {
	OPENVSL_IOC_VERSION, OPENVSL_IOC_SIM_CREATE, OPENVSL_IOC_INFO,
	OPENVSL_IOC_FORMAT, OPENVSL_IOC_ATTACH, OPENVSL_IOC_DETACH,
	OPENVSL_IOC_BEACON, OPENVSL_IOC_SIM_DESTROY, OPENVSL_IOC_SIM_POWER,
	OPENVSL_IOC_SIM_FAULT, OPENVSL_IOC_SIM_IMAGE, 0, OPENVSL_IOC_PEEK,
	OPENVSL_IOC_UPDATE, OPENVSL_IOC_LOGS,
};

/* As copy_in() of control.c.  Return: 0 or -errno */
static int take(const struct vsl_door_call *call, struct feed *feed,
		union vsl_door_arg *arg)
{
	u8 tail[VSL_DOOR_BYTES_MAX];
	struct feed whole = *feed;
	u32 size = (u32)feed_u64(feed, 4);
	int ret = vsl_door_size(call, size);

	if (ret)
		return ret;
	MUST(size >= call->min_bytes && size <= VSL_DOOR_BYTES_MAX);
	memset(arg, 0, sizeof(*arg));
	feed_bytes(&whole, arg, min(size, call->bytes));
	if (size > call->bytes) {
		feed_bytes(&whole, tail, size - call->bytes);
		if (!vsl_door_is_zero(tail, size - call->bytes))
			return -E2BIG;
	}
	return 0;
}

/* ---- what passed ----------------------------------------------------------- */

static void must_be_text(const char *field, size_t bytes)
{
	size_t len = strnlen(field, bytes);

	MUST(len && len < bytes);
	for (; len < bytes; len++)
		MUST(!field[len]);
}

static void use_create(const struct openvsl_sim_create *create)
{
	struct vsl_sim_config config;
	struct vsl_media_info info = { 0 };
	struct vsl_geo geo;

	must_be_text(create->preset, sizeof(create->preset));
	MUST(!create->pad && !(create->flags & ~OPENVSL_SIM_TIMED));
	if (vsl_sim_preset(create->preset, create->capacity_bytes, &config))
		return;
	/* whatever is asked for, the core can serve such a card */
	info.units = config.units;
	info.eus = config.eus;
	info.eu_blocks = config.eu_blocks;
	info.ws_min = config.ws_min;
	info.ws_opt = config.ws_opt;
	info.hole = config.hole;
	info.max_blocks = config.max_blocks;
	MUST(!vsl_geo_init(&geo, &info));
}

static struct vsl_sim *small_card(void)
{
	static struct vsl_sim *sim;
	struct vsl_sim_config config;
	struct vsl_sim_env env = { .ctx = NULL };

	if (sim)
		return sim;
	MUST(!vsl_sim_preset("tiny", 0, &config));
	config.flags |= VSL_SIM_INLINE;
	MUST(!vsl_sim_create(&config, &env, &sim));
	return sim;
}

static void use_fault(const struct openvsl_sim_fault *arg)
{
	struct vsl_sim_fault fault = {
		.name = arg->name,
		.unit = arg->unit,
		.eu = arg->eu,
		.block = arg->block,
		.count = arg->count,
		.every = arg->every,
		.value = arg->value,
	};

	must_be_text(arg->name, sizeof(arg->name));
	vsl_sim_plant(small_card(), &fault);
	vsl_sim_heal(small_card());
}

static void use_image(const struct openvsl_sim_image *image)
{
	static u64 buf[2 * VSL_BLOCK_BYTES / 8];
	u32 bytes = min_t(u32, image->bytes, sizeof(buf)), done;
	u64 total;

	MUST(image->write <= 1 && image->bytes && image->bytes <= 1u << 20);
	MUST(!((image->offset | image->bytes) % VSL_BLOCK_BYTES));
	if (image->write)
		vsl_sim_image_write(small_card(), image->offset, buf, bytes,
				    &done, &total);
	else
		vsl_sim_image_read(small_card(), image->offset, buf, bytes,
				   &done, &total);
	vsl_sim_image_drop(small_card());
}

static void use(u32 cmd, const union vsl_door_arg *arg)
{
	switch (cmd) {
	case OPENVSL_IOC_SIM_CREATE:
		use_create(&arg->sim_create);
		break;
	case OPENVSL_IOC_FORMAT:
		MUST(arg->format.sector_bytes == 512 ||
		     arg->format.sector_bytes == 4096);
		MUST(!(arg->format.flags & ~(OPENVSL_FORMAT_OVER | OPENVSL_FORMAT_PARITY)));
		MUST(!(arg->format.capacity_bytes & 4095) && !arg->format.pad);
		break;
	case OPENVSL_IOC_ATTACH:
		MUST(arg->attach.flags < 8);
		break;
	case OPENVSL_IOC_DETACH:
		MUST(!arg->detach.flags);
		break;
	case OPENVSL_IOC_BEACON:
		MUST(arg->beacon.on < 2);
		break;
	case OPENVSL_IOC_UPDATE:
		MUST(arg->update.slot <= OPENVSL_SLOTS && !arg->update.end);
		MUST(!(arg->update.flags & ~OPENVSL_UPDATE_NOW) && !arg->update.pad);
		MUST(arg->update.bytes && !(arg->update.bytes & 3));
		MUST(arg->update.bytes <= 64u << 20);
		break;
	case OPENVSL_IOC_SIM_DESTROY:
		MUST(!arg->sim_destroy.flags);
		break;
	case OPENVSL_IOC_SIM_POWER:
		MUST(arg->sim_power.power < 2);
		break;
	case OPENVSL_IOC_SIM_FAULT:
		use_fault(&arg->sim_fault);
		break;
	case OPENVSL_IOC_SIM_IMAGE:
		use_image(&arg->sim_image);
		break;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct feed feed = { .at = data, .left = size };
	u8 which = feed_u8(&feed);
	enum vsl_door_node node = which & 0x80 ? VSL_DOOR_CARD : VSL_DOOR_DRIVER;
	u32 cmd = numbers[(which & 0x7f) % ARRAY_SIZE(numbers)];
	const struct vsl_door_call *call;
	union vsl_door_arg arg;
	int ret;

	/* some number: that of a call with bits turned */
	cmd ^= (u32)feed_u64(&feed, feed_u8(&feed) & 1 ? 4 : 0);
	call = vsl_door_find(node, cmd);
	if (!call)
		return 0;
	MUST(call->node == node && call->bytes <= sizeof(arg));
	MUST(call->min_bytes <= call->bytes);
	if (take(call, &feed, &arg))
		return 0;
	ret = vsl_door_check(call, &arg);
	MUST(!ret || ret == -EINVAL || ret == -ERANGE);
	if (!ret)
		use(call->cmd, &arg);
	return 0;
}
