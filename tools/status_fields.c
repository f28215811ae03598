// SPDX-License-Identifier: GPL-2.0-only
/*
 * status_fields.c - the reports that print the tables of field.h: the
 * original's JSON (-fj), XML (-fx), key=value lines (-fk) and single fields.
 *
 * Every value is a string there, and a field without a value is left out
 * unless asked for.
 */
#include "status.h"

#include "doc.h"
#include "err.h"
#include "field.h"
#include "state.h"

/* Return: what to print, NULL for nothing. */
static const char *value_or_reason(const struct field *field, const struct field_source *from,
				   enum status_missing missing, char *buf)
{
	const char *value = field_value(field, from, buf);

	if (value || missing == MISSING_LEAVE_OUT)
		return value;
	if (missing == MISSING_SHOW)
		return "unavailable";
	snprintf(buf, FIELD_BYTES, "unavailable: %s", field_reason(field));
	return buf;
}

/* A card that is not attached has no disk, so nothing of that has a value. */
static bool has_group(enum field_group group, const struct card *card)
{
	return group != GROUP_VSU || *card->info.disk;
}

/* ---- documents ------------------------------------------------------------ */

/*
 * The tables nest (adapter, iomemory, vsu), at most three deep, and each card
 * is one of each: so a card's record is opened on the way down and closed on
 * the way up, and no table refers to itself.
 */
static void put_record(struct doc *doc, enum field_group group, const struct field_source *from,
		       enum status_missing missing);

static void put_list(struct doc *doc, const struct field *field, const struct field_source *from,
		     enum status_missing missing)
{
	enum field_group group = field->offset;

	doc_open_list(doc, field->key);
	/* The list stays, empty: some cannot do without. */
	if (has_group(group, from->card)) {
		doc_open_item(doc);
		put_record(doc, group, from, missing);
		doc_close_item(doc);
	}
	doc_close_list(doc);
}

static void put_record(struct doc *doc, enum field_group group, const struct field_source *from,
		       enum status_missing missing)
{
	const struct field *field;
	const char *value;
	char buf[FIELD_BYTES];

	for (field = field_table(group); field->key; field++) {
		if (field->kind == FIELD_LIST) {
			put_list(doc, field, from, missing);
			continue;
		}
		value = value_or_reason(field, from, missing, buf);
		if (value)
			doc_text(doc, field->key, value);
	}
}

void status_fields(const struct cards *cards, bool xml, enum status_missing missing)
{
	struct field_source from;
	struct dev_host host;
	struct doc doc;
	unsigned int i;

	dev_host(&host);
	from.host = &host;
	doc_begin(&doc, stdout, xml ? "fio_status" : NULL);
	doc_open_list(&doc, "adapter");
	for (i = 0; i < cards->nr; i++) {
		from.card = &cards->card[i];
		doc_open_item(&doc);
		put_record(&doc, GROUP_ADAPTER, &from, missing);
		doc_close_item(&doc);
	}
	doc_close_list(&doc);
	from.card = NULL;
	doc_open_list(&doc, "host");
	doc_open_item(&doc);
	put_record(&doc, GROUP_HOST, &from, missing);
	doc_close_item(&doc);
	doc_close_list(&doc);
	doc_text(&doc, "version", "1.0");
	doc_end(&doc);
}

/* ---- lines ---------------------------------------------------------------- */

/* Names of the 2.x tools that monitoring scripts still ask for. */
static void put_old_names(const struct openvsl_info *info)
{
	unsigned int good;

	printf("client_status=%s\n", state_word(info->state));
	if (*info->firmware)
		printf("firmware_version=%s\n", info->firmware);
	if (*info->model)
		printf("product_number=%s\n", info->model);
	if (!has_figures(info))
		return;
	good = (info->eus_total - info->eus_bad) * 10000ull / info->eus_total;
	printf("blocks_good_percent=%u.%02u\n", good / 100, good % 100);
	printf("capacity_reserves_percent=%u.%02u\n", info->spare_permyriad / 100,
	       info->spare_permyriad % 100);
	printf("media_status=%s\n", health_word(info->health));
}

static void put_lines(enum field_group group, const struct field_source *from,
		      enum status_missing missing)
{
	const struct field *field;
	const char *value;
	char buf[FIELD_BYTES];

	for (field = field_table(group); field->key; field++) {
		if (field->kind == FIELD_LIST)
			continue;
		value = value_or_reason(field, from, missing, buf);
		if (value)
			printf("%s=%s\n", field->key, value);
	}
}

void status_lines(const struct cards *cards, enum status_missing missing)
{
	struct field_source from = { NULL, NULL };
	unsigned int i;

	for (i = 0; i < cards->nr; i++) {
		from.card = &cards->card[i];
		if (i)
			putchar('\n');
		put_old_names(&from.card->info);
		put_lines(GROUP_IOM, &from, missing);
	}
}

/* ---- single fields -------------------------------------------------------- */

static int put_field(const struct card *card, const char *name, const struct field_source *from,
		     enum status_missing missing)
{
	enum field_group group;
	const struct field *field = field_find(name, &group);
	const char *value;
	char buf[FIELD_BYTES];

	if (!field)
		return fail(RC_USAGE, name, NULL,
			    "no such field; fio-status --list-fields shows their names");
	if (!has_group(group, card) && missing == MISSING_LEAVE_OUT)
		return fail(RC_FAILED, card->name, name, "no value: the card is not attached");
	value = value_or_reason(field, from, missing, buf);
	if (!value)
		return fail(RC_FAILED, card->name, name, "no value: %s", field_reason(field));
	printf("%s\n", value);
	return RC_DONE;
}

int status_field(const struct cards *cards, const char * const *names, unsigned int nr,
		 enum status_missing missing)
{
	struct field_source from;
	struct dev_host host;
	unsigned int i;
	unsigned int k;
	int rc = RC_DONE;

	dev_host(&host);
	from.host = &host;
	for (i = 0; i < cards->nr; i++) {
		from.card = &cards->card[i];
		for (k = 0; k < nr; k++)
			rc = err_first(rc, put_field(from.card, names[k], &from, missing));
	}
	return rc;
}

void status_field_names(void)
{
	const struct field *field;
	int group;

	for (group = 0; group < GROUPS; group++)
		for (field = field_table(group); field->key; field++)
			if (field->gate != GATE_NEVER && field->kind != FIELD_LIST)
				printf("%s.%s\n", field_prefix(group), field->key);
}
