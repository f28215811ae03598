// SPDX-License-Identifier: GPL-2.0-only
/*
 * status_json.c - OpenVSL's own JSON document (openvsl status --json).
 *
 * Numbers are numbers, in bytes, thousandths of a degree, nanoseconds; names
 * end with the unit.  What a card has not got is null, and every key is always
 * there.  A new key raises the document's minor version, a changed or dropped
 * one its major version.
 */
#include "status.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "doc.h"
#include "field.h"
#include "logs.h"
#include "state.h"

#define DOC_MAJOR	1
#define DOC_MINOR	1

enum row_kind {
	ROW_U32,
	ROW_U64,
	ROW_TEMP,		/* null without a sensor */
};

/**
 * struct row - one key
 * @key: name
 * @kind: what it is
 * @offset: in struct openvsl_info
 * @figure: null unless has_figures()
 */
struct row {
	const char *key;
	enum row_kind kind;
	size_t offset;
	bool figure;
};

#define ROW(key, kind, member)		{ key, kind, offsetof(struct openvsl_info, member), false }
#define FIGURE(key, kind, member)	{ key, kind, offsetof(struct openvsl_info, member), true }
#define ROW_END				{ NULL, ROW_U32, 0, false }

static const struct row capacity_rows[] = {
	ROW("size_bytes", ROW_U64, capacity_bytes),
	ROW("sector_bytes", ROW_U32, sector_bytes),
	ROW("advertised_bytes", ROW_U64, advertised_bytes),
	ROW("max_bytes", ROW_U64, max_bytes),
	ROW("factory_bytes", ROW_U64, factory_bytes),
	ROW("physical_bytes", ROW_U64, physical_bytes),
	FIGURE("mapped_bytes", ROW_U64, mapped_bytes),
	ROW_END
};

static const struct row geometry_rows[] = {
	ROW("units", ROW_U32, units),
	ROW("erase_units_per_unit", ROW_U32, eus),
	ROW("blocks_per_erase_unit", ROW_U32, eu_blocks),
	ROW_END
};

static const struct row wear_rows[] = {
	FIGURE("reserve_permyriad", ROW_U32, spare_permyriad),
	FIGURE("reserve_warn_permyriad", ROW_U32, spare_warn_permyriad),
	FIGURE("active_permyriad", ROW_U32, active_permyriad),
	ROW("rated_erase_cycles", ROW_U32, erase_cycles),
	FIGURE("erase_min", ROW_U32, erase_min),
	FIGURE("erase_max", ROW_U32, erase_max),
	FIGURE("erase_sum", ROW_U64, erase_sum),
	FIGURE("erase_units_total", ROW_U32, eus_total),
	FIGURE("erase_units_bad", ROW_U32, eus_bad),
	FIGURE("lost_blocks", ROW_U64, lost_blocks),
	FIGURE("rebuilt_blocks", ROW_U64, rebuilt_blocks),
	ROW_END
};

static const struct row scrub_rows[] = {
	FIGURE("blocks", ROW_U64, scrub_blocks),
	FIGURE("bad_blocks", ROW_U64, scrub_bad),
	FIGURE("last_pass_time", ROW_U64, scrub_pass_ts),
	ROW_END
};

static const struct row lifetime_rows[] = {
	FIGURE("host_read_bytes", ROW_U64, host_read_bytes),
	FIGURE("host_written_bytes", ROW_U64, host_written_bytes),
	FIGURE("media_read_bytes", ROW_U64, media_read_bytes),
	FIGURE("media_written_bytes", ROW_U64, media_written_bytes),
	ROW_END
};

static const struct row session_rows[] = {
	FIGURE("read_ops", ROW_U64, session_read_ops),
	FIGURE("write_ops", ROW_U64, session_write_ops),
	FIGURE("moved_bytes", ROW_U64, session_moved_bytes),
	FIGURE("refreshed_bytes", ROW_U64, session_refreshed_bytes),
	FIGURE("levelled_bytes", ROW_U64, session_levelled_bytes),
	FIGURE("erased_bytes", ROW_U64, session_erased_bytes),
	FIGURE("attach_ns", ROW_U64, attach_ns),
	FIGURE("attach_read_bytes", ROW_U64, attach_read_bytes),
	FIGURE("groom_debt_bytes", ROW_U64, groom_debt_bytes),
	FIGURE("segments", ROW_U64, segments),
	FIGURE("segments_free", ROW_U64, segments_free),
	ROW("ram_bytes", ROW_U64, ram_bytes),
	ROW("ram_peak_bytes", ROW_U64, ram_peak_bytes),
	ROW_END
};

