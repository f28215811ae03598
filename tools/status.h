/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * status.h - the forms of the status report.
 */
#ifndef VSL_TOOLS_STATUS_H
#define VSL_TOOLS_STATUS_H

#include <stdio.h>

#include "card.h"

enum status_detail {
	STATUS_PLAIN,
	STATUS_VOLUMES,		/* -d: and lifetime volumes */
	STATUS_ALL,		/* -a */
	STATUS_ALERTS,		/* -e: only what is wrong */
};

/* What to do with fields that have no value. */
enum status_missing {
	MISSING_LEAVE_OUT,
	MISSING_SHOW,		/* -u */
	MISSING_EXPLAIN,	/* -U */
};

/**
 * status_text() - the report for people, and for the scripts that read the
 * original's
 * @count: cards in the system
 * @colour: may alerts be coloured
 */
void status_text(const struct cards *cards, const struct driver *driver, unsigned int count,
		 enum status_detail detail, bool colour);

/** status_fields() - the original's JSON, or XML with the same names */
void status_fields(const struct cards *cards, bool xml, enum status_missing missing);

/** status_lines() - key=value lines */
void status_lines(const struct cards *cards, enum status_missing missing);

/**
 * status_field() - bare values of single fields
 * @names: full names
 * @nr: how many
 *
 * Return: RC_DONE; RC_USAGE unknown name; RC_FAILED no value.
 */
int status_field(const struct cards *cards, const char * const *names, unsigned int nr,
		 enum status_missing missing);

/** status_field_names() - what status_field() takes */
void status_field_names(void);

/** status_json() - OpenVSL's own JSON: numbers are numbers */
void status_json(const struct cards *cards, const struct driver *driver);

#endif /* VSL_TOOLS_STATUS_H */
