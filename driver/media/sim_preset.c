// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_preset.c - cards worth simulating.
 *
 * slc160	The card of the first users: 160 GB of 2 KiB-page SLC behind PCIe
 *		1.1 x4.  Figures of its parts: docs/DESIGN.md, "card model".  An
 *		8-bit asynchronous channel moves 40 MB/s; a block of 4 KiB lies on
 *		two channels whose dies work in step, as the vendor's cards
 *		striped their pages, so a unit is a pair of dies and 24 channels
 *		make 12 pairs of 80 MB/s.  Each of the two dies programs one
 *		page in each of its two planes at once: 8 KiB.
 * fast		An NVMe card of the 2020s, with 64 KiB multi-plane pages.
 * oc20		An open-channel 2.0 card without capacitors: small writes are
 *		refused, a read hole, a limit of open chunks, a volatile cache.
 * tiny		A few erase units, for tests that must see every one of them.
 * flat		An ordinary NVMe namespace used as flash: 512-byte sectors, a volatile
 *		cache, and nobody knows what a deallocated block reads as.
 * flat-plp	The same with capacitors; it writes 4 KiB at once or not at all.
 * raw		No times, no limits: for tests of everything above it.
 *
 * A smaller capacity than the real card's takes away erase units, then units,
 * then blocks of an erase unit, to keep SEGMENTS_WANTED erase units in a unit:
 * a mapping layer needs enough of them to work as it would on the whole card.  A
 * very large one makes erase units longer, so that their table stays small.
 */
#include "sim_int.h"

#define SEGMENTS_WANTED	512u
#define SEGMENTS_MOST	65536u
#define UNITS_LEAST	4u

struct preset {
	struct vsl_sim_preset_name name;
	u32 spare_percent;	/* physical over advertised */
	u32 eu_blocks_least;
	struct vsl_sim_config config;
};

#define GB	1000000000ull

/*
 * What the parts of this class of cards do at a power cut is not public: every
 * outcome that was ever reported is possible.
 */
#define TEAR_ALL							\
	{								\
		.program_old = 30,					\
		.program_new = 30,					\
		.program_prefix = 10,					\
		.program_mixed = 10,					\
		.program_random = 10,					\
		.program_lost = 10,					\
		.erase_old = 30,					\
		.erase_done = 40,					\
		.erase_random = 30,					\
		.weak_permille = 100,					\
		.weak_reads = 3,					\
		.flaky_permille = 300,					\
	}

/* Of blocks that are overwritten in place, sector by sector; and all at once. */
#define TEAR_FLAT							\
	{								\
		.program_old = 30,					\
		.program_new = 30,					\
		.program_prefix = 10,					\
		.program_mixed = 10,					\
		.erase_old = 30,					\
		.erase_done = 40,					\
		.erase_random = 30,					\
	}

#define TEAR_FLAT_WHOLE							\
	{								\
		.program_old = 1,					\
		.program_new = 1,					\
		.erase_old = 30,					\
		.erase_done = 40,					\
		.erase_random = 30,					\
	}

#define TIMING_FLAT							\
	{								\
		.page_bytes = 65536,					\
		.read_ns = 60000,					\
		.program_ns = 700000,					\
		.erase_ns = 300000,					\
		.suspend_ns = 10000,					\
		.channels = 8,						\
		.channel_mbps = 800,					\
		.bus_mbps = 3200,					\
		.bus_command_ns = 100,					\
		.command_ns = 8000,					\
		.flush_ns = 500000,					\
		.buffer_blocks = 8192,					\
		.cache_register = 1,					\
	}