static const struct row sensor_rows[] = {
	ROW("temp_millic", ROW_TEMP, temp_millic),
	ROW("temp_max_millic", ROW_TEMP, temp_max_millic),
	ROW_END
};

static void put_rows(struct doc *doc, const char *key, const struct row *row,
		     const struct openvsl_info *info)
{
	const void *at;

	doc_open(doc, key);
	for (; row->key; row++) {
		at = (const char *)info + row->offset;
		if (row->figure && !has_figures(info))
			doc_text(doc, row->key, NULL);
		else if (row->kind == ROW_U32)
			doc_number(doc, row->key, *(const __u32 *)at);
		else if (row->kind == ROW_U64)
			doc_number(doc, row->key, *(const __u64 *)at);
		else if (*(const __s32 *)at == INT_MIN)
			doc_text(doc, row->key, NULL);
		else
			doc_signed(doc, row->key, *(const __s32 *)at);
	}
	doc_close(doc);
}

/* "Minimal mode" -> "minimal_mode": words for machines. */
static const char *machine_word(const char *word, char *buf, size_t bytes)
{
	size_t i;

	for (i = 0; i + 1 < bytes && word[i]; i++)
		buf[i] = isalnum((unsigned char)word[i]) ? tolower((unsigned char)word[i]) : '_';
	buf[i] = '\0';
	return buf;
}

static void put_identity(struct doc *doc, const struct card *card)
{
	const struct openvsl_info *info = &card->info;
	char path[48];

	doc_text(doc, "name", card->name);
	snprintf(path, sizeof(path), "/dev/%s", card->name);
	doc_text(doc, "path", path);
	snprintf(path, sizeof(path), "/dev/%s", info->disk);
	doc_text(doc, "block_device", *info->disk ? path : NULL);
	doc_text(doc, "model", info->model);
	doc_text(doc, "serial", info->serial);
	doc_text(doc, "firmware", info->firmware);
	doc_bool(doc, "virtual", info->flags & OPENVSL_INFO_VIRTUAL);
	doc_bool(doc, "power_loss_protection", info->flags & OPENVSL_INFO_PLP);
}

static void put_state(struct doc *doc, const struct openvsl_info *info)
{
	char word[32];

	doc_text(doc, "state", machine_word(state_word(info->state), word, sizeof(word)));
	if (info->state == OPENVSL_STATE_MINIMAL)
		doc_text(doc, "minimal_reason", minimal_text(info->minimal_reason));
	else
		doc_text(doc, "minimal_reason", NULL);
	doc_number(doc, "progress_permille", info->progress_permille);
	doc_text(doc, "health", machine_word(health_word(info->health), word, sizeof(word)));
	doc_text(doc, "reduced_reason",
		 info->health == OPENVSL_HEALTHY ? NULL : reduced_text(info->reduced_reason));
	doc_bool(doc, "busy", info->flags & OPENVSL_INFO_BUSY);
	doc_signed(doc, "last_errno", info->last_error);
}

static void put_alerts(struct doc *doc, const struct card *card)
{
	static const char * const kinds[ALERT_KINDS] = { "error", "warning", "info" };
	struct alerts alerts;
	unsigned int i;

	alerts_find(card, &alerts);
	doc_bool(doc, "healthy", !alerts_bad(&alerts));
	doc_open_list(doc, "alerts");
	for (i = 0; i < alerts.nr; i++) {
		doc_open_item(doc);
		doc_text(doc, "severity", kinds[alerts.kind[i]]);
		doc_text(doc, "text", alerts.text[i]);
		doc_close_item(doc);
	}
	doc_close_list(doc);
}

static void put_format(struct doc *doc, const struct openvsl_info *info)
{
	char uuid[37];

	doc_bool(doc, "formatted", info->flags & OPENVSL_INFO_FORMATTED);
	if (!(info->flags & OPENVSL_INFO_FORMATTED)) {
		doc_text(doc, "format", NULL);
		return;
	}
	doc_open(doc, "format");
	doc_number(doc, "version", info->format_version);
	doc_text(doc, "uuid", uuid_text(info->format_uuid, uuid));
	doc_number(doc, "created_s", info->format_ts);
	doc_bool(doc, "clean", info->flags & OPENVSL_INFO_CLEAN);
	doc_bool(doc, "parity", info->flags & OPENVSL_INFO_PARITY);
	doc_number(doc, "generation", info->generation);
	doc_close(doc);
}

