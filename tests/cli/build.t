# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Goal: the tools build and install everywhere they should.  Method: a copy of
# the tree's parts that they need, other compilers, DESTDIR and PREFIX.

. "$(dirname "$0")/lib.sh"

# What the make above was told is not meant for those below.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES
tree=$work/tree
mkdir -p "$tree/driver" "$tree/docs"
cp -r "$top/tools" "$top/include" "$top/packaging" "$tree"
cp -r "$top/docs/man" "$tree/docs"
cp "$top/driver/version.h" "$tree/driver"
cp -r "$top/driver/core" "$top/driver/media" "$tree/driver"

build() {
	make -C "$tree/tools" clean && make -j2 -C "$tree/tools" "$@"
}
try build CFLAGS="-O2 -Werror" V=1
rc_is 0 "builds without a warning"
ok "V=1 shows the commands" grep -q -e '-c -o main.o main.c' "$out"
mv "$tree/tools/openvsl" "$work/openvsl"
if command -v clang >/dev/null; then
	try build CC=clang CFLAGS="-O0 -Werror"
	rc_is 0 "builds with clang"
else
	skip "builds with clang" "not installed"
fi
if command -v musl-gcc >/dev/null; then
	# The kernel's headers are not musl's: behind everything else.
	try build CC="musl-gcc -idirafter /usr/include -idirafter /usr/include/$(uname -m)-linux-gnu" \
		CFLAGS="-O0 -Werror" LDFLAGS=-static
	rc_is 0 "builds with musl"
	try "$tree/tools/openvsl" sim faults
	rc_is 0 "runs with musl"
else
	skip "builds with musl" "no musl-gcc"
fi
if command -v objdump >/dev/null; then
	newest=$(objdump -T "$work/openvsl" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
	printf '# needs %s\n' "$newest"
	# glibc 2.33 and 2.34 moved old functions to new version names (stat,
	# libc's start): built against 2.29 these have the old ones.
	objdump -T "$work/openvsl" | awk '/GLIBC_2\.(3[0-9]|[4-9][0-9])/ { print $NF }' | sort -u |
		grep -vxE '__libc_start_main|stat|fstat|lstat|__isoc23_.*' >"$out"
	ok "needs nothing newer than glibc 2.29" [ ! -s "$out" ]
	objdump -p "$work/openvsl" | awk '/NEEDED/ { print $2 }' >"$out"
	ok "needs libc only" [ "$(cat "$out")" = libc.so.6 ]
else
	skip "needs nothing newer than glibc 2.29" "no objdump"
fi

try make -C "$tree/tools" install DESTDIR="$work/dest" PREFIX=/opt/x
rc_is 0 "installs"
ok "what is installed" diff - <(cd "$work/dest" && find . ! -type d | sort) <<'X'
./opt/x/bin/fio-attach
./opt/x/bin/fio-detach
./opt/x/bin/fio-format
./opt/x/bin/fio-status
./opt/x/bin/fio-update-iodrive
./opt/x/bin/openvsl
./opt/x/lib/udev/rules.d/60-persistent-fio.rules
./opt/x/lib/udev/rules.d/81-openvsl-bind.rules
./opt/x/share/bash-completion/completions/fio-attach
./opt/x/share/bash-completion/completions/fio-detach
./opt/x/share/bash-completion/completions/fio-format
./opt/x/share/bash-completion/completions/fio-status
./opt/x/share/bash-completion/completions/fio-update-iodrive
./opt/x/share/bash-completion/completions/openvsl
./opt/x/share/man/man4/openvsl.4
./opt/x/share/man/man8/fio-attach.8
./opt/x/share/man/man8/fio-detach.8
./opt/x/share/man/man8/fio-format.8
./opt/x/share/man/man8/fio-status.8
./opt/x/share/man/man8/fio-update-iodrive.8
./opt/x/share/man/man8/openvsl.8
X
try "$work/dest/opt/x/bin/fio-attach" --version
out_is "$(printf 'openvsl %s' "$(sed -n 's/^#define VSL_VERSION\t"\(.*\)"/\1/p' "$top/driver/version.h")")" \
	"an installed link runs"
ok "the udev rule names the program that was installed" \
	grep -q 'RUN+="/opt/x/bin/openvsl bind --boot' "$work/dest/opt/x/lib/udev/rules.d/81-openvsl-bind.rules"
try make -C "$tree/tools" uninstall DESTDIR="$work/dest" PREFIX=/opt/x
ok "uninstall takes it all away" [ -z "$(find "$work/dest" ! -type d)" ]

# The top Makefile runs others elsewhere: a name is from where it was written.
cp "$top/Makefile" "$tree"
mkdir "$work/kernel"
# shellcheck disable=SC2016 # for make to expand
printf 'modules_install:\n\t@echo "modules: $(INSTALL_MOD_PATH)"\n' >"$work/kernel/Makefile"
installs_below() {
	local name=$1
	shift
	try make -s -C "$tree" "$@" KDIR="$work/kernel" KVER=1
	ok "$name" grep -qx "modules: $tree/dest" "$out"
}
installs_below "a relative DESTDIR: modules" modules_install DESTDIR=dest
DESTDIR=dest installs_below "a relative DESTDIR in the environment: modules" modules_install
installs_below "a relative INSTALL_MOD_PATH" modules_install INSTALL_MOD_PATH=dest
try make -C "$tree" tools_install DESTDIR=dest
ok "a relative DESTDIR: tools" [ -x "$tree/dest/usr/bin/openvsl" ]
ok "an absolute DESTDIR stays" [ "$(make -s -C "$tree" modules_install DESTDIR=/x/y \
	KDIR="$work/kernel" KVER=1)" = "modules: /x/y" ]
ok "none stays none" [ "$(make -s -C "$tree" modules_install KDIR="$work/kernel" KVER=1)" = "modules: " ]

# What is built is not for the repository, and nothing else.
if command -v git >/dev/null; then
	mkdir -p "$work/repository/packaging/modprobe.d" "$work/repository/tools"
	cp "$top/.gitignore" "$work/repository"
	git init -q "$work/repository"
	ignored() {
		git -C "$work/repository" check-ignore -q "$1"
	}
	ok "modprobe.d is not ignored" eval "! ignored packaging/modprobe.d/openvsl.conf.example"
	ok "dependencies are ignored" ignored tools/main.d
else
	skip "modprobe.d is not ignored" "no git"
fi

# House rules.
long=$(awk 'FNR == 1 { start = 0 } /^\{/ { start = FNR } /^\}/ { if (start && FNR - start > 70)
	print FILENAME ":" start; start = 0 }' "$top"/tools/*.c "$here"/*.c)
ok "no function over 70 lines:$long" [ -z "$long" ]
bad=$(cd "$top" && for file in tools/* docs/man/* tests/cli/*; do
	case $file in *.[od] | tools/openvsl | tools/openvsl.bash) continue ;; esac
	[ -f "$file" ] || continue
	head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' || printf ' %s' "$file"
done)
ok "SPDX everywhere:$bad" [ -z "$bad" ]
done_testing