static const struct preset presets[] = {
	{
		.name = {
			"slc160",
			"160 GB SLC on PCIe 1.1 x4, power-loss protected",
			160 * GB,
		},
		.spare_percent = 28,
		.eu_blocks_least = 16,
		.config = {
			.units = 48,
			.eu_blocks = 128,
			.ws_min = 1,
			.ws_opt = 2,
			.max_blocks = 64,
			.erase_cycles = 100000,
			.model = "OpenVSL simulated 160GB SLC",
			.firmware = "sim-slc160",
			.flags = VSL_SIM_TIMED | VSL_SIM_PLP | VSL_SIM_FINISH,
			.bad_permyriad = 50,
			.tear = TEAR_ALL,
			.timing = {
				.page_bytes = 8192,
				.read_ns = 25000,
				.program_ns = 220000,
				.erase_ns = 1500000,
				.channels = 12,
				.channel_mbps = 80,
				.bus_mbps = 865,
				.bus_command_ns = 100,
				.command_ns = 8000,
				.flush_ns = 5000,
				.buffer_blocks = 1024,
			},
		},
	},
	{
		.name = {
			"fast",
			"NVMe-class card of the 2020s, power-loss protected",
			1920 * GB,
		},
		.spare_percent = 20,
		.eu_blocks_least = 64,
		.config = {
			.units = 64,
			.eu_blocks = 4096,
			.ws_min = 4,
			.ws_opt = 16,
			.max_blocks = 64,
			.oob_bytes = 16,
			.erase_cycles = 5000,
			.model = "OpenVSL simulated fast",
			.firmware = "sim-fast",
			.flags = VSL_SIM_TIMED | VSL_SIM_PLP | VSL_SIM_FINISH |
				 VSL_SIM_REPORTS,
			.bad_permyriad = 20,
			.tear = TEAR_ALL,
			.timing = {
				.page_bytes = 65536,
				.read_ns = 40000,
				.program_ns = 550000,
				.erase_ns = 4000000,
				.suspend_ns = 10000,
				.channels = 16,
				.channel_mbps = 1200,
				.bus_mbps = 7000,
				.bus_command_ns = 60,
				.command_ns = 5000,
				.flush_ns = 5000,
				.buffer_blocks = 8192,
				.cache_register = 1,
			},
		},
	},
	{
		.name = {
			"oc20",
			"open-channel 2.0 card with a volatile cache",
			800 * GB,
		},
		.spare_percent = 20,
		.eu_blocks_least = 64,
		.config = {
			.units = 32,
			.eu_blocks = 2048,
			.ws_min = 4,
			.ws_opt = 16,
			.hole = 16,
			.max_open = 32 * 16,
			.max_blocks = 64,
			.oob_bytes = 16,
			.erase_cycles = 10000,
			.model = "OpenVSL simulated open-channel",
			.firmware = "sim-oc20",
			.flags = VSL_SIM_TIMED | VSL_SIM_VOLATILE |
				 VSL_SIM_REPORTS,
			.bad_permyriad = 50,
			.cache_blocks = 4096,
			.tear = TEAR_ALL,
			.timing = {
				.page_bytes = 32768,
				.read_ns = 50000,
				.program_ns = 900000,
				.erase_ns = 3500000,
				.channels = 16,
				.channel_mbps = 400,
				.bus_mbps = 3200,
				.bus_command_ns = 150,
				.command_ns = 8000,
				.flush_ns = 20000,
				.buffer_blocks = 4096,
			},
		},
	},
	{
		.name = { "tiny", "8 MiB of flash, for tests", 0 },
		.config = {
			.units = 4,
			.eus = 32,
			.eu_blocks = 16,
			.ws_min = 1,
			.ws_opt = 4,
			.max_blocks = 16,
			.erase_cycles = 1000,
			.model = "OpenVSL simulated tiny",
			.firmware = "sim-tiny",
			.flags = VSL_SIM_FINISH | VSL_SIM_REPORTS,
			.tear = TEAR_ALL,
		},
	},
	{
		.name = {
			"flat",
			"ordinary NVMe namespace, volatile cache, 512-byte sectors",
			960 * GB,
		},
		.spare_percent = 20,
		.eu_blocks_least = 16,
		.config = {
			.units = 8,
			.eu_blocks = 512,
			.ws_min = 1,
			.ws_opt = 16,
			.max_blocks = 64,
			.model = "OpenVSL simulated flat",
			.firmware = "sim-flat",
			.flags = VSL_SIM_TIMED | VSL_SIM_FLAT | VSL_SIM_VOLATILE,
			.cache_blocks = 8192,
			.stale_permille = 500,
			.tear = TEAR_FLAT,
			.timing = TIMING_FLAT,
		},
	},
	{
		.name = {
			"flat-plp",
			"ordinary NVMe namespace, power-loss protected",
			960 * GB,
		},
		.spare_percent = 20,
		.eu_blocks_least = 16,
		.config = {
			.units = 8,
			.eu_blocks = 512,
			.ws_min = 1,
			.ws_opt = 16,
			.max_blocks = 64,
			.model = "OpenVSL simulated flat-plp",
			.firmware = "sim-flat",
			.flags = VSL_SIM_TIMED | VSL_SIM_FLAT | VSL_SIM_PLP,
			.cache_blocks = 8192,
			.stale_permille = 500,
			.tear = TEAR_FLAT_WHOLE,
			.timing = TIMING_FLAT,
		},
	},
	{
		.name = { "raw", "flash that answers at once", 64 * GB },
		.spare_percent = 20,
		.eu_blocks_least = 64,
		.config = {
			.units = 16,
			.eu_blocks = 1024,
			.ws_min = 1,
			.ws_opt = 16,
			.max_blocks = 64,
			.model = "OpenVSL simulated raw",
			.firmware = "sim-raw",
			.flags = VSL_SIM_FINISH | VSL_SIM_REPORTS,
			.tear = TEAR_ALL,
		},
	},
};

