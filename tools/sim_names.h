/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_names.h - what simulated cards can be, and what can go wrong with them.
 *
 * The driver decides what it knows; these lists are for people.
 */
#ifndef VSL_TOOLS_SIM_NAMES_H
#define VSL_TOOLS_SIM_NAMES_H

/**
 * struct sim_name - one line
 * @name: what the driver takes
 * @text: one line for people
 * @bytes: presets: capacity of the real card
 */
struct sim_name {
	const char *name;
	const char *text;
	unsigned long long bytes;
};

extern const struct sim_name sim_presets[];
extern const struct sim_name sim_faults[];

#endif /* VSL_TOOLS_SIM_NAMES_H */
