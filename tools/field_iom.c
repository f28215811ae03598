// SPDX-License-Identifier: GPL-2.0-only
/*
 * field_iom.c - the fields of a module: what the original calls a card's
 * controller with its flash.  A card of ours is one of them.
 */
#include "field.h"

#include <stdio.h>
#include <string.h>

#include "field_make.h"
#include "state.h"

static void make_progress(const struct field_source *from, char *buf, size_t bytes)
{
	unsigned int permille = from->card->info.progress_permille;

	snprintf(buf, bytes, "%u.%u", permille / 10, permille % 10);
}

static void make_path(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "/dev/%s", from->card->name);
}

static void make_name(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%s", from->card->name);
}

static void make_label(const struct field_source *from, char *buf, size_t bytes)
{
	const struct openvsl_info *info = &from->card->info;

	if (info->pci_domain == ~0u)
		snprintf(buf, bytes, "%s %s", info->model, from->card->name);
	else
		snprintf(buf, bytes, "%s %04x:%02x:%02x.%x", info->model, info->pci_domain,
			 info->pci_bus, info->pci_slot, info->pci_function);
}

static void join_alerts(const struct field_source *from, enum alert_kind kind, char *buf,
			size_t bytes)
{
	struct alerts alerts;
	size_t used = 0;
	unsigned int i;

	*buf = '\0';
	alerts_find(from->card, &alerts);
	for (i = 0; i < alerts.nr && used < bytes; i++)
		if (alerts.kind[i] == kind)
			used += snprintf(buf + used, bytes - used, "%s%s", used ? " " : "",
					 alerts.text[i]);
}

static void make_errors(const struct field_source *from, char *buf, size_t bytes)
{
	join_alerts(from, ALERT_ERROR, buf, bytes);
}

static void make_warnings(const struct field_source *from, char *buf, size_t bytes)
{
	join_alerts(from, ALERT_WARNING, buf, bytes);
}

static void make_info(const struct field_source *from, char *buf, size_t bytes)
{
	join_alerts(from, ALERT_INFO, buf, bytes);
}

/* Part @nr of a version like 1.2.3-rc1; what is not there counts as 0. */
static void make_driver_part(const struct field_source *from, unsigned int nr, char *buf,
			     size_t bytes)
{
	unsigned int part[3] = { 0, 0, 0 };

	if (sscanf(from->card->driver, "%u.%u.%u", &part[0], &part[1], &part[2]) < 1)
		part[0] = 0;
	snprintf(buf, bytes, "%u", part[nr]);
}

static void make_driver_major(const struct field_source *from, char *buf, size_t bytes)
{
	make_driver_part(from, 0, buf, bytes);
}

static void make_driver_minor(const struct field_source *from, char *buf, size_t bytes)
{
	make_driver_part(from, 1, buf, bytes);
}

static void make_driver_micro(const struct field_source *from, char *buf, size_t bytes)
{
	make_driver_part(from, 2, buf, bytes);
}

static void make_driver(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%s", from->card->driver);
}

static void make_driver_detail(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "OpenVSL %s", from->card->driver);
}

static void make_abi_major(const struct field_source *from, char *buf, size_t bytes)
{
	(void)from;
	snprintf(buf, bytes, "%u", OPENVSL_ABI_MAJOR);
}

static void make_abi_minor(const struct field_source *from, char *buf, size_t bytes)
{
	(void)from;
	snprintf(buf, bytes, "%u", OPENVSL_ABI_MINOR);
}

static void make_state(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%s", state_word(from->card->info.state));
}

static void make_minimal(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%s", minimal_text(from->card->info.minimal_reason));
}

static void make_pci_bus(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%u", from->card->info.pci_bus);
}

static void make_pci_slot(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%u", from->card->info.pci_slot);
}

static void make_pci_function(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%u", from->card->info.pci_function);
}

static void make_pci(const struct field_source *from, char *buf, size_t bytes)
{
	pci_text(&from->card->info, buf, bytes);
}

static void make_plp(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%d", !!(from->card->info.flags & OPENVSL_INFO_PLP));
}

static void make_endurance(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%.2f", (double)endurance_bytes(&from->card->info) / 1e12);
}

static void make_endurance_left(const struct field_source *from, char *buf, size_t bytes)
{
	unsigned int left = endurance_left_permyriad(&from->card->info);

	snprintf(buf, bytes, "%u.%02u", left / 100, left % 100);
}

static void make_health(const struct field_source *from, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%s", health_word(from->card->info.health));
}

