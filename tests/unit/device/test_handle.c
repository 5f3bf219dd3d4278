// SPDX-License-Identifier: GPL-2.0-only
/*
 * What handles reveal of addresses. Each attack is first made on a function that is known to be weak,
 * a multiplication and a shift under a secret key, where it has to succeed; then on
 * the module's, where it must fail.
 */
#include "check.h"

#include <stdbool.h>
#include <stdlib.h>

#include <module/handle.h>

#define TASK_BYTES 9792 /* the distance of two tasks of one slab */
#define MANY 4096

typedef uint64_t handle_function(uint64_t address);

static struct handle_key key;
static uint64_t weak_offset, weak_factor, random_state;

static uint64_t draw(void)
{
	return next_random(&random_state);
}

static uint64_t strong(uint64_t address)
{
	return handle_of(&key, HANDLE_TASK, address);
}

static uint64_t weak(uint64_t address)
{
	uint64_t x = (address + weak_offset) * weak_factor;

	return x ^ x >> 32;
}

static int draw_keys(void **state)
{
	__u32 words[4];

	(void)state;
	random_state = 22112026;
	for (size_t i = 0; i < 4; i++)
		words[i] = (__u32)draw();
	handle_expand(&key, words);
	weak_offset = draw();
	weak_factor = draw() | 1;
	return 0;
}

static uint64_t direct_map(void)
{
	return 0xffff888000000000 + (draw() % 200 << 30);
}

static uint64_t decipher(const struct handle_key *k, uint64_t block)
{
	uint32_t high = (uint32_t)(block >> 32), low = (uint32_t)block;

	for (size_t i = HANDLE_ROUNDS; i-- > 0;) {
		low = handle_rotate(low ^ high, 29);
		high = handle_rotate((high ^ k->rounds[i]) - low, 8);
	}
	return (uint64_t)high << 32 | low;
}

/* From appendix C of the paper that describes the cipher. */
static void test_vector(void **state)
{
	const __u32 words[4] = { 0x03020100, 0x0b0a0908, 0x13121110, 0x1b1a1918 };
	struct handle_key k;

	(void)state;
	handle_expand(&k, words);
	assert_true(handle_encipher(&k, 0x3b7265747475432d) == 0x8c6fa548454e028b);
	assert_true(decipher(&k, 0x8c6fa548454e028b) == 0x3b7265747475432d);
}

static void test_one_each(void **state)
{
	uint64_t base = direct_map(), zero = decipher(&key, 0);

	(void)state;
	for (uint64_t i = 0; i < 1 << 16; i++) {
		uint64_t address = i & 1 ? base + i * 64 : draw() & ~63ULL;

		for (enum handle_kind kind = 0; kind < HANDLE_KINDS; kind++)
			if (address + kind != zero)
				assert_true(decipher(&key, handle_of(&key, kind, address)) == address + kind);
	}
	/* The only address whose handle would be 0 gets the handle that no object has. */
	assert_true(strong(zero) != 0);
	assert_true(decipher(&key, strong(zero)) == 0);
}

static uint64_t difference_of_kinds(uint64_t address)
{
	return handle_of(&key, HANDLE_GROUP, address) ^ handle_of(&key, HANDLE_MM, address);
}

/* Memory is used for a process, then for an address space: are their handles ever equal, or equally far apart? */
static void test_kinds_have_nothing_in_common(void **state)
{
	uint64_t base = direct_map(), first = difference_of_kinds(base);
	size_t set[64] = { 0 };

	(void)state;
	for (uint64_t i = 1; i <= MANY; i++) {
		uint64_t difference = difference_of_kinds(base + i * TASK_BYTES);

		assert_true(difference != 0);
		assert_true(difference != first);
		for (size_t bit = 0; bit < 64; bit++)
			set[bit] += difference >> bit & 1;
	}
	for (size_t bit = 0; bit < 64; bit++) /* 6.4 standard deviations */
		assert_in_range(set[bit], MANY * 45 / 100, MANY * 55 / 100);
}

/*
 * Ratios of differences, as continued fractions: if y is an address times the factor, the differences
 * of three of them are two small numbers times the factor, which reveals it.
 */

#define MODULUS (1ULL << 58) /* tasks are aligned to 64 */
#define TASKS 24

static uint64_t times(uint64_t a, uint64_t b)
{
	return a * b % MODULUS; /* it divides 2^64 */
}

