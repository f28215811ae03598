/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unit.h - what the files of the program "unit" share.
 */
#ifndef VSL_CLI_UNIT_H
#define VSL_CLI_UNIT_H

/** ok() - one result, named by two words */
void ok(int good, const char *what, const char *detail);

/** test_signatures() - unit_signature.c */
void test_signatures(void);

#endif /* VSL_CLI_UNIT_H */
