// SPDX-License-Identifier: GPL-2.0-only
/*
 * replay.c - a target without libFuzzer: runs the inputs in files.
 *
 *	fuzz_image corpus/image regressions/image
 *
 * Every argument is a file or a directory of files.  An input that shows a fault
 * ends the program, by abort() or by the sanitizer, behind a line with its
 * name; one that takes a processor for longer than LIMIT_S is a hang, and ends it by
 * SIGPROF (a busy machine is none).  At the end the leak checker looks at all of
 * it.  Output is TAP: one line for each argument.
 */
#include "feed.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>

#define INPUT_MAX	(1u << 20)
#define LIMIT_S		30

static u32 nr_files;

static void run_file(const char *path)
{
	const struct itimerval limit = { .it_value = { .tv_sec = LIMIT_S } };
	const struct itimerval none = { .it_value = { .tv_sec = 0 } };
	FILE *file = fopen(path, "rb");
	u8 *data = malloc(INPUT_MAX);
	u8 *exact;
	size_t bytes;

	if (!file || !data) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(1);
	}
	bytes = fread(data, 1, INPUT_MAX, file);
	fclose(file);
	/* exactly as long as the input, so that the sanitizer sees its end */
	exact = malloc(bytes ? bytes : 1);
	if (!exact)
		abort();
	memcpy(exact, data, bytes);
	free(data);
	fprintf(stderr, "%s\n", path);
	setitimer(ITIMER_PROF, &limit, NULL);
	LLVMFuzzerTestOneInput(exact, bytes);
	setitimer(ITIMER_PROF, &none, NULL);
	free(exact);
	nr_files++;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void run_path(const char *path)
{
	struct dirent **entry = NULL;
	char below[4096];
	struct stat st;
	int nr, i;

	if (stat(path, &st)) {
		fprintf(stderr, "there is no %s\n", path);
		exit(1);
	}
	if (!S_ISDIR(st.st_mode)) {
		run_file(path);
		return;
	}
	nr = scandir(path, &entry, NULL, by_name);
	for (i = 0; i < nr; i++) {
		snprintf(below, sizeof(below), "%s/%s", path, entry[i]->d_name);
		if (entry[i]->d_name[0] != '.')
			run_file(below);
		free(entry[i]);
	}
	free(entry);
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	int i;

	name = name ? name + 1 : argv[0];
	for (i = 1; i < argc; i++) {
		nr_files = 0;
		run_path(argv[i]);
		printf("%sok %d - fuzz/%s: %u inputs of %s\n",
		       nr_files ? "" : "not ", i, name, nr_files, argv[i]);
		fflush(stdout);
	}
	printf("1..%d\n", argc - 1);
	return 0;
}
