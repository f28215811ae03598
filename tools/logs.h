/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * logs.h - the last error of a card, in words.
 */
#ifndef VSL_TOOLS_LOGS_H
#define VSL_TOOLS_LOGS_H

#include <stdbool.h>
#include <stddef.h>

#include "../include/uapi/openvsl.h"

#define LOGS_TEXT	40

/**
 * logs_status() - how its command ended
 * @logs: with OPENVSL_LOGS_LAST
 * @buf: LOGS_TEXT bytes, for what has no words
 *
 * Return: @buf, or the words.
 */
const char *logs_status(const struct openvsl_logs *logs, char *buf);

/**
 * logs_command() - which command it was
 * @logs: with OPENVSL_LOGS_LAST
 * @buf: LOGS_TEXT bytes, for what has no words
 *
 * Return: @buf, or the words.
 */
const char *logs_command(const struct openvsl_logs *logs, char *buf);

/** logs_has_block() - is it about a block of a namespace */
bool logs_has_block(const struct openvsl_logs *logs);

/** logs_next() - the slot of firmware that the next reset starts; 0 unknown */
unsigned int logs_next(const struct openvsl_logs *logs);

#endif /* VSL_TOOLS_LOGS_H */
