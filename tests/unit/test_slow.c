// SPDX-License-Identifier: GPL-2.0-only
/*
 * What others choose must not make work: texts that an attacker has computed cost what any others
 * do. Judged by CPU time, with a factor that no noise reaches and every list that is walked does.
 */
#include "check.h"

#include <intern.h>
#include <map.h>
#include <siphash.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FACTOR 10
#define TRIES 4
#define TEXTS 20000

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The test vectors of the reference implementation are of SipHash-2-4; these are of 1-3. */
static void test_siphash(void **state)
{
	static const uint64_t expected[] = {
		0xabac0158050fc4dc, 0xc9f49bf37d57ca93, 0x82cb9b024dc7d44d, 0x8bf80ab8e7ddf7fb,
		0xcf75576088d38328, 0xdef9d52f49533b67, 0xc50d2b50c59f22a7, 0xd3927d989bb11140,
		0x369095118d299a8e, 0x25a48eb36c063de4, 0x79de85ee92ff097f, 0x70c118c1f94dc352,
		0x78a384b157b4d9a2, 0x306f760c1229ffa7, 0x605aa111c0f95d34, 0xd320d86d2a519956,
	};
	const struct proclife_secret secret = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } };
	unsigned char in[16];

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		in[i] = (unsigned char)i;
		assert_int_equal(proclife_siphash(&secret, in, i), expected[i]);
	}
}

/*
 * The hash that texts once had was a chain of multiplications without a key: the last word can be
 * chosen so that the result is any number. @n of them have the same one.
 */
static void same_hash_once(uint64_t n, uint64_t text[2])
{
	const uint64_t factor = 0xd6e8feb86659fd93ULL;
	uint64_t inverse = factor, hash = 16 * 0x9e3779b97f4a7c15ULL;

	for (int i = 0; i < 6; i++)
		inverse *= 2 - factor * inverse;
	text[0] = n * 0x0101010101010101ULL ^ 0x6161616161616161ULL;
	hash = (hash ^ text[0]) * factor;
	hash ^= hash >> 32;
	text[1] = 0x123456789abcdef0ULL * inverse ^ hash;
}

static void any_text(uint64_t n, uint64_t text[2])
{
	text[0] = n;
	text[1] = n * 0x9e3779b97f4a7c15ULL;
}

static uint64_t time_texts(void (*make)(uint64_t n, uint64_t text[2]))
{
	struct proclife_intern intern = { 0 };
	uint64_t text[2], began = cpu_ns();

	for (uint64_t n = 0; n < TEXTS; n++) {
		make(n, text);
		assert_non_null(proclife_intern(&intern, (const char *)text, sizeof(text)));
	}
	assert_int_equal(intern.used, TEXTS);
	proclife_intern_free(&intern);
	return cpu_ns() - began;
}

static void test_texts(void **state)
{
	uint64_t any, chosen;

	(void)state;
	for (int try = 0; try < TRIES; try++) {
		any = time_texts(any_text);
		chosen = time_texts(same_hash_once);
		if (chosen <= FACTOR * any)
			return;
	}
	fail_msg("chosen texts take %llu ns, any others %llu", (unsigned long long)chosen,
		 (unsigned long long)any);
}

/* Two tables of the same texts do not have the same hashes. */
static void test_secret(void **state)
{
	struct proclife_secret a = proclife_secret_new(), b = proclife_secret_new();

	(void)state;
	assert_true(a.key[0] != b.key[0] && a.key[1] != b.key[1] && a.key[0] != a.key[1]);
	assert_true(proclife_siphash(&a, "text", 4) != proclife_siphash(&b, "text", 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_siphash),
		cmocka_unit_test(test_secret),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
