/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * field.h - a card's figures by the names of the original's fio-status.
 *
 * Its JSON, XML, key=value lines and --field all print these tables.  They
 * hold every name that is known to exist there, in alphabetical order; names
 * without a figure on our cards have the gate GATE_NEVER and are only shown
 * when asked for (-u, -U).
 */
#ifndef VSL_TOOLS_FIELD_H
#define VSL_TOOLS_FIELD_H

#include "card.h"

/* When a field has a value; field_reason() says it in words. */
enum field_gate {
	GATE_ALWAYS,
	GATE_NEVER,		/* no such figure on the cards we drive */
	GATE_FIGURES,		/* read when the card is attached */
	GATE_FORMATTED,
	GATE_ATTACHED,
	GATE_MINIMAL,
	GATE_BUSY,		/* attaching, formatting ... */
	GATE_SENSOR,
	GATE_SENSOR_PEAK,
	GATE_ENDURANCE,		/* rated erase cycles are known */
	GATE_PCI,
	GATE_LINK,
	GATE_PCI_ERRORS,
	GATE_MODEL,
	GATE_SERIAL,
	GATE_FIRMWARE,
	GATE_RAM,
};

enum field_kind {
	FIELD_U16,		/* hexadecimal: PCI ids */
	FIELD_U32,
	FIELD_U64,
	FIELD_STR,
	FIELD_PERMYRIAD,	/* 10000 -> "100.00" */
	FIELD_MILLI,		/* 51680 -> "51.68" */
	FIELD_FIX,		/* the same for all our cards: text */
	FIELD_TEXT,		/* made by make() */
	FIELD_LIST,		/* a list of records of another group */
};

enum field_group {
	GROUP_ADAPTER,
	GROUP_IOM,
	GROUP_VSU,
	GROUP_HOST,
	GROUPS,
};

/* What values come from.  Fields of the host do not look at the card. */
struct field_source {
	const struct card *card;
	const struct dev_host *host;
};

/**
 * struct field - one name
 * @key: the name
 * @gate: when it has a value
 * @kind: what it is
 * @offset: in struct openvsl_info; FIELD_LIST: the group
 * @fixed: FIELD_FIX
 * @make: FIELD_TEXT: write the value to @buf
 */
struct field {
	const char *key;
	enum field_gate gate;
	enum field_kind kind;
	size_t offset;
	const char *fixed;
	void (*make)(const struct field_source *from, char *buf, size_t bytes);
};

#define FIELD_BYTES	512

#define FIELD_NUMBER(key, gate, kind, member) \
	{ key, gate, kind, offsetof(struct openvsl_info, member), NULL, NULL }
#define FIELD_FIXED(key, text)		{ key, GATE_ALWAYS, FIELD_FIX, 0, text, NULL }
#define FIELD_MADE(key, gate, make)	{ key, gate, FIELD_TEXT, 0, NULL, make }
#define FIELD_NONE(key)			{ key, GATE_NEVER, FIELD_FIX, 0, "", NULL }
#define FIELD_GROUP(key, group)		{ key, GATE_ALWAYS, FIELD_LIST, group, NULL, NULL }
#define FIELD_END			{ NULL, GATE_NEVER, FIELD_FIX, 0, NULL, NULL }

extern const struct field field_adapter[];
extern const struct field field_iom[];
extern const struct field field_vsu[];
extern const struct field field_host[];

/** field_table() - the table of a group, ended by a NULL key */
const struct field *field_table(enum field_group group);

/** field_prefix() - "iom" */
const char *field_prefix(enum field_group group);

/**
 * field_value() - the value as text
 * @buf: of FIELD_BYTES
 *
 * Return: @buf, or NULL where there is none.
 */
const char *field_value(const struct field *field, const struct field_source *from, char *buf);

/** field_reason() - why a field has no value */
const char *field_reason(const struct field *field);

/**
 * field_find() - a field by its full name
 * @name: "iom.format_uuid"; without prefix the module is meant
 * @group: the answer: whose it is
 *
 * Return: the field, or NULL.
 */
const struct field *field_find(const char *name, enum field_group *group);

/** endurance_bytes() - what the rated erase cycles mean in bytes written */
unsigned long long endurance_bytes(const struct openvsl_info *info);

/** endurance_left_permyriad() - what is left of them */
unsigned int endurance_left_permyriad(const struct openvsl_info *info);

/** uuid_text() - the usual form.  @buf: of 37 */
const char *uuid_text(const __u8 uuid[16], char *buf);

/** pci_text() - "07:00.0", with the domain in front if it is not 0 */
const char *pci_text(const struct openvsl_info *info, char *buf, size_t bytes);

/** link_mbps() - hundredths of a MByte a second that a link can carry */
unsigned int link_mbps_hundredths(const struct dev_pci *pci);

#endif /* VSL_TOOLS_FIELD_H */
