// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit.c - what is easier to test from C: sizes, names, documents, and
 * signatures (unit_signature.c).
 *
 * Goal: every spelling that is accepted means what the manual says, and nothing
 * else is accepted.  Method: tables.
 */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../tools/cmd.h"
#include "../../tools/doc.h"
#include "../../tools/name.h"
#include "../../tools/size.h"

static int count;

void ok(int good, const char *what, const char *detail)
{
	printf("%sok %d - %s %s\n", good ? "" : "not ", ++count, what, detail);
}

#define GB160	160000000000ull

static const struct {
	const char *text;
	int err;
	unsigned long long bytes;
} sizes[] = {
	{ "0", 0, 0 },
	{ "512", 0, 512 },
	{ "512B", 0, 512 },
	{ "1K", 0, 1000 },
	{ "1k", 0, 1000 },
	{ "1KB", 0, 1000 },
	{ "1KiB", 0, 1024 },
	{ "2G", 0, 2000000000ull },
	{ "2GB", 0, 2000000000ull },
	{ "2GiB", 0, 2ull << 30 },
	{ "512MiB", 0, 512ull << 20 },
	{ "1T", 0, 1000000000000ull },
	{ "1.5T", 0, 1500000000000ull },
	{ "2.41T", 0, 2410000000000ull },
	{ "0.000000001G", 0, 1 },
	{ "1P", 0, 1000000000000000ull },
	{ "1PiB", 0, 1ull << 50 },
	{ "60%", 0, 96000000000ull },
	{ "100%", 0, GB160 },
	{ "62.5%", 0, 100000000000ull },
	{ "110%", 0, 176000000000ull },
	{ "18446744073709551615", 0, ~0ull },
	{ "18446744073709551616", -ERANGE, 0 },
	{ "99999999999999999999", -ERANGE, 0 },
	{ "99999999999999999999%", -ERANGE, 0 },
	{ "99999999999999999999G", -ERANGE, 0 },
	{ "99999999999999999999X", -EINVAL, 0 },
	{ "9999999999999999999", 0, 9999999999999999999ull },
	{ "18447P", -ERANGE, 0 },
	{ "16384PiB", -ERANGE, 0 },
	{ "16383PiB", 0, 16383ull << 50 },
	{ "", -EINVAL, 0 },
	{ "G", -EINVAL, 0 },
	{ "-1G", -EINVAL, 0 },
	{ "+1G", -EINVAL, 0 },
	{ " 1G", -EINVAL, 0 },
	{ "1 G", -EINVAL, 0 },
	{ "1.G", -EINVAL, 0 },
	{ ".5G", -EINVAL, 0 },
	{ "1,5G", -EINVAL, 0 },
	{ "1X", -EINVAL, 0 },
	{ "1E", -EINVAL, 0 },
	{ "1Gi", -EINVAL, 0 },
	{ "1GBB", -EINVAL, 0 },
	{ "1BB", -EINVAL, 0 },
	{ "1BiB", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },
	{ "60%%", -EINVAL, 0 },
	{ "1e9", -EINVAL, 0 },
};

static void test_sizes(void)
{
	unsigned long long bytes;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		err = size_parse(sizes[i].text, GB160, &bytes);
		ok(err == sizes[i].err && (err || bytes == sizes[i].bytes), "size", sizes[i].text);
	}
	ok(size_parse("60%", 0, &bytes) == -EINVAL, "size", "60% of nothing");
}

static const struct {
	const char *text;
	int err;
	unsigned int bytes;
} sectors[] = {
	{ "512", 0, 512 }, { "512B", 0, 512 }, { "4096", 0, 4096 }, { "4096b", 0, 4096 },
	{ "4K", 0, 4096 }, { "4k", 0, 4096 }, { "3000", 0, 3000 }, { "0", 0, 0 },
	{ "99999999K", 0, 1u << 30 },
	{ "4KB", -EINVAL, 0 }, { "K", -EINVAL, 0 }, { "", -EINVAL, 0 }, { "-512", -EINVAL, 0 },
	{ "4M", -EINVAL, 0 }, { "999999999", -EINVAL, 0 },
};

static void test_sectors(void)
{
	unsigned int bytes;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(sectors); i++) {
		err = size_parse_sector(sectors[i].text, &bytes);
		ok(err == sectors[i].err && (err || bytes == sectors[i].bytes), "sector",
		   sectors[i].text);
	}
}

static void test_numbers(void)
{
	unsigned long long number;

	ok(!number_parse("0", 9, &number) && number == 0, "number", "0");
	ok(!number_parse("0x1F", 99, &number) && number == 31, "number", "0x1F");
	ok(!number_parse("010", 99, &number) && number == 10, "number", "010 is no octal");
	ok(number_parse("100", 99, &number) == -ERANGE, "number", "above its limit");
	ok(number_parse("99999999999999999999", ~0ull, &number) == -ERANGE, "number", "too long");
	ok(number_parse("-1", 99, &number) == -EINVAL, "number", "-1");
	ok(number_parse("", 99, &number) == -EINVAL, "number", "empty");
	ok(number_parse("1x", 99, &number) == -EINVAL, "number", "1x");
	ok(number_parse("0x", 99, &number) == -EINVAL, "number", "0x");
}

