/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check_int.h - what the files of the checker that know the core share.
 *
 * The checker is the one user of the core that looks behind core.h: it reads the
 * map and the tables as they are after an attach.  It changes nothing in them.
 */
#ifndef VSL_TOOLS_CHECK_INT_H
#define VSL_TOOLS_CHECK_INT_H

#include "../driver/core/recover.h"
#include "../driver/media/sim.h"
#include "check.h"

/**
 * struct check_core - a card in memory, and a core on it
 * @sim: the card; its data is the image's, where that lies
 * @media: the same, as the core sees it
 * @env: of the core
 * @core: attached without writing, or NULL
 * @ended: operations that the card has done
 * @states: of all erase units, those of unit 0 first
 */
struct check_core {
	struct vsl_sim *sim;
	struct vsl_media *media;
	struct vsl_core_env env;
	struct vsl_core *core;
	struct list_head ended;
	struct vsl_eu_report *states;
};

/* check_env.c */
void check_env_init(struct check *check, struct check_core *on);
void check_env_media(struct check_core *on, struct vsl_op *op);

#endif /* VSL_TOOLS_CHECK_INT_H */
