// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - simtest: lives through power cuts, and says which it did not survive.
 *
 * Output is TAP, one test for each family of runs.  For every broken promise
 * there is one line that lives it again:
 *
 *	replay: simtest --replay family=...,seed=...,run=...,cut=...
 *
 * With --verbose a replay prints each event from the last survived cut on.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "plan.h"
#include "session.h"

static const char usage[] =
"usage: simtest [options]\n"
"  --seed N          of everything (1)\n"
"  --runs N          runs of each family\n"
"  --seconds N       stop after so long\n"
"  --cuts N          stop after so many power cuts\n"
"  --jobs N          worker processes (2)\n"
"  --keep N          go on until so many runs have failed (1)\n"
"  --family NAME     only this kind of runs\n"
"  --exhaustive      small histories only, every cut in every recovery, too\n"
"  --small N         small workloads 0 to N - 1 only, every cut; 110 are each\n"
"                    operation alone and all pairs\n"
"  --flat            cards that are no flash: see driver/media/sim_flat.c\n"
"  --deep            with --small: cuts in every recovery, not in one of 16\n"
"  --geometry A=B,.. force values of the card: units, eus, eu_blocks, ws_min,\n"
"                    ws_opt, hole, max_open, bad, max_blocks, oob_bytes, flags,\n"
"                    window\n"
"  --replay LINE     what follows \"--replay\" in a replay line\n"
"  --verbose         with --replay: print every event\n";

enum { OPT_SEED = 1, OPT_RUNS, OPT_SECONDS, OPT_CUTS, OPT_JOBS, OPT_KEEP,
       OPT_FAMILY, OPT_EXHAUSTIVE, OPT_SMALL, OPT_DEEP, OPT_FLAT,
       OPT_GEOMETRY, OPT_REPLAY, OPT_VERBOSE,
       OPT_HELP };

static const struct option options[] = {
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "runs", required_argument, NULL, OPT_RUNS },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ "cuts", required_argument, NULL, OPT_CUTS },
	{ "jobs", required_argument, NULL, OPT_JOBS },
	{ "keep", required_argument, NULL, OPT_KEEP },
	{ "family", required_argument, NULL, OPT_FAMILY },
	{ "exhaustive", no_argument, NULL, OPT_EXHAUSTIVE },
	{ "small", required_argument, NULL, OPT_SMALL },
	{ "deep", no_argument, NULL, OPT_DEEP },
	{ "flat", no_argument, NULL, OPT_FLAT },
	{ "geometry", required_argument, NULL, OPT_GEOMETRY },
	{ "replay", required_argument, NULL, OPT_REPLAY },
	{ "verbose", no_argument, NULL, OPT_VERBOSE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static void __attribute__((noreturn)) give_up(const char *why, const char *what)
{
	fprintf(stderr, "simtest: %s%s\n%s", why, what, usage);
	exit(2);
}

static u32 need_family(const char *name)
{
	u32 family = family_find(name);

	if (family == FAMILIES_MAX)
		give_up("no such family: ", name);
	return family;
}

/* family=...,seed=...,run=...,cut=...[,deep=1][,flat=1][,geometry=...] */
static void parse_replay(struct session *session, char *line)
{
	char *word, *value;

	session->runs = 1;
	session->jobs = 1;
	session->cuts = 0;
	while (line && *line) {
		if (!strncmp(line, "geometry=", 9)) {
			session->order.geometry = line + 9;
			return;
		}
		word = strsep(&line, ",");
		value = strchr(word, '=');
		if (!value)
			give_up("not a replay line: ", word);
		*value++ = '\0';
		if (!strcmp(word, "family"))
			session->only = need_family(value);
		else if (!strcmp(word, "seed"))
			session->seed = strtoull(value, NULL, 0);
		else if (!strcmp(word, "run"))
			session->first_run = strtoull(value, NULL, 0);
		else if (!strcmp(word, "deep"))
			session->order.deep = true;
		else if (!strcmp(word, "flat"))
			plan_flat = true;
		else if (!strcmp(word, "cut"))
			session->order.only_cut = strtoull(value, NULL, 0);
		else
			give_up("not part of a replay line: ", word);
	}
}

static bool parse(struct session *session, int argc, char **argv)
{
	bool verbose = false;
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case OPT_SEED:
			session->seed = strtoull(optarg, NULL, 0);
			break;
		case OPT_RUNS:
			session->runs = strtoull(optarg, NULL, 0);
			break;
		case OPT_SECONDS:
			session->seconds = strtoul(optarg, NULL, 0);
			break;
		case OPT_CUTS:
			session->cuts = strtoull(optarg, NULL, 0);
			break;
		case OPT_JOBS:
			session->jobs = min(strtoul(optarg, NULL, 0),
					    (unsigned long)JOBS_MAX);
			break;
		case OPT_KEEP:
			session->keep = strtoul(optarg, NULL, 0);
			break;
		case OPT_FAMILY:
			session->only = need_family(optarg);
			break;
		case OPT_EXHAUSTIVE:
			session->only = need_family("exhaustive");
			session->order.deep = true;
			break;
		case OPT_SMALL:
			session->only = need_family("small");
			session->runs = strtoull(optarg, NULL, 0);
			break;
		case OPT_DEEP:
			session->order.deep = true;
			break;
		case OPT_FLAT:
			plan_flat = true;
			break;
		case OPT_GEOMETRY:
			session->order.geometry = optarg;
			break;
		case OPT_REPLAY:
			parse_replay(session, optarg);
			break;
		case OPT_VERBOSE:
			verbose = true;
			break;
		case OPT_HELP:
			printf("%s", usage);
			exit(0);
		default:
			give_up("what?", "");
		}
	}
	return verbose;
}

