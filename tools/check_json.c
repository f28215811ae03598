// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_json.c - what was found, for programs (openvsl check --json).
 *
 * Every key is always there; what was not found out is null.  A new key or
 * word raises the document's minor version, a changed or dropped one its major version.  Blocks are
 * those of the disk, of 4096 bytes each.
 */
#include "check.h"

#include <stdio.h>

#include "doc.h"
#include "field.h"

#define DOC_MAJOR	1
#define DOC_MINOR	1

static const char * const states[] = {
	[CHECK_UNFORMATTED] = "unformatted",
	[CHECK_NO_ROOT] = "no-root",
	[CHECK_FUTURE] = "future",
	[CHECK_PAST] = "past",
	[CHECK_FOREIGN] = "foreign",
	[CHECK_REFUSED] = "refused",
	[CHECK_ATTACHED] = "attachable",
};

static const char * const weights[] = {
	[CHECK_FINE] = "fine",
	[CHECK_NOTE] = "note",
	[CHECK_DAMAGE] = "data-damaged",
	[CHECK_BROKEN] = "metadata-damaged",
	[CHECK_BAD_IMAGE] = "image-damaged",
};

static const char * const kinds[CHECK_KINDS] = {
	[CHECK_LOST] = "lost",
	[CHECK_UNREADABLE] = "unreadable",
	[CHECK_CORRUPT] = "corrupt",
	[CHECK_UNPROVEN] = "unproven",
};

/* A number, or null where it was not found out. */
static void number(struct doc *doc, const char *key, bool known, unsigned long long value)
{
	if (known)
		doc_number(doc, key, value);
	else
		doc_text(doc, key, NULL);
}

static void put_image(struct doc *doc, const struct check *check)
{
	doc_open(doc, "image");
	doc_number(doc, "bytes", check->bytes);
	doc_text(doc, "model", check->model);
	doc_text(doc, "serial", check->serial);
	doc_bool(doc, "model_known", check->model_known);
	doc_number(doc, "units", check->units);
	doc_number(doc, "erase_units_per_unit", check->eus);
	doc_number(doc, "erase_unit_blocks", check->eu_blocks);
	doc_number(doc, "ws_min", check->ws_min);
	doc_number(doc, "oob_bytes", check->oob_bytes);
	doc_number(doc, "damaged_blocks", check->rotten_blocks);
	number(doc, "first_damaged_byte", check->rotten_blocks, check->rotten_offset);
	doc_close(doc);
	doc_open(doc, "wear");
	doc_number(doc, "erase_units_bad", check->eus_bad);
	doc_number(doc, "erase_min", check->erase_min);
	doc_number(doc, "erase_max", check->erase_max);
	doc_number(doc, "erase_sum", check->erase_sum);
	doc_close(doc);
}

static void put_format(struct doc *doc, const struct check *check)
{
	bool known = check->sector_bytes;
	unsigned int i;
	char uuid[37];

	doc_open(doc, "format");
	number(doc, "version", check->version, check->version);
	doc_text(doc, "uuid", known ? uuid_text(check->uuid, uuid) : NULL);
	number(doc, "formatted_ts", known, check->format_ts);
	number(doc, "sector_bytes", known, check->sector_bytes);
	number(doc, "capacity_bytes", known, check->capacity_bytes);
	number(doc, "generation", check->version, check->generation);
	if (known)
		doc_bool(doc, "clean", check->clean);
	else
		doc_text(doc, "clean", NULL);
	doc_close(doc);
	doc_open_list(doc, "lanes");
	for (i = 0; i < CHECK_LANES; i++) {
		const struct check_lane *lane = &check->lane[i];

		doc_open_item(doc);
		number(doc, "generation", lane->found, lane->generation);
		number(doc, "unit", lane->found, lane->unit);
		number(doc, "erase_unit", lane->found, lane->eu);
		doc_close_item(doc);
	}
	doc_close_list(doc);
}

static void put_disk(struct doc *doc, const struct check *check)
{
	bool known = check->state == CHECK_ATTACHED;

	doc_open(doc, "attach");
	number(doc, "log_blocks", known, check->log_blocks);
	number(doc, "commits", known, check->commits);
	number(doc, "doubtful_packets", known, check->doubts);
	number(doc, "doubtful_blocks", known, check->doubt_blocks);
	doc_close(doc);
	doc_open(doc, "disk");
	number(doc, "blocks", check->sector_bytes, check->capacity_bytes / 4096);
	number(doc, "mapped_blocks", known, check->mapped_blocks);
	number(doc, "segments", known, check->segments);
	number(doc, "segments_free", known, check->segments_free);
	number(doc, "segments_bad", known, check->segments_bad);
	number(doc, "spare_permyriad", known, check->spare_permyriad);
	number(doc, "spare_warn_permyriad", known, check->spare_warn_permyriad);
	if (known)
		doc_bool(doc, "audit_passed", check->audit_passed);
	else
		doc_text(doc, "audit_passed", NULL);
	doc_close(doc);
	doc_open(doc, "data");
	number(doc, "read_blocks", check->data_done, check->data_blocks);
	number(doc, "good_blocks", check->data_done, check->data_good);
	doc_close(doc);
}

static void put_troubles(struct doc *doc, const struct check *check)
{
	unsigned int i, j;

	doc_open_list(doc, "troubles");
	for (i = 0; i < CHECK_KINDS; i++) {
		const struct check_trouble *trouble = &check->trouble[i];
		bool known = i == CHECK_LOST ? check->state == CHECK_ATTACHED : check->data_done;

		doc_open_item(doc);
		doc_text(doc, "kind", kinds[i]);
		number(doc, "blocks", known, trouble->blocks);
		doc_open_list(doc, "ranges");
		for (j = 0; j < trouble->nr; j++) {
			doc_open_item(doc);
			doc_number(doc, "first", trouble->range[j].first);
			doc_number(doc, "last", trouble->range[j].last);
			doc_close_item(doc);
		}
		doc_close_list(doc);
		doc_number(doc, "ranges_omitted", trouble->omitted);
		doc_close_item(doc);
	}
	doc_close_list(doc);
}

void check_json(const struct check *check, const char *name, int rc)
{
	struct doc doc;
	unsigned int i;

	doc_begin(&doc, stdout, NULL);
	doc_open(&doc, "version");
	doc_number(&doc, "major", DOC_MAJOR);
	doc_number(&doc, "minor", DOC_MINOR);
	doc_close(&doc);
	doc_text(&doc, "name", name);
	doc_number(&doc, "exit_status", rc);
	doc_text(&doc, "state", states[check->state]);
	doc_text(&doc, "worst", weights[check->worst]);
	doc_text(&doc, "verdict", check_verdict(check));
	put_image(&doc, check);
	put_format(&doc, check);
	put_disk(&doc, check);
	put_troubles(&doc, check);
	doc_open_list(&doc, "findings");
	for (i = 0; i < check->nr_findings; i++) {
		doc_open_item(&doc);
		doc_text(&doc, "weight", weights[check->finding[i].weight]);
		doc_text(&doc, "code", check->finding[i].code);
		doc_text(&doc, "text", check->finding[i].text);
		doc_close_item(&doc);
	}
	doc_close_list(&doc);
	doc_number(&doc, "findings_omitted", check->omitted_findings);
	doc_end(&doc);
}
