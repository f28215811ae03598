// SPDX-License-Identifier: GPL-2.0-only
/*
 * field_adapter.c - the fields of the adapter, of the disk on it ("vsu", the
 * original's virtual storage unit) and of the machine.
 *
 * Our cards have one module and one disk each, so much of an adapter's record
 * is its module's again.
 */
#include "field.h"

#include <stdio.h>

#include "field_make.h"
#include "state.h"

void make_board_kind(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%s", from->card->info.flags & OPENVSL_INFO_VIRTUAL ?
		 "Simulated Adapter" : "Single Controller Adapter");
}

static void make_flag(unsigned long long count, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%d", count != 0);
}

void make_pcie_correctable(const struct field_source *from, char *buf, size_t bytes)
{
	make_flag(from->card->pci.correctable, buf, bytes);
}

void make_pcie_nonfatal(const struct field_source *from, char *buf, size_t bytes)
{
	make_flag(from->card->pci.nonfatal, buf, bytes);
}

void make_pcie_fatal(const struct field_source *from, char *buf, size_t bytes)
{
	make_flag(from->card->pci.fatal, buf, bytes);
}

void make_pcie_unsupported(const struct field_source *from, char *buf, size_t bytes)
{
	make_flag(from->card->pci.unsupported, buf, bytes);
}

void make_pcie_any(const struct field_source *from, char *buf, size_t bytes)
{
	const struct dev_pci *pci = &from->card->pci;

	make_flag(pci->correctable | pci->nonfatal | pci->fatal, buf, bytes);
}

void make_link_mbps(const struct field_source *from, char *buf, size_t bytes)
{
	unsigned int mbps = link_mbps_hundredths(&from->card->pci);

	snprintf(buf, bytes, "%u.%02u", mbps / 100, mbps % 100);
}

void make_link_lanes(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%u", from->card->pci.lanes);
}

void make_link_speed(const struct field_source *from, char *buf, size_t bytes)
{
	unsigned int mtps = from->card->pci.speed_mtps;

	snprintf(buf, bytes, "%u.%u", mtps / 1000, mtps / 100 % 10);
}

void make_uuid(const struct field_source *from, char *buf, size_t bytes)
{
	(void)bytes;
	uuid_text(from->card->info.format_uuid, buf);
}

void make_sectors(const struct field_source *from, char *buf, size_t bytes)
{
	const struct openvsl_info *info = &from->card->info;

	snprintf(buf, bytes, "%llu",
		 info->sector_bytes ? info->capacity_bytes / info->sector_bytes : 0);
}

static void make_used_sectors(const struct field_source *from, char *buf, size_t bytes)
{
	const struct openvsl_info *info = &from->card->info;

	snprintf(buf, bytes, "%llu",
		 info->sector_bytes ? info->mapped_bytes / info->sector_bytes : 0);
}

static void make_disk_path(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "/dev/%s", from->card->info.disk);
}

static void make_disk_state(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%s", disk_word(&from->card->info));
}

static void make_ram_total(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%llu", from->host->ram_total);
}

static void make_ram_free(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%llu", from->host->ram_free);
}

/* What the original calls virtual memory is the swap space. */
static void make_swap_total(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%llu", from->host->swap_total);
}

static void make_swap_free(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%llu", from->host->swap_free);
}

