/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * field_make.h - makers of values that the tables of field_iom.c and
 * field_adapter.c share.
 */
#ifndef VSL_TOOLS_FIELD_MAKE_H
#define VSL_TOOLS_FIELD_MAKE_H

#include "field.h"

void make_board_kind(const struct field_source *from, char *buf, size_t bytes);
void make_pcie_correctable(const struct field_source *from, char *buf, size_t bytes);
void make_pcie_nonfatal(const struct field_source *from, char *buf, size_t bytes);
void make_pcie_fatal(const struct field_source *from, char *buf, size_t bytes);
void make_pcie_unsupported(const struct field_source *from, char *buf, size_t bytes);
void make_pcie_any(const struct field_source *from, char *buf, size_t bytes);
void make_link_mbps(const struct field_source *from, char *buf, size_t bytes);
void make_link_lanes(const struct field_source *from, char *buf, size_t bytes);
void make_link_speed(const struct field_source *from, char *buf, size_t bytes);
void make_uuid(const struct field_source *from, char *buf, size_t bytes);
void make_sectors(const struct field_source *from, char *buf, size_t bytes);

#endif /* VSL_TOOLS_FIELD_MAKE_H */
