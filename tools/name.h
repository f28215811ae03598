/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * name.h - the names people give to cards.
 */
#ifndef VSL_TOOLS_NAME_H
#define VSL_TOOLS_NAME_H

enum name_kind {
	NAME_CARD,		/* fct3, /dev/fct3 */
	NAME_DISK,		/* fioa, /dev/fioa */
	NAME_PARTITION,		/* fioa1, /dev/fioa1 */
	NAME_OTHER,
};

/**
 * struct name - a name taken apart
 * @kind: enum name_kind
 * @card: N of fctN
 * @disk: "fioa", of a partition too
 */
struct name {
	enum name_kind kind;
	unsigned int card;
	char disk[32];
};

/**
 * name_parse() - take a name apart
 * @text: as typed; may be a symbolic link to a node
 * @name: the answer
 */
void name_parse(const char *text, struct name *name);

#endif /* VSL_TOOLS_NAME_H */