const struct field field_adapter[] = {
	FIELD_MADE("board_kind", GATE_ALWAYS, make_board_kind),
	FIELD_NUMBER("board_name", GATE_MODEL, FIELD_STR, model),
	FIELD_NONE("bus_amps"),
	FIELD_NONE("bus_min_volts"),
	FIELD_NONE("bus_peak_amps"),
	FIELD_NONE("bus_peak_volts"),
	FIELD_NONE("bus_peak_watts"),
	FIELD_NONE("bus_volts"),
	FIELD_NONE("bus_watts"),
	FIELD_NONE("external_power_connected"),
	FIELD_NONE("external_power_override"),
	FIELD_NONE("external_power_requirement"),
	FIELD_NUMBER("fio_serial_number", GATE_SERIAL, FIELD_STR, serial),
	FIELD_FIXED("has_adapter", "0"),
	FIELD_MADE("has_pcie_correctable_errors", GATE_PCI_ERRORS, make_pcie_correctable),
	FIELD_MADE("has_pcie_errors", GATE_PCI_ERRORS, make_pcie_any),
	FIELD_MADE("has_pcie_fatal_errors", GATE_PCI_ERRORS, make_pcie_fatal),
	FIELD_MADE("has_pcie_nonfatal_errors", GATE_PCI_ERRORS, make_pcie_nonfatal),
	FIELD_MADE("has_pcie_unrecognized_reqs", GATE_PCI_ERRORS, make_pcie_unsupported),
	FIELD_GROUP("iomemory", GROUP_IOM),
	FIELD_NONE("min_driver_version"),
	FIELD_FIXED("num_expected_iom", "1"),
	FIELD_NONE("oem"),
	FIELD_NONE("oem_part_number_replacement"),
	FIELD_NONE("oem_serial_number"),
	FIELD_NONE("oem_sku"),
	FIELD_NONE("part_number_legacy"),
	FIELD_NONE("part_number_pa"),
	FIELD_NUMBER("part_number_sku", GATE_MODEL, FIELD_STR, model),
	FIELD_NONE("pcie_bandwidth_compatibility"),
	FIELD_MADE("pcie_bandwidth_mbps", GATE_LINK, make_link_mbps),
	FIELD_MADE("pcie_link_lanes", GATE_LINK, make_link_lanes),
	FIELD_MADE("pcie_link_speed_gtps", GATE_LINK, make_link_speed),
	FIELD_NONE("pcie_slot_power_watts"),
	FIELD_NONE("power_limit_watts"),
	FIELD_NONE("power_monitor_enabled"),
	FIELD_NONE("powercut_holdup_type"),
	FIELD_NUMBER("product_name", GATE_MODEL, FIELD_STR, model),
	FIELD_NONE("product_name_short"),
	FIELD_NONE("required_pcie_bandwidth_mbps"),
	FIELD_NUMBER("serial_number", GATE_SERIAL, FIELD_STR, serial),
	FIELD_NONE("smp_app_major_ver"),
	FIELD_NONE("smp_app_micro_ver"),
	FIELD_NONE("smp_app_minor_ver"),
	FIELD_NONE("smp_app_nano_ver"),
	FIELD_NONE("smp_app_version"),
	FIELD_NONE("smp_boot_major_ver"),
	FIELD_NONE("smp_boot_micro_ver"),
	FIELD_NONE("smp_boot_minor_ver"),
	FIELD_NONE("smp_boot_nano_ver"),
	FIELD_NONE("smp_boot_version"),
	FIELD_END
};

const struct field field_vsu[] = {
	FIELD_NUMBER("device_name", GATE_ATTACHED, FIELD_STR, disk),
	FIELD_MADE("device_path", GATE_ATTACHED, make_disk_path),
	FIELD_MADE("in_use_physical_sectors", GATE_ATTACHED, make_used_sectors),
	FIELD_NONE("max_physical_allowed_sectors"),
	FIELD_NONE("min_physical_reserved_sectors"),
	FIELD_FIXED("numeric_id", "0"),
	FIELD_MADE("persistent_uid", GATE_FORMATTED, make_uuid),
	FIELD_MADE("sector_count", GATE_FORMATTED, make_sectors),
	FIELD_NUMBER("sector_size_bytes", GATE_FORMATTED, FIELD_U32, sector_bytes),
	FIELD_NUMBER("size_bytes", GATE_FORMATTED, FIELD_U64, capacity_bytes),
	FIELD_MADE("vsu_state", GATE_ALWAYS, make_disk_state),
	FIELD_FIXED("vsu_type", "block device"),
	FIELD_END
};

const struct field field_host[] = {
	FIELD_FIXED("driver_loaded", "1"),
	FIELD_NONE("fusion_trim_running"),
	FIELD_NONE("is_cluster_master"),
	FIELD_NONE("os_trim_active"),
	FIELD_NONE("os_trim_supported"),
	FIELD_NONE("ram_available_kernel_bytes"),
	FIELD_MADE("ram_available_physical_bytes", GATE_ALWAYS, make_ram_free),
	FIELD_MADE("ram_available_virtual_bytes", GATE_ALWAYS, make_swap_free),
	FIELD_MADE("ram_total_physical_bytes", GATE_ALWAYS, make_ram_total),
	FIELD_MADE("ram_total_virtual_bytes", GATE_ALWAYS, make_swap_total),
	FIELD_NONE("trim_enabled"),
	FIELD_END
};
