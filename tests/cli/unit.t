# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sizes, names and documents, from C.
exec "$(dirname "$0")/build/unit"
