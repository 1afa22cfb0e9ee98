#include "lapacke.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Column by column: each one takes its share off those within the band to the right of it. */
lapack_int LAPACKE_dpbtrf(int layout, char uplo, lapack_int n, lapack_int band, double *a,
                          lapack_int stride)
{
    if (layout != LAPACK_COL_MAJOR || uplo != 'L') {
        return -1;
    }
    for (lapack_int j = 0; j < n; j++) {
        double *column = a + (size_t)j * (size_t)stride;
        lapack_int below = band < n - 1 - j ? band : n - 1 - j;
        if (!(column[0] > 0.0)) {
            return j + 1;
        }
        column[0] = sqrt(column[0]);
        for (lapack_int i = 1; i <= below; i++) {
            column[i] /= column[0];
        }
        for (lapack_int k = 1; k <= below; k++) {
            double *right = a + (size_t)(j + k) * (size_t)stride, share = column[k];
            for (lapack_int i = k; i <= below && share != 0.0; i++) {
                right[i - k] -= share * column[i];
            }
        }
    }
    return 0;
}

lapack_int LAPACKE_dpbtrs(int layout, char uplo, lapack_int n, lapack_int band, lapack_int sides,
                          const double *a, lapack_int stride, double *b, lapack_int b_stride)
{
    if (layout != LAPACK_COL_MAJOR || uplo != 'L') {
        return -1;
    }
    for (lapack_int side = 0; side < sides; side++) {
        double *x = b + (size_t)side * (size_t)b_stride;
        for (lapack_int j = 0; j < n; j++) {
            const double *column = a + (size_t)j * (size_t)stride;
            lapack_int below = band < n - 1 - j ? band : n - 1 - j;
            x[j] /= column[0];
            for (lapack_int i = 1; i <= below; i++) {
                x[j + i] -= column[i] * x[j];
            }
        }
        for (lapack_int j = n - 1; j >= 0; j--) {
            const double *column = a + (size_t)j * (size_t)stride;
            lapack_int below = band < n - 1 - j ? band : n - 1 - j;
            for (lapack_int i = 1; i <= below; i++) {
                x[j] -= column[i] * x[j + i];
            }
            x[j] /= column[0];
        }
    }
    return 0;
}

/* The lower factor of a full matrix, of which `a(i, j)` with i >= j is at a[i * down + j * right].
 */
static lapack_int factorise(double *a, lapack_int n, size_t down, size_t right)
{
    for (lapack_int j = 0; j < n; j++) {
        double *diagonal = &a[(size_t)j * (down + right)];
        for (lapack_int k = 0; k < j; k++) {
            double entry = a[(size_t)j * down + (size_t)k * right];
            *diagonal -= entry * entry;
        }
        if (!(*diagonal > 0.0)) {
            return j + 1;
        }
        *diagonal = sqrt(*diagonal);
        for (lapack_int i = j + 1; i < n; i++) {
            double *entry = &a[(size_t)i * down + (size_t)j * right];
            for (lapack_int k = 0; k < j; k++) {
                *entry -= a[(size_t)i * down + (size_t)k * right] *
                          a[(size_t)j * down + (size_t)k * right];
            }
            *entry /= *diagonal;
        }
    }
    return 0;
}

lapack_int LAPACKE_dposv(int layout, char uplo, lapack_int n, lapack_int sides, double *a,
                         lapack_int stride, double *b, lapack_int b_stride)
{
    /* The upper half row by row is the lower half column by column. */
    lapack_int failed =
        layout == LAPACK_ROW_MAJOR && uplo == 'U' ? factorise(a, n, 1, (size_t)stride) : -1;
    for (lapack_int side = 0; side < sides && failed == 0; side++) {
        for (lapack_int i = 0; i < n; i++) {
            double *x = &b[(size_t)i * (size_t)b_stride + (size_t)side];
            for (lapack_int k = 0; k < i; k++) {
                *x -= a[(size_t)i + (size_t)k * (size_t)stride] *
                      b[(size_t)k * (size_t)b_stride + (size_t)side];
            }
            *x /= a[(size_t)i * ((size_t)stride + 1)];
        }
        for (lapack_int i = n - 1; i >= 0; i--) {
            double *x = &b[(size_t)i * (size_t)b_stride + (size_t)side];
            for (lapack_int k = i + 1; k < n; k++) {
                *x -= a[(size_t)k + (size_t)i * (size_t)stride] *
                      b[(size_t)k * (size_t)b_stride + (size_t)side];
            }
            *x /= a[(size_t)i * ((size_t)stride + 1)];
        }
    }
    return failed;
}

