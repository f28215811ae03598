// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_text.c - what was found, in words.
 */
#include "check.h"

#include <stdio.h>
#include <time.h>

#include "field.h"
#include "size.h"

#define RANGES_SHOWN	8

static const char * const weights[] = {
	[CHECK_FINE] = "fine",
	[CHECK_NOTE] = "note",
	[CHECK_DAMAGE] = "damage",
	[CHECK_BROKEN] = "damage",
	[CHECK_BAD_IMAGE] = "damage",
};

static const char * const kinds[CHECK_KINDS] = {
	[CHECK_LOST] = "lost",
	[CHECK_UNREADABLE] = "unreadable",
	[CHECK_CORRUPT] = "corrupt",
	[CHECK_UNPROVEN] = "unproven",
};

const char *check_verdict(const struct check *check)
{
	if (check->worst == CHECK_BAD_IMAGE)
		return "the file is damaged; openvsl sim load would refuse it";
	switch (check->state) {
	case CHECK_UNFORMATTED:
		return "it is not formatted";
	case CHECK_NO_ROOT:
		return "its metadata is damaged: nothing tells what is on it";
	case CHECK_FUTURE:
		return "a newer version of OpenVSL formatted it";
	case CHECK_PAST:
		return "an older version of OpenVSL formatted it";
	case CHECK_FOREIGN:
		return "it is not a card that can be served as it is";
	case CHECK_REFUSED:
		return "its metadata is damaged: it cannot be attached";
	case CHECK_ATTACHED:
		break;
	}
	switch (check->worst) {
	case CHECK_FINE:
		return "nothing is wrong";
	case CHECK_NOTE:
		return "nothing is wrong that attaching does not put right";
	case CHECK_DAMAGE:
		return "it is damaged; what is not named above can be read";
	default:
		return "its metadata is damaged; what can be read may be older than it was";
	}
}

static void row(const char *name)
{
	printf("  %-12s  ", name);
}

static void print_card(const struct check *check)
{
	unsigned long long eus = (unsigned long long)check->units * check->eus;
	unsigned long long mean = eus ? check->erase_sum * 10 / eus : 0;
	char text[SIZE_TEXT];

	row("Card");
	printf("%s, serial number %s%s\n", check->model, check->serial,
	       check->model_known ? "" : " (not known here)");
	row("Flash");
	printf("%s, %u units of %u erase units of %u blocks\n",
	       size_text(eus * check->eu_blocks * 4096, text, sizeof(text)), check->units,
	       check->eus, check->eu_blocks);
	row("Erase units");
	printf("bad: %u; erased %u to %u times, %llu.%llu on average\n", check->eus_bad,
	       check->erase_min, check->erase_max, mean / 10, mean % 10);
}

static void print_format(const struct check *check)
{
	time_t when = check->format_ts;
	char text[SIZE_TEXT];
	char date[32] = "?";
	char uuid[37];
	struct tm tm;

	row("Format");
	printf("version %u", check->version);
	if (check->sector_bytes) {
		if (gmtime_r(&when, &tm))
			strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &tm);
		printf(", %s with sectors of %u bytes, formatted %s\n",
		       size_text(check->capacity_bytes, text, sizeof(text)), check->sector_bytes,
		       date);
		row("UUID");
		printf("%s", uuid_text(check->uuid, uuid));
	}
	printf("\n");
}

static void print_roots(const struct check *check)
{
	unsigned int lane;

	for (lane = 0; lane < CHECK_LANES; lane++) {
		row(lane ? "" : "Roots");
		if (check->lane[lane].found)
			printf("lane %u: generation %llu, in erase unit %u of unit %u\n", lane,
			       check->lane[lane].generation, check->lane[lane].eu,
			       check->lane[lane].unit);
		else
			printf("lane %u: none\n", lane);
	}
	row("Stopped");
	printf("%s\n", check->clean ? "cleanly" : "without a detach");
}

static void print_disk(const struct check *check)
{
	row("Attach");
	if (!check->commits && !check->doubts)
		printf("would find nothing behind the root\n");
	else
		printf("would read %llu blocks of log and apply %llu commits\n", check->log_blocks,
		       check->commits);
	if (check->doubts) {
		row("");
		printf("would write %llu blocks again, of packets that nothing proves whole: %llu\n",
		       check->doubt_blocks, check->doubts);
	}
	row("Blocks");
	printf("%llu of %llu are mapped, %llu are lost\n", check->mapped_blocks,
	       check->capacity_bytes / 4096, check->trouble[CHECK_LOST].blocks);
	row("Segments");
	printf("%u, %u free, %u not usable\n", check->segments, check->segments_free,
	       check->segments_bad);
	row("Spare");
	printf("%u.%02u %% left\n", check->spare_permyriad / 100, check->spare_permyriad % 100);
	row("Audit");
	printf("%s\n", check->audit_passed ? "valid counts, free lists and the map agree" :
	       "failed");
	row("Data");
	if (check->data_done)
		printf("%llu blocks were read, %llu of them are as they were written\n",
		       check->data_blocks, check->data_good);
	else
		printf("was not read (--data does)\n");
}

static void print_ranges(const struct check_trouble *trouble, const char *name)
{
	unsigned int i;

	if (!trouble->blocks)
		return;
	printf("%s blocks:", name);
	for (i = 0; i < trouble->nr && i < RANGES_SHOWN; i++) {
		printf(" %u", trouble->range[i].first);
		if (trouble->range[i].last != trouble->range[i].first)
			printf("-%u", trouble->range[i].last);
	}
	if (trouble->nr > RANGES_SHOWN || trouble->omitted)
		printf(" and %u places more", trouble->nr - i + trouble->omitted);
	printf("\n");
}

void check_text(const struct check *check, const char *name, bool brief)
{
	unsigned int i;

	if (!brief) {
		printf("%s\n", name);
		print_card(check);
		if (check->version)
			print_format(check);
		if (check->state == CHECK_ATTACHED || check->state == CHECK_REFUSED)
			print_roots(check);
		if (check->state == CHECK_ATTACHED)
			print_disk(check);
		printf("\n");
	}
	for (i = 0; i < check->nr_findings; i++)
		printf("%s: %s\n", weights[check->finding[i].weight], check->finding[i].text);
	if (check->omitted_findings)
		printf("and %u more of this kind\n", check->omitted_findings);
	for (i = 0; i < CHECK_KINDS; i++)
		print_ranges(&check->trouble[i], kinds[i]);
	printf("%s: %s\n", name, check_verdict(check));
}
