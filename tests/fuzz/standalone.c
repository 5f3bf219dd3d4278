// SPDX-License-Identifier: GPL-2.0-only
/* Feeds files to a fuzzer's target, for gcc, which has no fuzzer. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
	static uint8_t data[1 << 20];
	int status = 0;

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "re");
		size_t size;

		if (!file) {
			perror(argv[i]);
			status = 1;
			continue;
		}
		size = fread(data, 1, sizeof(data), file);
		fclose(file);
		printf("%s: %zu bytes\n", argv[i], size);
		LLVMFuzzerTestOneInput(data, size);
	}
	return status;
}
