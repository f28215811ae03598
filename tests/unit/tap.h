/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tap.h - a test program in the Test Anything Protocol.
 *
 * A program is a table of functions; each is one line of output.  The first
 * CHECK of a function that fails ends the function and says where.
 */
#ifndef VSL_TESTS_UNIT_TAP_H
#define VSL_TESTS_UNIT_TAP_H

#include <stdbool.h>
#include <stddef.h>

struct tap_test {
	const char *name;
	void (*run)(void);
};

#define TAP_TEST(name)	{ #name, name }

/* True when it failed; the program goes on with the next test. */
#define CHECK(cond)							\
	do {								\
		if (!(cond)) {						\
			tap_fail(#cond, __FILE__, __LINE__);		\
			return;						\
		}							\
	} while (0)

/* The same for numbers: both are shown. */
#define CHECK_EQ(a, b)							\
	do {								\
		long long tap_a = (long long)(a);			\
		long long tap_b = (long long)(b);			\
									\
		if (tap_a != tap_b) {					\
			tap_note("%s is %lld, %s is %lld", #a, tap_a,	\
				 #b, tap_b);				\
			tap_fail(#a " == " #b, __FILE__, __LINE__);	\
			return;						\
		}							\
	} while (0)

void tap_fail(const char *cond, const char *file, int line);
void tap_note(const char *format, ...)
	__attribute__((__format__(__printf__, 1, 2)));
int tap_main(const struct tap_test *tests, size_t nr);

#define TAP_MAIN(tests)							\
	int main(void)							\
	{								\
		return tap_main(tests, sizeof(tests) / sizeof((tests)[0])); \
	}

#endif /* VSL_TESTS_UNIT_TAP_H */