const struct vsl_sim_preset_name *vsl_sim_presets(void)
{
	static struct vsl_sim_preset_name names[ARRAY_SIZE(presets) + 1];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(presets); i++)
		names[i] = presets[i].name;
	return names;
}

static u64 eus_for(u64 bytes, u32 units, u32 eu_blocks)
{
	u64 row = (u64)units * eu_blocks * VSL_BLOCK_BYTES;

	return DIV_ROUND_UP(bytes, row);
}

/* Fit the real card's geometry to the capacity. */
static void fit(const struct preset *preset, u64 capacity_bytes,
		struct vsl_sim_config *config)
{
	u64 bytes = capacity_bytes + capacity_bytes / 100 *
		    preset->spare_percent;
	u32 open_per_unit = config->max_open / config->units;

	while (config->units / 2 >= UNITS_LEAST &&
	       eus_for(bytes, config->units, config->eu_blocks) <
	       SEGMENTS_WANTED)
		config->units /= 2;
	while (config->eu_blocks / 2 >= preset->eu_blocks_least &&
	       eus_for(bytes, config->units, config->eu_blocks) <
	       SEGMENTS_WANTED)
		config->eu_blocks /= 2;
	while (eus_for(bytes, config->units, config->eu_blocks) > SEGMENTS_MOST)
		config->eu_blocks *= 2;
	config->eus = (u32)eus_for(bytes, config->units, config->eu_blocks);
	config->max_open = open_per_unit * config->units;
	config->timing.channels = min(config->timing.channels, config->units);
	config->factory_bytes = capacity_bytes;
}

int vsl_sim_preset(const char *name, u64 capacity_bytes,
		   struct vsl_sim_config *config)
{
	const struct preset *preset;
	u32 i = 0;

	while (i < ARRAY_SIZE(presets) && !sim_is_same(presets[i].name.name, name))
		i++;
	if (i == ARRAY_SIZE(presets))
		return -EINVAL;
	preset = &presets[i];
	if (!capacity_bytes)
		capacity_bytes = preset->name.default_bytes;
	if (preset->name.default_bytes &&
	    (capacity_bytes < VSL_SIM_CAPACITY_MIN ||
	     capacity_bytes > VSL_SIM_CAPACITY_MAX))
		return -ERANGE;
	*config = preset->config;
	if (preset->name.default_bytes)
		fit(preset, capacity_bytes, config);
	return 0;
}
