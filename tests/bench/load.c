// SPDX-License-Identifier: GPL-2.0-only
/*
 * load.c - which block comes next, and what a perfect card would make of it.
 *
 * The bound for skewed loads: blocks of a class i (a share f of the blocks, a
 * share r of the writes) kept in segments of their own that have alpha_i times
 * their room, sum of f alpha_i = alpha.  Write amplification is the sum of
 * r A(alpha_i), A the closed form; the best split has the same r A' / f in all
 * classes (Lagrange), and is found by bisection.  Zipf's ranks are cut into
 * CLASSES classes of growing size.
 */
#include "load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rig.h"

#define CLASSES		16u
#define ALPHA_MAX	1e4
#define ZIPF		0.99

struct classes {
	u32 nr;
	double f[CLASSES];
	double r[CLASSES];
};

static u64 gcd(u64 a, u64 b)
{
	return b ? gcd(b, a % b) : a;
}

static void zipf_init(struct load *load)
{
	double sum = 0;
	u64 i;

	load->cdf = malloc(load->nr * sizeof(*load->cdf));
	if (!load->cdf)
		die("no memory");
	for (i = 0; i < load->nr; i++) {
		sum += pow(i + 1, -ZIPF);
		load->cdf[i] = sum;
	}
	for (i = 0; i < load->nr; i++)
		load->cdf[i] /= sum;
}

void load_init(struct load *load, const char *name, u64 nr, u64 seed)
{
	u32 share, part;

	memset(load, 0, sizeof(*load));
	load->nr = nr;
	load->state = seed;
	load->stride = (u64)(nr * 0.6180339887);
	while (gcd(load->stride, nr) != 1)
		load->stride++;
	if (!strcmp(name, "zipf")) {
		zipf_init(load);
	} else if (sscanf(name, "%u/%u", &share, &part) == 2) {
		load->hot = nr * part / 100;
		load->hot_share = share / 100.;
	} else if (strcmp(name, "uniform")) {
		die("there is no load \"%s\"", name);
	}
}

void load_exit(struct load *load)
{
	free(load->cdf);
}

static double unit_random(struct load *load)
{
	return (load_random(load) >> 11) * 0x1p-53;
}

static u64 below(struct load *load, u64 nr)
{
	return (u64)(((unsigned __int128)load_random(load) * nr) >> 64);
}

static u64 zipf_rank(struct load *load)
{
	double want = unit_random(load);
	u64 low = 0, high = load->nr - 1, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (load->cdf[middle] < want)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void load_move(struct load *load)
{
	load->shift = load->nr / 2;
}

u64 load_next(struct load *load)
{
	u64 rank;

	if (load->cdf)
		rank = zipf_rank(load);
	else if (!load->hot)
		return below(load, load->nr);
	else if (unit_random(load) < load->hot_share)
		rank = below(load, load->hot);
	else
		rank = load->hot + below(load, load->nr - load->hot);
	return (rank + load->shift) % load->nr * load->stride % load->nr;
}

/* ---- bounds ----------------------------------------------------------------- */

double load_uniform_wa(double alpha)
{
	double low = 0, high = 1 - 1e-12, u;
	u32 i;

	/* the root of u = exp(-alpha (1 - u)) below 1 */
	for (i = 0; i < 200; i++) {
		u = (low + high) / 2;
		if (exp(-alpha * (1 - u)) > u)
			low = u;
		else
			high = u;
	}
	return 1 / (1 - low);
}

/* What a little more room is worth. */
static double slope(double alpha)
{
	double step = (alpha - 1) * 1e-4;

	return (load_uniform_wa(alpha) - load_uniform_wa(alpha + step)) / step;
}

/* The room at which it is worth @worth. */
static double alpha_for(double worth)
{
	double low = 1e-6, high = ALPHA_MAX, middle;
	u32 i;

	for (i = 0; i < 60; i++) {
		middle = sqrt(low * high);
		if (slope(1 + middle) > worth)
			low = middle;
		else
			high = middle;
	}
	return 1 + low;
}

static double split(const struct classes *c, double worth, double *wa)
{
	double room = 0, alpha;
	u32 i;

	*wa = 0;
	for (i = 0; i < c->nr; i++) {
		alpha = alpha_for(worth * c->f[i] / c->r[i]);
		room += c->f[i] * alpha;
		*wa += c->r[i] * load_uniform_wa(alpha);
	}
	return room;
}

static void classes_of(const struct load *load, struct classes *c)
{
	u64 begin = 0, end;

	memset(c, 0, sizeof(*c));
	if (!load->cdf) {
		c->nr = 2;
		c->f[0] = (double)load->hot / load->nr;
		c->r[0] = load->hot_share;
		c->f[1] = 1 - c->f[0];
		c->r[1] = 1 - c->r[0];
		return;
	}
	for (; c->nr < CLASSES && begin < load->nr; begin = end, c->nr++) {
		end = pow(load->nr, (c->nr + 1.) / CLASSES) + .5;
		end = max(end, begin + 1);
		if (c->nr == CLASSES - 1)
			end = load->nr;
		c->f[c->nr] = (double)(end - begin) / load->nr;
		c->r[c->nr] = load->cdf[end - 1] -
			      (begin ? load->cdf[begin - 1] : 0);
	}
}

double load_ideal_wa(const struct load *load, double alpha)
{
	double low = 1e-9, high = 1e9, middle, wa = 0;
	struct classes c;
	u32 i;

	if (!load->hot && !load->cdf)
		return load_uniform_wa(alpha);
	classes_of(load, &c);
	for (i = 0; i < 60; i++) {
		middle = sqrt(low * high);
		if (split(&c, middle, &wa) > alpha)
			low = middle;
		else
			high = middle;
	}
	return wa;
}