static void put_pci(struct doc *doc, const struct card *card)
{
	const struct openvsl_info *info = &card->info;
	char text[32];

	if (info->pci_domain == ~0u) {
		doc_text(doc, "pci", NULL);
		return;
	}
	doc_open(doc, "pci");
	snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", info->pci_domain, info->pci_bus,
		 info->pci_slot, info->pci_function);
	doc_text(doc, "address", text);
	doc_number(doc, "vendor", info->pci_vendor);
	doc_number(doc, "device", info->pci_device);
	doc_number(doc, "subsystem_vendor", info->pci_subvendor);
	doc_number(doc, "subsystem_device", info->pci_subdevice);
	doc_number(doc, "link_lanes", card->pci.lanes);
	doc_number(doc, "link_mtps", card->pci.speed_mtps);
	doc_close(doc);
}

static void put_slots(struct doc *doc, const struct openvsl_logs *logs)
{
	unsigned int i;

	doc_open_list(doc, "firmware_slots");
	for (i = 0; logs->flags & OPENVSL_LOGS_FIRMWARE && i < logs->slots; i++) {
		doc_open_item(doc);
		doc_number(doc, "slot", i + 1);
		doc_text(doc, "firmware", *logs->slot[i] ? logs->slot[i] : NULL);
		doc_bool(doc, "active", i + 1 == logs->active);
		doc_bool(doc, "next", i + 1 == logs_next(logs));
		doc_bool(doc, "fixed", !i && logs->flags & OPENVSL_LOGS_SLOT1_FIXED);
		doc_close_item(doc);
	}
	doc_close_list(doc);
	doc_bool(doc, "firmware_update", logs->flags & OPENVSL_LOGS_UPDATE);
}

static void put_last_error(struct doc *doc, const struct openvsl_logs *logs)
{
	char text[LOGS_TEXT];

	if (!(logs->flags & OPENVSL_LOGS_LAST)) {
		doc_text(doc, "last", NULL);
		return;
	}
	doc_open(doc, "last");
	doc_text(doc, "command", logs_command(logs, text));
	doc_number(doc, "status", logs->error_status);
	doc_text(doc, "text", logs_status(logs, text));
	if (logs_has_block(logs)) {
		doc_number(doc, "namespace", logs->error_part);
		doc_number(doc, "block", logs->error_lba);
	} else {
		doc_text(doc, "namespace", NULL);
		doc_text(doc, "block", NULL);
	}
	doc_close(doc);
}

static void put_errors(struct doc *doc, const struct openvsl_logs *logs)
{
	if (!(logs->flags & OPENVSL_LOGS_ERRORS)) {
		doc_text(doc, "error_log", NULL);
		return;
	}
	doc_open(doc, "error_log");
	doc_number(doc, "entries", logs->errors);
	put_last_error(doc, logs);
	doc_close(doc);
}

static void put_card(struct doc *doc, const struct card *card)
{
	const struct openvsl_info *info = &card->info;

	put_identity(doc, card);
	put_state(doc, info);
	put_alerts(doc, card);
	put_format(doc, info);
	put_pci(doc, card);
	put_slots(doc, &card->logs);
	put_errors(doc, &card->logs);
	put_rows(doc, "capacity", capacity_rows, info);
	put_rows(doc, "geometry", geometry_rows, info);
	put_rows(doc, "sensors", sensor_rows, info);
	put_rows(doc, "wear", wear_rows, info);
	put_rows(doc, "scrub", scrub_rows, info);
	put_rows(doc, "lifetime", lifetime_rows, info);
	put_rows(doc, "session", session_rows, info);
}

void status_json(const struct cards *cards, const struct driver *driver)
{
	struct doc doc;
	unsigned int i;

	doc_begin(&doc, stdout, NULL);
	doc_open(&doc, "version");
	doc_number(&doc, "major", DOC_MAJOR);
	doc_number(&doc, "minor", DOC_MINOR);
	doc_close(&doc);
	doc_open(&doc, "driver");
	doc_text(&doc, "version", driver->version.driver);
	doc_number(&doc, "abi_major", driver->version.abi_major);
	doc_number(&doc, "abi_minor", driver->version.abi_minor);
	doc_close(&doc);
	doc_open_list(&doc, "devices");
	for (i = 0; i < cards->nr; i++) {
		doc_open_item(&doc);
		put_card(&doc, &cards->card[i]);
		doc_close_item(&doc);
	}
	doc_close_list(&doc);
	doc_end(&doc);
}
