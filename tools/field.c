// SPDX-License-Identifier: GPL-2.0-only
/*
 * field.c - from a name in a table to its value, or to why there is none.
 */
#include "field.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "state.h"

const struct field *field_table(enum field_group group)
{
	static const struct field * const tables[GROUPS] = {
		[GROUP_ADAPTER] = field_adapter,
		[GROUP_IOM] = field_iom,
		[GROUP_VSU] = field_vsu,
		[GROUP_HOST] = field_host,
	};

	return tables[group];
}

const char *field_prefix(enum field_group group)
{
	static const char * const prefixes[GROUPS] = {
		[GROUP_ADAPTER] = "adapter",
		[GROUP_IOM] = "iom",
		[GROUP_VSU] = "vsu",
		[GROUP_HOST] = "host",
	};

	return prefixes[group];
}

static bool gate_open(enum field_gate gate, const struct card *card)
{
	const struct openvsl_info *info = card ? &card->info : NULL;

	switch (gate) {
	case GATE_ALWAYS:
		return true;
	case GATE_NEVER:
		return false;
	case GATE_FIGURES:
		return has_figures(info);
	case GATE_FORMATTED:
		return info->flags & OPENVSL_INFO_FORMATTED;
	case GATE_ATTACHED:
		return *info->disk;
	case GATE_MINIMAL:
		return info->state == OPENVSL_STATE_MINIMAL;
	case GATE_BUSY:
		return state_busy(info->state);
	case GATE_SENSOR:
		return info->temp_millic != INT_MIN;
	case GATE_SENSOR_PEAK:
		return info->temp_max_millic != INT_MIN;
	case GATE_ENDURANCE:
		return has_figures(info) && info->erase_cycles && info->physical_bytes;
	case GATE_PCI:
		return info->pci_domain != ~0u;
	case GATE_LINK:
		return card->pci.lanes && card->pci.speed_mtps;
	case GATE_PCI_ERRORS:
		return card->pci.counted;
	case GATE_MODEL:
		return *info->model;
	case GATE_SERIAL:
		return *info->serial;
	case GATE_FIRMWARE:
		return *info->firmware;
	case GATE_RAM:
		return info->ram_bytes;
	}
	return false;
}

const char *field_reason(const struct field *field)
{
	static const char * const reasons[] = {
		[GATE_ALWAYS] = "not known",
		[GATE_NEVER] = "the driver has no such figure",
		[GATE_FIGURES] = "known while the card is attached",
		[GATE_FORMATTED] = "the card is not formatted",
		[GATE_ATTACHED] = "the card is not attached",
		[GATE_MINIMAL] = "the card is not in minimal mode",
		[GATE_BUSY] = "nothing is under way",
		[GATE_SENSOR] = "the card has no such sensor",
		[GATE_SENSOR_PEAK] = "the card has no such sensor",
		[GATE_ENDURANCE] = "the card does not tell its rated erase cycles",
		[GATE_PCI] = "the card is no PCI device",
		[GATE_LINK] = "the kernel does not tell the link's state",
		[GATE_PCI_ERRORS] = "the kernel does not count PCIe errors",
		[GATE_MODEL] = "the card does not tell",
		[GATE_SERIAL] = "the card does not tell",
		[GATE_FIRMWARE] = "the card does not tell",
		[GATE_RAM] = "the card is not attached",
	};

	return reasons[field->gate];
}

static void print_milli(int milli, char *buf, size_t bytes)
{
	int hundredths = milli / 10;
	const char *sign = hundredths < 0 ? "-" : "";

	if (hundredths < 0)
		hundredths = -hundredths;
	snprintf(buf, bytes, "%s%d.%02d", sign, hundredths / 100, hundredths % 100);
}

const char *field_value(const struct field *field, const struct field_source *from, char *buf)
{
	const void *at = NULL;

	if (!gate_open(field->gate, from->card))
		return NULL;
	if (from->card)
		at = (const char *)&from->card->info + field->offset;
	switch (field->kind) {
	case FIELD_U16:
		snprintf(buf, FIELD_BYTES, "%04x", *(const __u16 *)at);
		break;
	case FIELD_U32:
		snprintf(buf, FIELD_BYTES, "%u", *(const __u32 *)at);
		break;
	case FIELD_U64:
		snprintf(buf, FIELD_BYTES, "%llu", *(const __u64 *)at);
		break;
	case FIELD_STR:
		snprintf(buf, FIELD_BYTES, "%s", (const char *)at);
		break;
	case FIELD_PERMYRIAD:
		snprintf(buf, FIELD_BYTES, "%u.%02u", *(const __u32 *)at / 100,
			 *(const __u32 *)at % 100);
		break;
	case FIELD_MILLI:
		print_milli(*(const __s32 *)at, buf, FIELD_BYTES);
		break;
	case FIELD_FIX:
		snprintf(buf, FIELD_BYTES, "%s", field->fixed);
		break;
	case FIELD_TEXT:
		field->make(from, buf, FIELD_BYTES);
		break;
	case FIELD_LIST:
		return NULL;
	}
	return buf;
}

const struct field *field_find(const char *name, enum field_group *group)
{
	const struct field *field;
	const char *key = name;
	size_t len;
	int i;

	*group = GROUP_IOM;
	for (i = 0; i < GROUPS; i++) {
		len = strlen(field_prefix(i));
		if (strncmp(name, field_prefix(i), len) || name[len] != '.')
			continue;
		*group = i;
		key = name + len + 1;
	}
	for (field = field_table(*group); field->key; field++)
		if (!strcmp(field->key, key) && field->kind != FIELD_LIST)
			return field;
	return NULL;
}

/* ---- figures that more than one report prints ----------------------------- */

unsigned long long endurance_bytes(const struct openvsl_info *info)
{
	unsigned long long bytes;

	if (__builtin_mul_overflow(info->physical_bytes, (__u64)info->erase_cycles, &bytes))
		return ~0ull;
	return bytes;
}

unsigned int endurance_left_permyriad(const struct openvsl_info *info)
{
	__u64 all = (__u64)info->eus_total * info->erase_cycles;

	/* In units of 1/10000 of the whole, so that nothing overflows. */
	if (!all || info->erase_sum >= all)
		return 0;
	return 10000 - (unsigned int)(all < 10000 ? info->erase_sum * 10000 / all :
						    info->erase_sum / (all / 10000));
}

const char *uuid_text(const __u8 uuid[16], char *buf)
{
	char *out = buf;
	int i;

	for (i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*out++ = '-';
		out += sprintf(out, "%02x", uuid[i]);
	}
	return buf;
}

const char *pci_text(const struct openvsl_info *info, char *buf, size_t bytes)
{
	size_t used = 0;

	if (info->pci_domain)
		used = snprintf(buf, bytes, "%04x:", info->pci_domain);
	snprintf(buf + used, bytes - used, "%02x:%02x.%x", info->pci_bus, info->pci_slot,
		 info->pci_function);
	return buf;
}

unsigned int link_mbps_hundredths(const struct dev_pci *pci)
{
	/* 8 bits of 10 carry data up to 5 GT/s, 128 of 130 from 8 GT/s on. */
	if (pci->speed_mtps < 8000)
		return pci->lanes * pci->speed_mtps / 10 * 100;
	return (unsigned int)(pci->lanes * (pci->speed_mtps / 8) * 12800ull / 130);
}
