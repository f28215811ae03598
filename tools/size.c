// SPDX-License-Identifier: GPL-2.0-only
/*
 * size.c - sizes as people write and read them.
 *
 * A number may have a fraction ("1.5T", "62.5%").  It is kept as a whole part
 * and billionths, never as a floating-point number: 2.3T is exactly that, and
 * nothing wraps around unnoticed.
 */
#include "size.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BILLION		1000000000ull

/* @huge: there is a number, and it is above 2^64 - 1 */
struct decimal {
	bool huge;
	unsigned long long whole;
	unsigned long long billionths;
};

/* Return: what follows the number, NULL if there is none. */
static const char *parse_decimal(const char *text, struct decimal *number)
{
	unsigned long long weight = BILLION / 10;
	size_t digits = strspn(text, "0123456789");

	if (!digits)
		return NULL;
	errno = 0;
	number->whole = strtoull(text, NULL, 10);
	number->huge = errno == ERANGE;
	number->billionths = 0;
	text += digits;
	if (*text != '.')
		return text;
	text++;
	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++, weight /= 10)
		number->billionths += (*text - '0') * weight;
	return text;
}

/* Return: 0 if it is no unit. */
static unsigned long long unit_bytes(const char *unit)
{
	static const char letters[] = "BKMGTP";
	unsigned long long base = 1000;
	unsigned long long bytes = 1;
	const char *letter;

	if (!*unit)
		return 1;
	letter = strchr(letters, *unit & ~0x20);
	if (!letter || !*letter)
		return 0;
	if (!strcasecmp(unit + 1, "iB") && letter != letters)
		base = 1024;
	else if (unit[1] && (strcasecmp(unit + 1, "B") || letter == letters))
		return 0;
	for (; letter != letters; letter--)
		bytes *= base;
	return bytes;
}

/* number * times / per, rounded down */
static int scale(const struct decimal *number, unsigned long long times, unsigned int per,
		 unsigned long long *bytes)
{
	unsigned long long share = times / per;
	unsigned long long rest;
	/* In two parts, each below 2^64: there are less than 10^9 billionths. */
	unsigned long long fraction = number->billionths * (share / BILLION) +
				      number->billionths * (share % BILLION) / BILLION;

	if (__builtin_mul_overflow(number->whole, share, bytes) ||
	    __builtin_mul_overflow(number->whole, times % per, &rest) ||
	    __builtin_add_overflow(*bytes, rest / per, bytes) ||
	    __builtin_add_overflow(*bytes, fraction, bytes))
		return -ERANGE;
	return 0;
}

int size_parse(const char *text, unsigned long long whole, unsigned long long *bytes)
{
	struct decimal number;
	const char *unit;

	unit = parse_decimal(text, &number);
	if (!unit)
		return -EINVAL;
	if (!strcmp(unit, "%") ? !whole : !unit_bytes(unit))
		return -EINVAL;
	if (number.huge)
		return -ERANGE;
	if (!strcmp(unit, "%"))
		return scale(&number, whole, 100, bytes);
	return scale(&number, unit_bytes(unit), 1, bytes);
}

int size_parse_sector(const char *text, unsigned int *bytes)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long number;

	if (!digits || digits > 8)
		return -EINVAL;
	number = strtoul(text, NULL, 10);
	text += digits;
	if (!strcasecmp(text, "K"))
		number *= 1024;
	else if (*text && strcasecmp(text, "B"))
		return -EINVAL;
	*bytes = number <= 1u << 30 ? number : 1u << 30;
	return 0;
}

int number_parse(const char *text, unsigned long long max, unsigned long long *number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	*number = strtoull(text, &end, text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10);
	if (*end)
		return -EINVAL;
	return errno || *number > max ? -ERANGE : 0;
}

const char *size_text(unsigned long long bytes, char *buf, size_t len)
{
	unsigned long long hundredths = bytes / 10000000 + (bytes % 10000000 >= 5000000);

	if (bytes >= 10000000)
		snprintf(buf, len, "%llu.%02llu GBytes", hundredths / 100, hundredths % 100);
	else
		snprintf(buf, len, "%llu bytes", bytes);
	return buf;
}

const char *count_text(unsigned long long count, char *buf, size_t len)
{
	char digits[24];
	int nr = snprintf(digits, sizeof(digits), "%llu", count);
	size_t out = 0;
	int i;

	for (i = 0; i < nr && out + 2 < len; i++) {
		buf[out++] = digits[i];
		if ((nr - i) % 3 == 1 && i + 1 < nr)
			buf[out++] = ',';
	}
	buf[out] = '\0';
	return buf;
}
