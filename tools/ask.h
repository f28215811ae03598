/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ask.h - asking before something is destroyed.
 */
#ifndef VSL_TOOLS_ASK_H
#define VSL_TOOLS_ASK_H

/**
 * ask() - a yes-or-no question on the terminal
 * @question: without the "[y/N]"
 * @what: "cannot format", for the refusal when there is no terminal
 *
 * Only "y" and "yes" are a yes, in capitals too.  Call stop_catch() before: a
 * signal is a no.
 *
 * Return: RC_DONE for yes; RC_STOPPED for no; RC_USAGE without a terminal.
 */
int ask(const char *question, const char *what);

#endif /* VSL_TOOLS_ASK_H */
