/* The four functions that the playground has in place of LAPACK, on random problems: solutions
   solve, and eigenvectors are such. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include "web/wasm/lapacke/lapacke.h"

#define MOST 40

static double drawn(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 * 2.0 - 1.0;
}

/* A symmetric matrix, positive definite if its diagonal is raised, zero beyond the band. */
static void draw_matrix(uint64_t *seed, int n, int band, double raised, double a[MOST][MOST])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            a[i][j] = a[j][i] = i - j <= band ? drawn(seed) : 0.0;
        }
        a[i][i] += raised;
    }
}

static void test_bands(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t next = seed;
        int n = 1 + (int)(seed % MOST), band = (int)(seed * 7 % 9), sides = 2;
        double a[MOST][MOST], packed[MOST * 10] = {0}, b[2 * MOST], x[2 * MOST];
        draw_matrix(&next, n, band, 2.0 * MOST, a);
        for (int j = 0; j < n; j++) {
            for (int i = j; i < n && i <= j + band; i++) {
                packed[j * (band + 1) + i - j] = a[i][j];
            }
        }
        for (int i = 0; i < sides * n; i++) {
            x[i] = b[i] = drawn(&next);
        }
        assert_int_equal(LAPACKE_dpbtrf(LAPACK_COL_MAJOR, 'L', n, band, packed, band + 1), 0);
        assert_int_equal(
            LAPACKE_dpbtrs(LAPACK_COL_MAJOR, 'L', n, band, sides, packed, band + 1, x, n), 0);
        for (int i = 0; i < sides * n; i++) {
            double sum = -b[i];
            for (int j = 0; j < n; j++) {
                sum += a[i % n][j] * x[i / n * n + j];
            }
            assert_true(fabs(sum) < 1e-12);
        }
    }
    double negative[1] = {-1.0};
    assert_int_not_equal(LAPACKE_dpbtrf(LAPACK_COL_MAJOR, 'L', 1, 0, negative, 1), 0);
}

static void test_full(void **state)
{
    (void)state;
    uint64_t seed = 9;
    double a[MOST][MOST], rows[9 * 9], b[9 * 3], x[9 * 3];
    draw_matrix(&seed, 9, 9, 12.0, a);
    for (int i = 0; i < 81; i++) {
        rows[i] = i / 9 <= i % 9 ? a[i / 9][i % 9] : NAN; /* the other half is never read */
    }
    for (int i = 0; i < 27; i++) {
        x[i] = b[i] = drawn(&seed);
    }
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', 9, 3, rows, 9, x, 3), 0);
    for (int i = 0; i < 27; i++) {
        double sum = -b[i];
        for (int j = 0; j < 9; j++) {
            sum += a[i / 3][j] * x[3 * j + i % 3];
        }
        assert_true(fabs(sum) < 1e-12);
    }
}

/* The value of x A y, of columns of `x` and `y`. */
static double form(double a[MOST][MOST], const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n * n; i++) {
        sum += x[i / n] * a[i / n][i % n] * y[i % n];
    }
    return sum;
}

static void test_eigenvectors(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        uint64_t next = seed;
        int n = 1 + (int)(seed % 24);
        double a[MOST][MOST], b[MOST][MOST], columns[24 * 24], mass[24 * 24], values[24];
        draw_matrix(&next, n, n, 0.0, a);
        draw_matrix(&next, n, n, 2.0 * n, b);
        for (int i = 0; i < n * n; i++) { /* only the lower half is given */
            columns[i] = i % n >= i / n ? a[i % n][i / n] : NAN;
            mass[i] = i % n >= i / n ? b[i % n][i / n] : NAN;
        }
        assert_int_equal(
            LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'L', n, columns, n, mass, n, values), 0);
        for (int i = 0; i < n * n; i++) {
            const double *x = columns + i / n * n, *y = columns + i % n * n;
            double same = i / n == i % n ? 1.0 : 0.0;
            assert_true(fabs(form(b, x, y, n) - same) < 1e-11);
            assert_true(fabs(form(a, x, y, n) - same * values[i / n]) < 1e-11);
        }
        for (int i = 1; i < n; i++) {
            assert_true(values[i] >= values[i - 1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bands),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_eigenvectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
