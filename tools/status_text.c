// SPDX-License-Identifier: GPL-2.0-only
/*
 * status_text.c - the report for people, in the layout that the original's
 * 3.1 tools had and that monitoring scripts parse to this day.
 *
 * A record begins at the margin, its lines are indented by one tab, and an
 * empty line ends it.  Labels, their order and even their odd spaces ("bytes
 * read   :") are read by others: tests/cli holds them still.  A line whose
 * figure a card has not got is left out.
 */
#include "status.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "field.h"
#include "logs.h"
#include "size.h"
#include "state.h"

#define RED	"\033[1;31m"
#define PLAIN	"\033[0m"

__printf(1, 2)
static void line(const char *fmt, ...)
{
	va_list ap;

	putchar('\t');
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* "<model>, Product Number:<model>, SN:<serial>", as far as it is known. */
static const char *identity(const struct openvsl_info *info, bool with_name, char *buf,
			    size_t bytes)
{
	const char *serial = *info->serial ? info->serial : "unknown";

	if (!*info->model)
		snprintf(buf, bytes, "SN:%s", serial);
	else if (with_name)
		snprintf(buf, bytes, "%s, Product Number:%s, SN:%s", info->model, info->model,
			 serial);
	else
		snprintf(buf, bytes, "Product Number:%s, SN:%s", info->model, serial);
	return buf;
}

/* ---- the adapter's record ------------------------------------------------- */

static void put_link(const struct dev_pci *pci)
{
	unsigned int mbps = link_mbps_hundredths(pci);

	if (!pci->lanes || !pci->speed_mtps)
		return;
	line("PCIe negotiated link: %u lanes at %u.%u Gt/sec each, %u.%02u MBytes/sec total",
	     pci->lanes, pci->speed_mtps / 1000, pci->speed_mtps / 100 % 10, mbps / 100,
	     mbps % 100);
}

static void put_pci_errors(const struct dev_pci *pci)
{
	static const char * const names[] = {
		"correctable", "non-fatal", "fatal", "unsupported request",
	};
	const unsigned long long counts[] = {
		pci->correctable, pci->nonfatal, pci->fatal, pci->unsupported,
	};
	char list[64] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (counts[i])
			used += snprintf(list + used, sizeof(list) - used, "%s%s",
					 used ? ", " : "", names[i]);
	if (used)
		line("PCIe bus errors: %s", list);
}

static void put_adapter(const struct card *card, enum status_detail detail)
{
	const struct openvsl_info *info = &card->info;
	char text[160];

	printf("\nAdapter: %s\n", info->flags & OPENVSL_INFO_VIRTUAL ?
	       "Simulated Adapter" : "Single Controller Adapter");
	line("%s", identity(info, true, text, sizeof(text)));
	if (detail == STATUS_ALL) {
		put_pci_errors(&card->pci);
		put_link(&card->pci);
	}
	line("Connected ioMemory modules:");
	line("  %s:\t%s", card->name, identity(info, false, text, sizeof(text)));
}

/* ---- the module's record -------------------------------------------------- */

static void put_state(const struct card *card)
{
	const struct openvsl_info *info = &card->info;

	printf("\n%s\t", card->name);
	switch (info->state) {
	case OPENVSL_STATE_ATTACHED:
		printf("Attached as '%s' (block device)\n", info->disk);
		return;
	case OPENVSL_STATE_MINIMAL:
		printf("Status unknown: Driver is in MINIMAL MODE:\n");
		line("\t%s", minimal_text(info->minimal_reason));
		return;
	case OPENVSL_STATE_ERROR:
		printf("Failed: DEVICE IS OFFLINE. ALL READS AND WRITES WILL FAIL!\n");
		return;
	}
	printf("%s", state_word(info->state));
	if (state_busy(info->state))
		printf(" (%u.%u%%)", info->progress_permille / 10, info->progress_permille % 10);
	putchar('\n');
}

static void put_alert_mark(const struct alerts *alerts, bool colour)
{
	if (alerts_bad(alerts))
		printf("%s!! ---> There are active errors or warnings on this card; see below.%s\n",
		       colour ? RED : "", colour ? PLAIN : "");
}

static void put_alerts(const struct alerts *alerts, bool colour)
{
	static const char * const heads[ALERT_KINDS] = {
		"ACTIVE ERRORS:", "ACTIVE WARNINGS:", "NOTES:",
	};
	int last = ALERT_KINDS;
	unsigned int i;

	for (i = 0; i < alerts->nr; i++) {
		bool red = colour && alerts->kind[i] != ALERT_INFO;

		if ((int)alerts->kind[i] != last)
			line("%s%s%s", red ? RED : "", heads[alerts->kind[i]], red ? PLAIN : "");
		last = alerts->kind[i];
		line("    %s", alerts->text[i]);
	}
}

static void put_where(const struct openvsl_info *info, enum status_detail detail)
{
	char text[32];

	if (detail == STATUS_ALL)
		line("Powerloss protection: %s",
		     info->flags & OPENVSL_INFO_PLP ? "protected" : "not available");
	if (detail == STATUS_ALL && info->flags & OPENVSL_INFO_PARITY)
		line("Parity: on, %llu blocks made again from it",
		     (unsigned long long)info->rebuilt_blocks);
	if (info->pci_domain == ~0u)
		return;
	line("PCI:%s", pci_text(info, text, sizeof(text)));
	if (detail == STATUS_ALL)
		line("Vendor:%04x, Device:%04x, Sub vendor:%04x, Sub device:%04x", info->pci_vendor,
		     info->pci_device, info->pci_subvendor, info->pci_subdevice);
}

/* "v" before a number, or the firmware's own kind of name. */
static const char *before(const char *firmware)
{
	return *firmware >= '0' && *firmware <= '9' ? "v" : "";
}

static void put_firmware(const struct card *card)
{
	const struct openvsl_logs *logs = &card->logs;
	const char *firmware = card->info.firmware;

	if (*firmware)
		line("Firmware %s%s", before(firmware), firmware);
	if (!(logs->flags & OPENVSL_LOGS_FIRMWARE) || !logs->next || logs->next > logs->slots)
		return;
	firmware = logs->slot[logs->next - 1];
	line("Unactivated Firmware %s%s -- Reboot required to activate", before(firmware),
	     firmware);
}

static void put_capacity(const struct openvsl_info *info, enum status_detail detail)
{
	char size[SIZE_TEXT];
	char max[SIZE_TEXT];
	bool formatted = info->capacity_bytes && info->flags & OPENVSL_INFO_FORMATTED;

	if (!(info->flags & OPENVSL_INFO_FORMATTED))
		line("Format: not low-level formatted");
	else if (formatted && detail == STATUS_ALL)
		line("%s block device size, %s physical device size",
		     size_text(info->capacity_bytes, size, sizeof(size)),
		     size_text(info->physical_bytes, max, sizeof(max)));
	else if (formatted)
		line("%s block device size",
		     size_text(info->capacity_bytes, size, sizeof(size)));
	if (detail != STATUS_ALL)
		return;
	if (formatted && info->sector_bytes)
		line("Format: v%u, %llu sectors of %u bytes", info->format_version,
		     (unsigned long long)info->capacity_bytes / info->sector_bytes,
		     info->sector_bytes);
	line("Capacity: %s advertised, %s maximum",
	     size_text(info->advertised_bytes, size, sizeof(size)),
	     size_text(info->max_bytes, max, sizeof(max)));
}

static void put_slots(const struct openvsl_logs *logs)
{
	char list[160] = "";
	size_t used = 0;
	unsigned int i;

	if (!(logs->flags & OPENVSL_LOGS_FIRMWARE))
		return;
	for (i = 0; i < logs->slots; i++)
		used += snprintf(list + used, sizeof(list) - used, "%s%u %s%s%s", i ? ", " : "",
				 i + 1, *logs->slot[i] ? logs->slot[i] : "empty",
				 i + 1 == logs->active ? " (runs)" : "",
				 i + 1 == logs->next ? " (after the next reset)" : "");
	line("Firmware slots: %s", list);
}

static void put_errors(const struct openvsl_logs *logs)
{
	char command[LOGS_TEXT];
	char status[LOGS_TEXT];
	char text[32];
	char block[64] = "";

	if (!(logs->flags & OPENVSL_LOGS_ERRORS))
		return;
	line("Error log of the card: %s %s", count_text(logs->errors, text, sizeof(text)),
	     logs->errors == 1 ? "entry" : "entries");
	if (!(logs->flags & OPENVSL_LOGS_LAST))
		return;
	if (logs_has_block(logs))
		snprintf(block, sizeof(block), ", namespace %u, block %llu", logs->error_part,
			 (unsigned long long)logs->error_lba);
	line("   The last: %s, %s%s", logs_command(logs, command), logs_status(logs, status),
	     block);
}

static void put_temperature(const struct openvsl_info *info)
{
	if (info->temp_millic == INT_MIN)
		return;
	printf("\tInternal temperature: %.2f degC", info->temp_millic / 1000.0);
	if (info->temp_max_millic != INT_MIN)
		printf(", max %.2f degC", info->temp_max_millic / 1000.0);
	putchar('\n');
}

static void put_reserve(const struct openvsl_info *info, enum status_detail detail)
{
	unsigned int left;

	if (!has_figures(info))
		return;
	line("Reserve space status: %s; Reserves: %u.%02u%%, warn at %u.%02u%%",
	     health_word(info->health), info->spare_permyriad / 100, info->spare_permyriad % 100,
	     info->spare_warn_permyriad / 100, info->spare_warn_permyriad % 100);
	if (detail != STATUS_ALL)
		return;
	line("Active media: %u.%02u%%", info->active_permyriad / 100,
	     info->active_permyriad % 100);
	if (!info->erase_cycles || !info->physical_bytes)
		return;
	left = endurance_left_permyriad(info);
	line("Rated PBW: %.2f PB, %u.%02u%% remaining", (double)endurance_bytes(info) / 1e15,
	     left / 100, left % 100);
}

static void put_volume(const char *label, unsigned long long bytes)
{
	char text[32];

	line("   %s %s", label, count_text(bytes, text, sizeof(text)));
}

static void put_volumes(const struct openvsl_info *info)
{
	if (!has_figures(info))
		return;
	line("Lifetime data volumes:");
	put_volume("Logical bytes written :", info->host_written_bytes);
	put_volume("Logical bytes read    :", info->host_read_bytes);
	put_volume("Physical bytes written:", info->media_written_bytes);
	put_volume("Physical bytes read   :", info->media_read_bytes);
}

static const char *pass_text(time_t when, char *buf, size_t bytes)
{
	struct tm tm;

	if (!when)
		return "none since the card was attached";
	if (!gmtime_r(&when, &tm) || !strftime(buf, bytes, "%Y-%m-%d %H:%M:%S UTC", &tm))
		return "unknown";
	return buf;
}

static void put_scrub(const struct openvsl_info *info)
{
	char text[32];

	if (!has_figures(info) || !info->scrub_blocks)
		return;
	line("Background scrub:");
	line("   Blocks read : %s", count_text(info->scrub_blocks, text, sizeof(text)));
	line("   Of them bad : %s", count_text(info->scrub_bad, text, sizeof(text)));
	line("   Last pass   : %s", pass_text(info->scrub_pass_ts, text, sizeof(text)));
}

static void put_ram(const struct openvsl_info *info)
{
	char text[32];

	if (!info->ram_bytes)
		return;
	line("RAM usage:");
	line("   Current: %s bytes", count_text(info->ram_bytes, text, sizeof(text)));
	line("   Peak   : %s bytes", count_text(info->ram_peak_bytes, text, sizeof(text)));
}

static void put_vsu(const struct openvsl_info *info)
{
	char size[SIZE_TEXT];
	char uuid[37];

	uuid_text(info->format_uuid, uuid);
	line("Contained VSUs:");
	line("  %s:\tID:0, UUID:%s", info->disk, uuid);
	printf("\n%s\tState: %s, Type: block device\n", info->disk, disk_word(info));
	line("ID:0, UUID:%s", uuid);
	line("%s device size", size_text(info->capacity_bytes, size, sizeof(size)));
	if (info->sector_bytes)
		line("Format: %llu sectors of %u bytes",
		     (unsigned long long)info->capacity_bytes / info->sector_bytes,
		     info->sector_bytes);
}

static void put_card(const struct card *card, enum status_detail detail, bool colour)
{
	const struct openvsl_info *info = &card->info;
	struct alerts alerts;
	char text[160];

	alerts_find(card, &alerts);
	if (detail != STATUS_ALERTS)
		put_adapter(card, detail);
	put_state(card);
	put_alert_mark(&alerts, colour);
	if (detail != STATUS_ALERTS) {
		line("%s", identity(info, true, text, sizeof(text)));
		put_where(info, detail);
		put_firmware(card);
		put_capacity(info, detail);
		if (detail == STATUS_ALL)
			put_slots(&card->logs);
		if (detail == STATUS_ALL)
			put_link(&card->pci);
		put_temperature(info);
		put_reserve(info, detail);
	}
	if (detail == STATUS_VOLUMES || detail == STATUS_ALL)
		put_volumes(info);
	if (detail == STATUS_ALL) {
		put_errors(&card->logs);
		put_scrub(info);
		put_ram(info);
	}
	put_alerts(&alerts, colour);
	if (detail == STATUS_ALL && *info->disk)
		put_vsu(info);
}

void status_text(const struct cards *cards, const struct driver *driver, unsigned int count,
		 enum status_detail detail, bool colour)
{
	unsigned int i;

	printf("Found %u ioMemory device%s in this system\n", count, count == 1 ? "" : "s");
	printf("Fusion-io driver version: %s (OpenVSL)\n", driver->version.driver);
	for (i = 0; i < cards->nr; i++)
		put_card(&cards->card[i], detail, colour);
	putchar('\n');
}
