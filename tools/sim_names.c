// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_names.c - what simulated cards can be, and what can go wrong with them.
 *
 * A test compares the names with those of driver/media.
 */
#include "sim_names.h"

#include <stddef.h>

#define KINDS	"value: sum of 1 read, 2 program, 4 erase, 8 finish, 16 flush"

#define GB	1000000000ull

const struct sim_name sim_presets[] = {
	{ "slc160", "160 GB SLC on PCIe 1.1 x4, power-loss protected", 160 * GB },
	{ "fast", "NVMe-class card of the 2020s, power-loss protected", 1920 * GB },
	{ "oc20", "open-channel 2.0 card with a volatile cache", 800 * GB },
	/* The driver wants to be asked for a size, and makes what it is. */
	{ "tiny", "8 MiB of flash, for tests", 16ull << 20 },
	{ "flat", "ordinary NVMe namespace, volatile cache, 512-byte sectors", 960 * GB },
	{ "flat-plp", "ordinary NVMe namespace, power-loss protected", 960 * GB },
	{ "raw", "flash that answers at once", 64 * GB },
	{ NULL, NULL, 0 },
};

const struct sim_name sim_faults[] = {
	{ "read-lost", "a block cannot be read; value 1: none of the operation's", 0 },
	{ "read-transient", "a block cannot be read this time; value as above", 0 },
	{ "refresh", "a read works, and the card asks for the data to be moved", 0 },
	{ "corrupt", "a read works, with one bit wrong; value 1: with noise, 2: all ones", 0 },
	{ "misread", "a read works, and brings another block of the erase unit", 0 },
	{ "program-fail", "a program fails; the erase unit can only be read from then on", 0 },
	{ "program-end", "a program does not fit: the erase unit is full", 0 },
	{ "program-transient", "a program fails and changes nothing", 0 },
	{ "program-lost", "a program works, but a block of it cannot be read", 0 },
	{ "program-drop", "a program works, but a block stays as it was; value 1: all do", 0 },
	{ "program-stray", "a program works, but a block of it lands on another one", 0 },
	{ "program-rot", "a program works, with one bit wrong; value 1: with noise", 0 },
	{ "erase-fail", "an erase fails; the erase unit is dead", 0 },
	{ "erase-transient", "an erase fails and changes nothing", 0 },
	{ "erase-drop", "an erase works, but the content stays", 0 },
	{ "flush-fail", "a flush fails and makes nothing durable", 0 },
	{ "flush-transient", "a flush fails this time and makes nothing durable", 0 },
	{ "flush-drop", "a flush works, but makes nothing durable", 0 },
	{ "unit-dead", "the unit's reads are lost, its programs and erases fail", 0 },
	{ "slow", "an operation takes longer by value nanoseconds", 0 },
	{ "stuck", "an operation neither takes effect nor ends; " KINDS, 0 },
	{ "lose-end", "an operation takes effect, but does not end; " KINDS, 0 },
	{ "no-memory", "a program fails: the simulator has no memory", 0 },
	{ "plp-fail", "at the next power cut the protection does not hold", 0 },
	{ "power-cut", "the power is cut during an operation; " KINDS "; 0: program or erase", 0 },
	{ "refresh-event", "the card asks for an erase unit to be moved; " KINDS "; 0: read", 0 },
	{ "health-event", "the card says that its health has changed; " KINDS, 0 },
	{ "disturb", "asks for a refresh after value reads, and is lost after twice", 0 },
	{ "retention", "asks for a refresh after value ms, and is lost after twice", 0 },
	{ NULL, NULL, 0 },
};
