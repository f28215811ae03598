# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: the KUnit suites, which see what only the kernel can show
# kernels: debug
# (the stock kernels are built without KUnit)
# memory: 1G
# timeout: 240
# together: all
# append: kunit.enable=1

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh

# The kernel log's KTAP as TAP: results of suites are summaries and are left out,
# except that a suite must have run.
ktap_to_tap() {
	sed 's/^\[ *[0-9.]*\] //' | awk '
		/^ *# Subtest: / { suite = $3 }
		/^    (not )?ok [0-9]+ / {
			verb = /^ *not/ ? "not ok" : "ok"
			line = $0
			sub(/^ *(not )?ok [0-9]+ *(- *)?/, "", line)
			print verb " " ++count " - " suite ": " line
			next
		}
		/^(not )?ok [0-9]+ / { next }
		/^ +# / { sub(/^ +/, ""); print }
		END { print "1.." count + 0 }'
}

[ -e /vsl/modules/openvsl_kunit.ko ] || skip_all "openvsl_kunit.ko was not built"
load_driver
dmesg -C
# It ends with 0 even if a test failed: only what it says counts.
insmod /vsl/modules/openvsl_kunit.ko
dmesg | ktap_to_tap
rmmod openvsl_kunit openvsl