/* What was done of that which has an end. */
static void print_shares(const struct session *session)
{
	u32 small = family_find("small"), nth = family_find("nth");

	if (session->runs_done[small])
		printf("# small: %llu workloads of the %u of a full check: %llu cuts, %llu of them to what an earlier one had left; from %s of the others %llu cuts in the recovery\n",
		       session->runs_done[small], SMALL_WORKLOADS,
		       session->shallow_cuts, session->same_cuts,
		       session->order.deep ? "all" : "one in 16",
		       session->deep_cuts);
	if (session->runs_done[nth])
		printf("# nth: %llu cards, %llu single failures, each survived\n",
		       session->runs_done[nth], session->nth_tries);
}

/* One line for each family that had its turn. */
static int print_tap(const struct session *session)
{
	u64 cuts = 0;
	u32 i, nr = 0;

	for (i = 0; families[i].name; i++) {
		if (!session->cuts_done[i] && !session->failed[i])
			continue;
		printf("%sok %u - %s: %s (%llu cuts, %llu runs)\n",
		       session->failed[i] ? "not " : "", ++nr,
		       families[i].name, families[i].text,
		       session->cuts_done[i], session->runs_done[i]);
		cuts += session->cuts_done[i];
	}
	printf("1..%u\n", nr);
	print_shares(session);
	printf("# %llu cuts, %u failures, %.0f s of processors, %.0f cuts in each\n",
	       cuts, session->failures, session->cpu_s,
	       cuts / max(session->cpu_s, 0.001));
	return session->failures || !cuts;
}

int main(int argc, char **argv)
{
	static struct session session = {
		.seed = 1,
		.jobs = 2,
		.keep = 1,
		.only = FAMILIES_MAX,
		.order = {
			.only_cut = EVERY_CUT,
			.trace_from = EVERY_CUT,
		},
	};

	session_init();
	if (parse(&session, argc, argv))
		session.order.trace_from =
			session.order.only_cut != EVERY_CUT ?
			session.order.only_cut : 0;
	if (!session.runs && !session.cuts && !session.seconds)
		session.cuts = 10000;
	session_run(&session);
	return print_tap(&session);
}