static void test_texts(void)
{
	char buf[SIZE_TEXT];

	ok(!strcmp(size_text(GB160, buf, sizeof(buf)), "160.00 GBytes"), "text of", "160 GB");
	ok(!strcmp(size_text(1999998976, buf, sizeof(buf)), "2.00 GBytes"), "text of", "2 GB");
	ok(!strcmp(size_text(268435456, buf, sizeof(buf)), "0.27 GBytes"), "text of", "256 MiB");
	ok(!strcmp(size_text(1048576, buf, sizeof(buf)), "1048576 bytes"), "text of", "1 MiB");
	ok(!strcmp(count_text(0, buf, sizeof(buf)), "0"), "count", "0");
	ok(!strcmp(count_text(999, buf, sizeof(buf)), "999"), "count", "999");
	ok(!strcmp(count_text(1000, buf, sizeof(buf)), "1,000"), "count", "1000");
	ok(!strcmp(count_text(~0ull, buf, sizeof(buf)), "18,446,744,073,709,551,615"), "count",
	   "2^64 - 1");
}

static const struct {
	const char *text;
	enum name_kind kind;
	unsigned int card;
	const char *disk;
} names[] = {
	{ "fct0", NAME_CARD, 0, "" },
	{ "/dev/fct0", NAME_CARD, 0, "" },
	{ "fct255", NAME_CARD, 255, "" },
	{ "fct256", NAME_OTHER, 0, "" },
	{ "fct999", NAME_OTHER, 0, "" },
	{ "fct00", NAME_OTHER, 0, "" },
	{ "fct", NAME_OTHER, 0, "" },
	{ "fct0x", NAME_OTHER, 0, "" },
	{ "fct-1", NAME_OTHER, 0, "" },
	{ "FCT0", NAME_OTHER, 0, "" },
	{ "fioa", NAME_DISK, 0, "fioa" },
	{ "/dev/fioab", NAME_DISK, 0, "fioab" },
	{ "fioa1", NAME_PARTITION, 0, "fioa" },
	{ "/dev/fioa12", NAME_PARTITION, 0, "fioa" },
	{ "fio", NAME_OTHER, 0, "" },
	{ "fio1", NAME_OTHER, 0, "" },
	{ "fio-status", NAME_OTHER, 0, "" },
	{ "fioabcd", NAME_OTHER, 0, "" },
	{ "/dev/sda", NAME_OTHER, 0, "" },
	{ "/dev/null", NAME_OTHER, 0, "" },
	{ "/dev//fct0", NAME_OTHER, 0, "" },
	{ "./fct0", NAME_OTHER, 0, "" },
	{ "", NAME_OTHER, 0, "" },
	{ "0", NAME_OTHER, 0, "" },
};

static void test_names(void)
{
	struct name name;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		name_parse(names[i].text, &name);
		ok(name.kind == names[i].kind && name.card == names[i].card &&
		   !strcmp(name.disk, names[i].disk), "name", names[i].text);
	}
}

static int doc_is(const char *root, const char *want)
{
	char have[512] = "";
	FILE *out = fmemopen(have, sizeof(have), "w");
	struct doc doc;

	doc_begin(&doc, out, root);
	doc_text(&doc, "odd", "a\"\\<&>\n\xe9");
	doc_open_list(&doc, "empty");
	doc_close_list(&doc);
	doc_open_list(&doc, "list");
	doc_open_item(&doc);
	doc_number(&doc, "n", 1);
	doc_close_item(&doc);
	doc_open_item(&doc);
	doc_bool(&doc, "b", true);
	doc_close_item(&doc);
	doc_close_list(&doc);
	doc_text(&doc, "none", NULL);
	doc_end(&doc);
	fclose(out);
	if (strcmp(have, want))
		printf("# have:\n%s", have);
	return !strcmp(have, want);
}

static void test_documents(void)
{
	ok(doc_is(NULL, "{\n  \"odd\": \"a\\\"\\\\<&>\\u000a\\u00e9\",\n  \"empty\": [],\n"
			"  \"list\": [\n    {\n      \"n\": 1\n    },\n    {\n      \"b\": true\n"
			"    }\n  ],\n  \"none\": null\n}\n"), "document", "JSON");
	ok(doc_is("top", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<top>\n"
			 "  <odd>a\"\\&#x3c;&#x26;&#x3e; &#xe9;</odd>\n"
			 "  <list>\n    <n>1</n>\n  </list>\n  <list>\n    <b>true</b>\n  </list>\n"
			 "  <none></none>\n</top>\n"), "document", "XML");
}

int main(void)
{
	test_sizes();
	test_sectors();
	test_numbers();
	test_texts();
	test_names();
	test_documents();
	test_signatures();
	printf("1..%d\n", count);
	return 0;
}