/* Turns rows and columns p and q of a symmetric matrix so that its entry there becomes 0. */
static void rotate(double *c, double *turned, size_t n, size_t p, size_t q)
{
    double theta = (c[q * n + q] - c[p * n + p]) / (2.0 * c[q * n + p]);
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double cosine = 1.0 / sqrt(t * t + 1.0), sine = t * cosine;
    for (size_t k = 0; k < n; k++) {
        double x = c[k * n + p], y = c[k * n + q];
        c[k * n + p] = cosine * x - sine * y;
        c[k * n + q] = sine * x + cosine * y;
    }
    for (size_t k = 0; k < n; k++) {
        double x = c[p * n + k], y = c[q * n + k];
        c[p * n + k] = cosine * x - sine * y;
        c[q * n + k] = sine * x + cosine * y;
        x = turned[p * n + k], y = turned[q * n + k];
        turned[p * n + k] = cosine * x - sine * y;
        turned[q * n + k] = sine * x + cosine * y;
    }
}

/* Jacobi's method. Rows of `turned` become the eigenvectors. */
static void diagonalise(double *c, double *turned, size_t n)
{
    enum { SWEEPS = 40 };
    for (size_t i = 0; i < n * n; i++) {
        turned[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0.0, on = 0.0;
        for (size_t i = 0; i < n * n; i++) {
            *(i % (n + 1) == 0 ? &on : &off) += c[i] * c[i];
        }
        for (size_t p = 0; p < n && off > 1e-30 * on; p++) {
            for (size_t q = p + 1; q < n; q++) {
                if (c[q * n + p] != 0.0) {
                    rotate(c, turned, n, p, q);
                }
            }
        }
    }
}

/* C = L^-1 A L^-T with B = L L^T; an eigenvector y of C belongs to x = L^-T y. */
static void reduce(const double *a, size_t a_stride, const double *l, size_t l_stride, double *c,
                   size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            c[i * n + j] = i >= j ? a[j * a_stride + i] : a[i * a_stride + j];
        }
    }
    for (int round = 0; round < 2; round++) { /* rows, then columns: it is symmetric */
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++) {
                double *x = round == 0 ? &c[i * n + j] : &c[j * n + i];
                for (size_t k = 0; k < i; k++) {
                    *x -= l[k * l_stride + i] * (round == 0 ? c[k * n + j] : c[j * n + k]);
                }
                *x /= l[i * l_stride + i];
            }
        }
    }
}

static void sort_values(const double *c, size_t n, double *values, size_t *order)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && c[order[at - 1] * (n + 1)] > c[i * (n + 1)]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    for (size_t i = 0; i < n; i++) {
        values[i] = c[order[i] * (n + 1)];
    }
}

lapack_int LAPACKE_dsygv(int layout, int type, char job, char uplo, lapack_int count, double *a,
                         lapack_int a_stride, double *b, lapack_int b_stride, double *values)
{
    size_t n = (size_t)count, stride = (size_t)a_stride;
    if (layout != LAPACK_COL_MAJOR || type != 1 || job != 'V' || uplo != 'L') {
        return -1;
    }
    lapack_int failed = factorise(b, count, 1, (size_t)b_stride);
    double *c = calloc(n * n, sizeof *c), *turned = malloc(n * n * sizeof *turned);
    size_t *order = malloc(n * sizeof *order);
    if (failed == 0 && (c == NULL || turned == NULL || order == NULL)) {
        failed = -2;
    }
    if (failed == 0) {
        reduce(a, stride, b, (size_t)b_stride, c, n);
        diagonalise(c, turned, n);
        sort_values(c, n, values, order);
        for (size_t j = 0; j < n; j++) {
            double *x = a + j * stride;
            memcpy(x, turned + order[j] * n, n * sizeof *x);
            for (size_t i = n; i-- > 0;) {
                for (size_t k = i + 1; k < n; k++) {
                    x[i] -= b[i * (size_t)b_stride + k] * x[k];
                }
                x[i] /= b[i * (size_t)b_stride + i];
            }
        }
    }
    free(c);
    free(turned);
    free(order);
    return failed;
}
