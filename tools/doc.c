// SPDX-License-Identifier: GPL-2.0-only
/*
 * doc.c - writing a JSON or an XML document.
 *
 * One "key": "value" to a line, always: there are consumers of fio-status -fj
 * that read it line by line.
 */
#include "doc.h"

#include <string.h>

static void indent(const struct doc *doc)
{
	int i;

	for (i = 0; i < doc->depth; i++)
		fputs("  ", doc->out);
}

/* Begin an entry of what is open, at the start of a line. */
static void begin_entry(struct doc *doc)
{
	if (!doc->root && doc->filled[doc->depth])
		fputs(",\n", doc->out);
	else if (!doc->root)
		fputc('\n', doc->out);
	doc->filled[doc->depth] = true;
	indent(doc);
}

static void push(struct doc *doc, const char *name)
{
	if (doc->depth < DOC_DEPTH - 1)
		doc->depth++;
	doc->filled[doc->depth] = false;
	doc->name[doc->depth] = name;
}

/* An empty record or list stays on its line. */
static void pop_json(struct doc *doc, char bracket)
{
	bool filled = doc->filled[doc->depth];

	doc->depth--;
	if (filled) {
		fputc('\n', doc->out);
		indent(doc);
	}
	fputc(bracket, doc->out);
}

static void put_json(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c > 0x7e)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void put_xml(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = *text;

		if (c == '&' || c == '<' || c == '>' || c > 0x7e)
			fprintf(out, "&#x%x;", c);
		else
			/* XML has no way to write most control characters. */
			fputc(c < 0x20 ? ' ' : c, out);
	}
}

void doc_begin(struct doc *doc, FILE *out, const char *root)
{
	memset(doc, 0, sizeof(*doc));
	doc->out = out;
	doc->root = root;
	if (root)
		fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<%s>\n", root);
	else
		fputc('{', out);
	push(doc, root);
}

void doc_end(struct doc *doc)
{
	if (doc->root)
		fprintf(doc->out, "</%s>\n", doc->root);
	else
		pop_json(doc, '}');
	if (!doc->root)
		fputc('\n', doc->out);
}

void doc_open(struct doc *doc, const char *key)
{
	begin_entry(doc);
	if (doc->root)
		fprintf(doc->out, "<%s>\n", key);
	else
		fprintf(doc->out, "\"%s\": {", key);
	push(doc, key);
}

void doc_close(struct doc *doc)
{
	const char *key = doc->name[doc->depth];

	if (!doc->root) {
		pop_json(doc, '}');
		return;
	}
	doc->depth--;
	indent(doc);
	fprintf(doc->out, "</%s>\n", key);
}

void doc_open_list(struct doc *doc, const char *key)
{
	if (doc->root) {
		/* Its records are elements of that name; it is none itself. */
		doc->name[doc->depth + 1] = key;
		return;
	}
	begin_entry(doc);
	fprintf(doc->out, "\"%s\": [", key);
	push(doc, key);
}

void doc_open_item(struct doc *doc)
{
	if (doc->root) {
		doc_open(doc, doc->name[doc->depth + 1]);
		return;
	}
	begin_entry(doc);
	fputc('{', doc->out);
	push(doc, NULL);
}

void doc_close_item(struct doc *doc)
{
	doc_close(doc);
}

void doc_close_list(struct doc *doc)
{
	if (!doc->root)
		pop_json(doc, ']');
}

static void put_plain(struct doc *doc, const char *key, const char *value)
{
	begin_entry(doc);
	if (doc->root)
		fprintf(doc->out, "<%s>%s</%s>\n", key, value, key);
	else
		fprintf(doc->out, "\"%s\": %s", key, value);
}

void doc_text(struct doc *doc, const char *key, const char *text)
{
	if (!text) {
		put_plain(doc, key, doc->root ? "" : "null");
		return;
	}
	begin_entry(doc);
	if (doc->root) {
		fprintf(doc->out, "<%s>", key);
		put_xml(doc->out, text);
		fprintf(doc->out, "</%s>\n", key);
	} else {
		fprintf(doc->out, "\"%s\": ", key);
		put_json(doc->out, text);
	}
}

void doc_number(struct doc *doc, const char *key, unsigned long long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", number);
	put_plain(doc, key, text);
}

void doc_signed(struct doc *doc, const char *key, long long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", number);
	put_plain(doc, key, text);
}

void doc_bool(struct doc *doc, const char *key, bool value)
{
	put_plain(doc, key, value ? "true" : "false");
}
