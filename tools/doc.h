/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * doc.h - writing a JSON or an XML document.
 *
 * A document is a record; a record holds values and lists; a list holds
 * records.  The same calls make either form:
 *
 *	{ "adapter": [ { "key": "value" } ] }
 *	<root><adapter><key>value</key></adapter></root>
 */
#ifndef VSL_TOOLS_DOC_H
#define VSL_TOOLS_DOC_H

#include <stdbool.h>
#include <stdio.h>

#define DOC_DEPTH	10

/**
 * struct doc - a document being written
 * @out: where to
 * @root: XML: name of the outermost element; NULL: JSON
 * @depth: open records and lists
 * @filled: JSON: what is open at each depth has an entry already
 * @name: XML: name of the records of the list at each depth
 */
struct doc {
	FILE *out;
	const char *root;
	int depth;
	bool filled[DOC_DEPTH];
	const char *name[DOC_DEPTH];
};

/** doc_begin() - open the outermost record.  @root: NULL for JSON */
void doc_begin(struct doc *doc, FILE *out, const char *root);

/** doc_end() - close it */
void doc_end(struct doc *doc);

/** doc_open() - open a record as a value: "key": { */
void doc_open(struct doc *doc, const char *key);

/** doc_close() - close it */
void doc_close(struct doc *doc);

/** doc_open_list() - open a list: "key": [ */
void doc_open_list(struct doc *doc, const char *key);

/** doc_open_item() - open a record in the list */
void doc_open_item(struct doc *doc);

/** doc_close_item() - close it */
void doc_close_item(struct doc *doc);

/** doc_close_list() - close the list */
void doc_close_list(struct doc *doc);

/** doc_text() - a string; NULL is JSON's null */
void doc_text(struct doc *doc, const char *key, const char *text);

/** doc_number() - a whole number */
void doc_number(struct doc *doc, const char *key, unsigned long long number);

/** doc_signed() - a whole number that may be negative */
void doc_signed(struct doc *doc, const char *key, long long number);

/** doc_bool() - true or false */
void doc_bool(struct doc *doc, const char *key, bool value);

#endif /* VSL_TOOLS_DOC_H */