static uint64_t inverse(uint64_t a)
{
	uint64_t x = a;

	for (size_t i = 0; i < 6; i++)
		x *= 2 - a * x;
	return x % MODULUS;
}

static int64_t nearest(uint64_t x)
{
	return x > MODULUS / 2 ? (int64_t)(x - MODULUS) : (int64_t)x;
}

static uint64_t size(int64_t x)
{
	return x < 0 ? (uint64_t)-x : (uint64_t)x;
}

/* The smallest pair with e1 / e2 = @ratio. */
static void reconstruct(uint64_t ratio, int64_t *e1, int64_t *e2)
{
	int64_t a = (int64_t)MODULUS, b = (int64_t)ratio, u = 0, v = 1;
	uint64_t best = UINT64_MAX;

	while (b) {
		uint64_t larger = size(b) > size(v) ? size(b) : size(v);
		int64_t q = a / b, next = a - q * b, other = u - q * v;

		if (larger < best) {
			best = larger;
			*e1 = b;
			*e2 = v;
		}
		a = b;
		b = next;
		u = v;
		v = other;
	}
}

static uint64_t differ(const uint64_t *y, size_t i, size_t j)
{
	return (y[i] - y[j]) >> 6;
}

/* Are these their distances from task @j? The sign cannot be known. */
static bool are_positions(const uint64_t *y, size_t j, uint64_t factor, const uint64_t *address)
{
	uint64_t undo = inverse(factor);
	int64_t sign = 0;

	for (size_t i = 0; i < TASKS; i++) {
		int64_t true_one = (int64_t)(address[i] - address[j]) / 64;
		int64_t found = nearest(times(differ(y, i, j), undo));

		if (!sign && true_one)
			sign = found == true_one ? 1 : -1;
		if (found != sign * true_one)
			return false;
	}
	return true;
}

static bool try_three(const uint64_t *y, size_t i, size_t j, size_t k, const uint64_t *address)
{
	uint64_t d1 = differ(y, i, j), d2 = differ(y, k, j);
	int64_t e1 = 0, e2 = 0;

	if (!(d2 & 1))
		return false;
	reconstruct(times(d1, inverse(d2)), &e1, &e2);
	if (!(e2 & 1))
		return false;
	/* They have lost a common factor, which is usually small. */
	for (uint64_t common = 1; common < 16; common += 2) {
		uint64_t factor = times(d2, inverse(times((uint64_t)e2, common)));

		if (are_positions(y, j, factor, address))
			return true;
	}
	return false;
}

static uint64_t as_it_is(uint64_t handle)
{
	return handle;
}

static uint64_t unshift(uint64_t handle)
{
	return handle ^ handle >> 32;
}

static uint64_t swap_halves(uint64_t handle)
{
	return handle << 32 | handle >> 32;
}

static uint64_t swap_bytes(uint64_t handle)
{
	return __builtin_bswap64(handle);
}

static bool finds_positions(handle_function *function)
{
	static uint64_t (*const undo[])(uint64_t) = { as_it_is, unshift, swap_halves, swap_bytes };
	uint64_t address[TASKS], y[TASKS], base = direct_map();

	for (size_t i = 0; i < TASKS; i++)
		address[i] = base + draw() % (1 << 22) * 32768 + draw() % 3 * (TASK_BYTES / 64 * 64);
	for (size_t n = 0; n < sizeof(undo) / sizeof(*undo); n++) {
		for (size_t i = 0; i < TASKS; i++)
			y[i] = undo[n](function(address[i]));
		for (size_t i = 0; i < TASKS; i++)
			for (size_t j = 0; j < TASKS; j++)
				for (size_t k = 0; k < TASKS; k++)
					if (i != j && j != k && k != i &&
					    try_three(y, i, j, k, address))
						return true;
	}
	return false;
}

static void test_positions(void **state)
{
	(void)state;
	assert_true(finds_positions(weak));
	assert_false(finds_positions(strong));
}

/*
 * Linear relations between bits: for tasks that lie in a row, is there any sum of bits of the
 * handle, of its difference from the next one, and of the place in the row, that is always the same?
 */

struct row {
	uint64_t words[4];
};

static bool bit(const struct row *row, size_t n)
{
	return row->words[n / 64] >> n % 64 & 1;
}