const struct field field_iom[] = {
	FIELD_NUMBER("active_media_pct", GATE_FIGURES, FIELD_PERMYRIAD, active_permyriad),
	FIELD_FIXED("atomic_writes_available", "0"),
	FIELD_NONE("beacon_state"),
	FIELD_MADE("board_kind", GATE_ALWAYS, make_board_kind),
	FIELD_NUMBER("board_name", GATE_MODEL, FIELD_STR, model),
	FIELD_MADE("client_progress_pct", GATE_BUSY, make_progress),
	FIELD_NONE("controller_throttle_start_deg_c"),
	FIELD_MADE("ctrl_dev_path", GATE_ALWAYS, make_path),
	FIELD_MADE("current_errors", GATE_ALWAYS, make_errors),
	FIELD_MADE("current_info", GATE_ALWAYS, make_info),
	FIELD_NONE("current_sysmon_alert_type"),
	FIELD_NONE("current_sysmon_alert_value"),
	FIELD_MADE("current_warnings", GATE_ALWAYS, make_warnings),
	FIELD_MADE("device_label", GATE_ALWAYS, make_label),
	FIELD_MADE("device_name", GATE_ALWAYS, make_name),
	FIELD_MADE("device_path", GATE_ALWAYS, make_path),
	FIELD_NONE("driver_barrier_build_ver"),
	FIELD_NONE("driver_barrier_major_ver"),
	FIELD_NONE("driver_barrier_micro_ver"),
	FIELD_NONE("driver_barrier_minor_ver"),
	FIELD_NONE("driver_barrier_version"),
	FIELD_NONE("driver_build_ver"),
	FIELD_MADE("driver_major_ver", GATE_ALWAYS, make_driver_major),
	FIELD_MADE("driver_micro_ver", GATE_ALWAYS, make_driver_micro),
	FIELD_MADE("driver_minor_ver", GATE_ALWAYS, make_driver_minor),
	FIELD_MADE("driver_version", GATE_ALWAYS, make_driver),
	FIELD_MADE("driver_version_detail", GATE_ALWAYS, make_driver_detail),
	FIELD_NONE("eb_index_type"),
	FIELD_NONE("external_power_requirement"),
	FIELD_NUMBER("factory_size_bytes", GATE_ALWAYS, FIELD_U64, factory_bytes),
	FIELD_NUMBER("fio_serial_number", GATE_SERIAL, FIELD_STR, serial),
	FIELD_NONE("first_use_ts"),
	FIELD_MADE("format_uuid", GATE_FORMATTED, make_uuid),
	FIELD_NUMBER("format_version", GATE_FORMATTED, FIELD_U32, format_version),
	FIELD_NONE("fpga_unactivated_major_ver"),
	FIELD_NONE("fpga_unactivated_micro_ver"),
	FIELD_NONE("fpga_unactivated_minor_ver"),
	FIELD_NONE("fpga_unactivated_revision"),
	FIELD_NONE("fpga_unactivated_version"),
	FIELD_NONE("fw_barrier_major_ver"),
	FIELD_NONE("fw_barrier_micro_ver"),
	FIELD_NONE("fw_barrier_minor_ver"),
	FIELD_NONE("fw_barrier_revision"),
	FIELD_NONE("fw_current_major_ver"),
	FIELD_NONE("fw_current_micro_ver"),
	FIELD_NONE("fw_current_minor_ver"),
	FIELD_NONE("fw_current_release_status"),
	FIELD_NONE("fw_current_revision"),
	FIELD_NUMBER("fw_current_version", GATE_FIRMWARE, FIELD_STR, firmware),
	FIELD_NONE("fw_max_major_ver"),
	FIELD_NONE("fw_max_micro_ver"),
	FIELD_NONE("fw_max_minor_ver"),
	FIELD_NONE("fw_min_major_ver"),
	FIELD_NONE("fw_min_micro_ver"),
	FIELD_NONE("fw_min_minor_ver"),
	FIELD_NONE("fw_min_revision"),
	FIELD_NONE("fw_single_version"),
	FIELD_NONE("hardware_generation"),
	FIELD_FIXED("has_adapter", "0"),
	FIELD_MADE("has_pcie_correctable_errors", GATE_PCI_ERRORS, make_pcie_correctable),
	FIELD_MADE("has_pcie_errors", GATE_PCI_ERRORS, make_pcie_any),
	FIELD_MADE("has_pcie_fatal_errors", GATE_PCI_ERRORS, make_pcie_fatal),
	FIELD_MADE("has_pcie_nonfatal_errors", GATE_PCI_ERRORS, make_pcie_nonfatal),
	FIELD_MADE("has_pcie_unrecognized_reqs", GATE_PCI_ERRORS, make_pcie_unsupported),
	FIELD_FIXED("ioctl_api_compatible", "1"),
	FIELD_MADE("ioctl_api_version_major", GATE_ALWAYS, make_abi_major),
	FIELD_MADE("ioctl_api_version_minor", GATE_ALWAYS, make_abi_minor),
	FIELD_NONE("iom_capabilities"),
	FIELD_MADE("iom_state", GATE_ALWAYS, make_state),
	FIELD_NONE("leb_map_present"),
	FIELD_NONE("location_in_adapter"),
	FIELD_NUMBER("max_overformat_size_bytes", GATE_ALWAYS, FIELD_U64, max_bytes),
	FIELD_MADE("minimal_mode_reason", GATE_MINIMAL, make_minimal),
	FIELD_NONE("nand_module_count"),
	FIELD_NONE("nand_module_mask"),
	FIELD_NONE("nand_thermal_deg_c"),
	FIELD_NONE("nand_thermal_threshold_deg_c"),
	FIELD_NONE("nand_throttle_start_deg_c"),
	FIELD_NONE("oem"),
	FIELD_NONE("oem_part_number_replacement"),
	FIELD_NONE("oem_serial_number"),
	FIELD_NONE("oem_sku"),
	FIELD_NONE("optrom_base_supported"),
	FIELD_NONE("optrom_current_major_ver"),
	FIELD_NONE("optrom_current_micro_ver"),
	FIELD_NONE("optrom_current_minor_ver"),
	FIELD_NONE("optrom_current_revision"),
	FIELD_NONE("optrom_current_version"),
	FIELD_NONE("optrom_enabled"),
	FIELD_NONE("origin_ts"),
	FIELD_NONE("overtemp_setpoint_high_deg_c"),
	FIELD_NONE("overtemp_setpoint_low_deg_c"),
	FIELD_NONE("part_number_legacy"),
	FIELD_NONE("part_number_pa"),
	FIELD_NUMBER("part_number_sku", GATE_MODEL, FIELD_STR, model),
	FIELD_MADE("pci_addr", GATE_PCI, make_pci),
	FIELD_MADE("pci_bus", GATE_PCI, make_pci_bus),
	FIELD_MADE("pci_device", GATE_PCI, make_pci_slot),
	FIELD_NUMBER("pci_device_id", GATE_PCI, FIELD_U16, pci_device),
	FIELD_MADE("pci_function", GATE_PCI, make_pci_function),
	FIELD_NONE("pci_slot_num"),
	FIELD_NUMBER("pci_subsys_device_id", GATE_PCI, FIELD_U16, pci_subdevice),
	FIELD_NUMBER("pci_subsys_vendor_id", GATE_PCI, FIELD_U16, pci_subvendor),
	FIELD_NUMBER("pci_vendor_id", GATE_PCI, FIELD_U16, pci_vendor),
	FIELD_NONE("pcie_bandwidth_compatibility"),
	FIELD_MADE("pcie_bandwidth_mbps", GATE_LINK, make_link_mbps),
	FIELD_MADE("pcie_link_lanes", GATE_LINK, make_link_lanes),
	FIELD_MADE("pcie_link_speed_gtps", GATE_LINK, make_link_speed),
	FIELD_NONE("pcie_slot_power_watts"),
	FIELD_MADE("persistent_uid", GATE_FORMATTED, make_uuid),
	FIELD_NONE("port_in_adapter"),
	FIELD_NONE("power_setpoint_high_watts"),
	FIELD_NONE("powercut_holdup_type"),
	FIELD_MADE("powerloss_protect_avail", GATE_ALWAYS, make_plp),
	FIELD_MADE("powerloss_protect_enabled", GATE_ALWAYS, make_plp),
	FIELD_NONE("prealloc_enabled"),
	FIELD_NONE("prealloc_ram_required_mb"),
	FIELD_NUMBER("product_name", GATE_MODEL, FIELD_STR, model),
	FIELD_NONE("product_name_short"),
	FIELD_FIXED("ptrim_available", "1"),
	FIELD_NUMBER("ram_usage_current_bytes", GATE_RAM, FIELD_U64, ram_bytes),
	FIELD_NUMBER("ram_usage_peak_bytes", GATE_RAM, FIELD_U64, ram_peak_bytes),
	FIELD_MADE("rated_endurance_tbytes", GATE_ENDURANCE, make_endurance),
	FIELD_MADE("rated_writes_remaining_percent", GATE_ENDURANCE, make_endurance_left),
	FIELD_NONE("required_pcie_bandwidth_mbps"),
	FIELD_NUMBER("reserve_space_pct", GATE_FIGURES, FIELD_PERMYRIAD, spare_permyriad),
	FIELD_MADE("reserve_status", GATE_FIGURES, make_health),
	FIELD_NUMBER("reserve_warning_threshold_percent", GATE_FIGURES, FIELD_PERMYRIAD,
		     spare_warn_permyriad),
	FIELD_MADE("sector_count", GATE_FORMATTED, make_sectors),
	FIELD_NUMBER("sector_size_bytes", GATE_FORMATTED, FIELD_U32, sector_bytes),
	FIELD_NUMBER("serial_number", GATE_SERIAL, FIELD_STR, serial),
	FIELD_NUMBER("session_copied_bytes", GATE_ATTACHED, FIELD_U64, session_moved_bytes),
	FIELD_NUMBER("session_erased_bytes", GATE_ATTACHED, FIELD_U64, session_erased_bytes),
	FIELD_NUMBER("session_read_ops", GATE_ATTACHED, FIELD_U64, session_read_ops),
	FIELD_NUMBER("session_write_ops", GATE_ATTACHED, FIELD_U64, session_write_ops),
	FIELD_NUMBER("shipped_capacity_bytes", GATE_ALWAYS, FIELD_U64, factory_bytes),
	FIELD_NONE("shipped_sector_size_bytes"),
	FIELD_NUMBER("size_bytes", GATE_FORMATTED, FIELD_U64, capacity_bytes),
	FIELD_NONE("smp0_unactivated_major_ver"),
	FIELD_NONE("smp0_unactivated_micro_ver"),
	FIELD_NONE("smp0_unactivated_minor_ver"),
	FIELD_NONE("smp0_unactivated_version"),
	FIELD_NONE("smp1_unactivated_major_ver"),
	FIELD_NONE("smp1_unactivated_micro_ver"),
	FIELD_NONE("smp1_unactivated_minor_ver"),
	FIELD_NONE("smp1_unactivated_version"),
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
	FIELD_NUMBER("temp_internal_deg_c", GATE_SENSOR, FIELD_MILLI, temp_millic),
	FIELD_NUMBER("temp_internal_peak_deg_c", GATE_SENSOR_PEAK, FIELD_MILLI, temp_max_millic),
	FIELD_NONE("temp_internal_warn_deg_c"),
	FIELD_NONE("temp_setpoint_high_deg_c"),
	FIELD_NONE("temp_setpoint_low_deg_c"),
	FIELD_NONE("temp_setpoint_shutdown_deg_c"),
	FIELD_NONE("thermal_threshold_deg_c"),
	FIELD_NONE("thermal_throttle_reason"),
	FIELD_NUMBER("total_physical_bytes_read", GATE_FIGURES, FIELD_U64, media_read_bytes),
	FIELD_NUMBER("total_physical_bytes_written", GATE_FIGURES, FIELD_U64, media_written_bytes),
	FIELD_FIXED("upgrade_in_progress", "0"),
	FIELD_NONE("vccaux_avg_volts"),
	FIELD_NONE("vccaux_min_volts"),
	FIELD_NONE("vccaux_peak_volts"),
	FIELD_NONE("vccaux_setpoint_high_volts"),
	FIELD_NONE("vccaux_setpoint_low_volts"),
	FIELD_NONE("vccint_avg_volts"),
	FIELD_NONE("vccint_min_volts"),
	FIELD_NONE("vccint_peak_volts"),
	FIELD_NONE("vccint_setpoint_high_volts"),
	FIELD_NONE("vccint_setpoint_low_volts"),
	FIELD_NONE("virtual_controller_active_count"),
	FIELD_NONE("virtual_controller_configured_count"),
	FIELD_NONE("virtual_controller_number"),
	FIELD_GROUP("vsu", GROUP_VSU),
	FIELD_NONE("write_pwr_throttling_count"),
	FIELD_NONE("write_pwr_throttling_sec_since_last"),
	FIELD_NONE("write_reg_power_level"),
	FIELD_NONE("write_reg_thermal_level"),
	FIELD_NONE("write_reg_total_level"),
	FIELD_NONE("write_thermal_throttling_count"),
	FIELD_NONE("write_thermal_throttling_sec_since_last"),
	FIELD_NONE("write_throttling_reason"),
	FIELD_NONE("write_throttling_state"),
	FIELD_END
};
