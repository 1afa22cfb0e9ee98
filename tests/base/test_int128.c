/* Products and quotients as a compiler without 128-bit integers computes them, against one with. */
#define PLI_NO_INT128
#include "base/int128.h"

#include "assert_ok.h"
#include "random.h"

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 wide;

/* Numbers of all sizes, and all ones among them: carries are where a mistake would be. */
static uint64_t any_number(rng *r)
{
    uint64_t x = rng_u64(r) >> rng_u64(r) % 64;
    return rng_u64(r) % 4 == 0 ? ~x : x;
}

static void products_carry_over(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 1);
    for (int i = 0; i < 100000; i++) {
        uint64_t a = any_number(&r), b = any_number(&r), c = any_number(&r);
        uint64_t carry = any_number(&r);
        wide expected = (wide)a * b + c + carry;
        uint64_t low = pli_multiply_add(a, b, c, &carry);
        assert_true(low == (uint64_t)expected && carry == (uint64_t)(expected >> 64));
    }
    uint64_t carry = UINT64_MAX;
    assert_true(pli_multiply_add(UINT64_MAX, UINT64_MAX, UINT64_MAX, &carry) == UINT64_MAX);
    assert_true(carry == UINT64_MAX);
}

static void quotients_round_down(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 2);
    for (int i = 0; i < 100000; i++) {
        uint64_t divisor = any_number(&r) | 1, high = any_number(&r) % divisor;
        uint64_t low = any_number(&r);
        wide expected = ((wide)high << 64 | low) / divisor;
        assert_true(pli_divide_128(high, low, divisor) == (uint64_t)expected);
    }
}
#else
static void products_carry_over(void **state)
{
    (void)state;
    uint64_t carry = UINT64_MAX;
    assert_true(pli_multiply_add(UINT64_MAX, UINT64_MAX, UINT64_MAX, &carry) == UINT64_MAX);
    assert_true(carry == UINT64_MAX);
}

static void quotients_round_down(void **state)
{
    (void)state;
    assert_true(pli_divide_128(1, 0, 3) == UINT64_C(0x5555555555555555));
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_carry_over),
        cmocka_unit_test(quotients_round_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
