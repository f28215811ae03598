# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the installers: messages, the cache, and an apt of our own.
#
# The cache only saves time. Everything in it is made again when it is missing,
# and each entry is named after what it was made from (a version, or a hash of
# the recipe), so an old entry is never taken for a current one. An entry is
# built beside its place and renamed into it: it is either whole or not there.

set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C

setup_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # for those that read this file
top_dir=$(cd "$setup_dir/../.." && pwd)
cache=${OPENVSL_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/openvsl}
# Suites that the guests and their compilers come from.
guest_suite=bookworm
newest_suite=trixie

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
	say "$*"
	exit 1
}

need_root() {
	[ "$(id -u)" = 0 ] || die "must be run as root, to install packages and enter a chroot"
}

# with_lock NAME COMMAND...: one at a time, whoever comes second waits.
with_lock() {
	mkdir -p "$cache/lock"
	local lock=$cache/lock/$1
	shift
	(
		flock -w 5400 9 || die "gave up waiting for another run that holds $lock"
		"$@" 9>&-
	) 9>"$lock"
}

# The first 12 hex digits of the hash of standard input: names a cache entry.
hash_of() {
	sha256sum | cut -c1-12
}

# entry_ready DIR: was it finished, and here? Some entries hold their own path.
entry_ready() {
	[ -f "$1/ready" ] && [ "$(cat "$1/ready")" = "$1" ] && touch "$1/ready"
}

# finish_entry NEW DIR: publish NEW as DIR; its siblings that nobody has used for
# two weeks go, and what an interrupted run has left.
finish_entry() {
	local old

	printf '%s\n' "$2" >"$1/ready"
	rm -rf "$2"
	mv "$1" "$2"
	find "${2%/*}" -maxdepth 1 -name 'new.*' -mtime +1 -exec rm -rf {} +
	find "${2%/*}" -mindepth 2 -maxdepth 2 -name ready -mtime +14 |
		while read -r old; do
			rm -rf "${old%/ready}"
		done
}

# The address of this machine's own Debian mirror: LABEL is Debian or
# Debian-Security.
mirror_of() {
	# shellcheck disable=SC2016 # fields of apt
	apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' |
		awk -v label="$1" '$1 == label { print $2; exit }'
}

# Packages of other suites are looked up and fetched with a private apt state;
# the machine's own apt is neither changed nor able to install them by mistake.
private_apt_files() {
	local dir=$cache/apt key=/usr/share/keyrings/debian-archive-keyring.gpg
	local main security

	main=$(mirror_of Debian)
	security=$(mirror_of Debian-Security)
	[ -n "$main" ] || die "the sources of apt name no Debian mirror"
	[ -n "$security" ] || security=${main%/}-security/
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	cat >"$dir/$guest_suite.list" <<-X
	deb [signed-by=$key] $main $guest_suite main
	deb [signed-by=$key] $main $guest_suite-updates main
	deb [signed-by=$key] $security $guest_suite-security main
	X
	printf 'deb [signed-by=%s] %s %s main\n' "$key" "$main" "$newest_suite" \
		>"$dir/$newest_suite.list"
	printf 'deb [signed-by=%s] %s %s main\n' "$key" "$main" "$newest_suite-backports" |
		cat "$dir/$guest_suite.list" "$dir/$newest_suite.list" - >"$dir/all.list"
	cat >"$dir/apt.conf" <<-X
	Dir::Etc::SourceList "$dir/all.list";
	APT::Default-Release "/^$guest_suite(-updates|-security)?\$/";
	Dir::Etc::SourceParts "/nonexistent";
	Dir::State::Lists "$dir/lists";
	Dir::Cache "$dir/cache";
	Acquire::Languages "none";
	Acquire::Retries "3";
	APT::Sandbox::User "root";
	X
}

refresh_private_apt() {
	local stamp=$cache/apt/updated

	[ -z "$(find "$stamp" -mmin -720 2>/dev/null)" ] || return 0
	private_apt_files
	if APT_CONFIG=$cache/apt/apt.conf apt-get -qq update >&2; then
		rm -rf "$cache/apt/answers"
		touch "$stamp"
	elif [ -f "$stamp" ]; then
		say "apt lists could not be refreshed; going on with those of $(date -r "$stamp" +%F)"
	else
		die "apt lists could not be fetched"
	fi
}

# private_apt COMMAND...: run an apt command on the private state. The lists are
# refreshed twice a day, since security suites drop a version when a new one
# comes.
private_apt() {
	with_lock apt refresh_private_apt
	APT_CONFIG=$cache/apt/apt.conf "$@"
}

# remembered COMMAND...: its output, kept until the lists are refreshed; asking apt
# takes seconds and is done for every guest that starts.
remembered() {
	local answer

	private_apt true
	answer=$cache/apt/answers/$(printf '%s ' "$@" | hash_of)
	if [ ! -s "$answer" ]; then
		mkdir -p "${answer%/*}"
		"$@" >"$answer.$$"
		mv "$answer.$$" "$answer"
	fi
	cat "$answer"
}

ask_newest_package() {
	private_apt apt-cache search --names-only "$1" | cut -d' ' -f1 | sort -V | tail -n 1
}

# newest_package REGEX: the package name that matches and sorts last.
newest_package() {
	local name

	name=$(remembered ask_newest_package "$1")
	[ -n "$name" ] || die "no package matches $1"
	printf '%s\n' "$name"
}

ask_version_of() {
	private_apt apt-cache show --no-all-versions "$@" | awk '$1 == "Version:" { print $2 }'
}

# version_of PACKAGE...: the versions that would be fetched.
version_of() {
	local versions

	versions=$(remembered ask_version_of "$@")
	[ "$(printf '%s\n' "$versions" | wc -w)" = $# ] || die "not all of these are packages: $*"
	printf '%s\n' "$versions"
}

# with_dependencies PACKAGE...: these and all they need on an empty system.
with_dependencies() {
	: >"$cache/apt/nothing-installed"
	private_apt apt-get -o Dir::State::status="$cache/apt/nothing-installed" \
		-qq --simulate --no-install-recommends install "$@" |
		awk '$1 == "Inst" { print $2 }'
}

# fetch_packages DIR PACKAGE...: download and unpack, without installing.
fetch_packages() {
	local root=$1 debs
	shift

	debs=$(mktemp -d "$cache/debs.XXXXXX")
	if ! (cd "$debs" && private_apt apt-get -qq download "$@" >&2); then
		rm -rf "$debs"
		rm -f "$cache/apt/updated"
		die "could not download $*; the apt lists will be refreshed on the next try"
	fi
	mkdir -p "$root"
	for deb in "$debs"/*.deb; do
		dpkg -x "$deb" "$root"
	done
	rm -rf "$debs"
}

# The words of these that are not installed on this machine.
missing_packages() {
	local package

	for package in "$@"; do
		dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
			grep -qx installed || printf '%s\n' "$package"
	done
}

install_missing() {
	local -a missing

	mapfile -t missing < <(missing_packages "$@")
	[ "${#missing[@]}" != 0 ] || return 0
	say installing "${missing[@]}"
	apt-get -qq update >&2
	DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes \
		--no-install-recommends "${missing[@]}" >&2
}

# install_packages PACKAGE...: on this machine, as far as they are not there.
install_packages() {
	command -v apt-get >/dev/null || die "there is no apt-get here, install yourself: $*"
	[ -n "$(missing_packages "$@")" ] || return 0
	need_root
	with_lock host install_missing "$@"
}