static void add_row(struct row *to, const struct row *row)
{
	for (size_t w = 0; w < 4; w++)
		to->words[w] ^= row->words[w];
}

/* By elimination: columns without a pivot are a sum of others. */
static size_t dependent(struct row *rows, size_t count, size_t columns)
{
	size_t rank = 0;

	for (size_t column = 0; column < columns; column++) {
		size_t pivot = rank;

		while (pivot < count && !bit(&rows[pivot], column))
			pivot++;
		if (pivot == count)
			continue;
		struct row swapped = rows[pivot];

		rows[pivot] = rows[rank];
		rows[rank] = swapped;
		for (size_t i = rank + 1; i < count; i++)
			if (bit(&rows[i], column))
				add_row(&rows[i], &rows[rank]);
		rank++;
	}
	return columns - rank;
}

static size_t relations(handle_function *function)
{
	static struct row rows[MANY];
	uint64_t base = direct_map();

	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t handle = function(base + i * TASK_BYTES);
		uint64_t next = function(base + (i + 1) * TASK_BYTES);

		/* The last word: a constant, and the place, 12 bits. */
		rows[i] = (struct row){ { handle, handle ^ next, next - handle, 1 | i << 1 } };
	}
	return dependent(rows, MANY, 3 * 64 + 13);
}

/* The lowest bit of a difference is that of the exclusive or, for any numbers. */
#define RELATIONS_OF_ANY 1

static void test_relations(void **state)
{
	(void)state;
	assert_true(relations(weak) >= RELATIONS_OF_ANY + 7);
	assert_int_equal(relations(strong), RELATIONS_OF_ANY);
}

/*
 * The same distance between tasks: how often do the same 32 bits recur in the differences of
 * their handles, wherever in the word? By chance, twice in 4096.
 */

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static size_t repeated(const uint64_t *differences, unsigned int shift)
{
	static uint32_t values[MANY];
	size_t n = 0;

	for (size_t i = 0; i < MANY; i++)
		values[i] = (uint32_t)(differences[i] >> shift);
	qsort(values, MANY, sizeof(*values), by_value);
	for (size_t i = 1; i < MANY; i++)
		n += values[i] == values[i - 1];
	return n;
}

static size_t most_repeated(handle_function *function)
{
	static uint64_t sums[MANY], xors[MANY];
	uint64_t base = direct_map();
	size_t most = 0;

	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t handle = function(base + i * TASK_BYTES);
		uint64_t next = function(base + (i + 1) * TASK_BYTES);

		sums[i] = next - handle;
		xors[i] = next ^ handle;
	}
	for (unsigned int shift = 0; shift <= 32; shift++) {
		size_t n = repeated(sums, shift), m = repeated(xors, shift);

		most = n > most ? n : most;
		most = m > most ? m : most;
	}
	return most;
}

static void test_distances(void **state)
{
	(void)state;
	assert_true(most_repeated(weak) > MANY / 2);
	assert_in_range(most_repeated(strong), 0, 24);
}

/* For one flipped bit of the address: how far is any bit of the handle from changing half of the time? */
static double worst_avalanche(handle_function *function)
{
	double worst = 0;

	for (unsigned int in = 6; in < 48; in++) {
		unsigned int changed[64] = { 0 };

		for (size_t i = 0; i < MANY; i++) {
			uint64_t address = direct_map() + (draw() % (1 << 24)) * 64;
			uint64_t bits = function(address) ^ function(address ^ 1ULL << in);

			for (unsigned int out = 0; out < 64; out++)
				changed[out] += bits >> out & 1;
		}
		for (unsigned int out = 0; out < 64; out++) {
			double off = (double)changed[out] / MANY - 0.5;

			off = off < 0 ? -off : off;
			worst = off > worst ? off : worst;
		}
	}
	return worst;
}

static void test_avalanche(void **state)
{
	(void)state;
	assert_true(worst_avalanche(weak) > 0.4);
	assert_true(worst_avalanche(strong) < 0.05); /* 6.4 standard deviations */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vector),	   cmocka_unit_test(test_one_each),
		cmocka_unit_test(test_kinds_have_nothing_in_common),
		cmocka_unit_test(test_positions),  cmocka_unit_test(test_relations),
		cmocka_unit_test(test_distances),  cmocka_unit_test(test_avalanche),
	};

	return cmocka_run_group_tests_name("handle", tests, draw_keys, NULL);
}
