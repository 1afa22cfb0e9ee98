/*
 * The four functions of LAPACK that modal analysis asks for, where there is no LAPACK: as the
 * library's own interface has them, but only for the arguments that gallery/modal gives.
 */
#ifndef WEB_WASM_LAPACKE_H
#define WEB_WASM_LAPACKE_H

typedef int lapack_int;
#define LAPACK_ROW_MAJOR 101
#define LAPACK_COL_MAJOR 102

/* All return 0, or another number where a matrix is not positive definite or there is no memory. */

/* Factorises a matrix of a band below its diagonal (uplo 'L', column by column): A = L L^T. */
lapack_int LAPACKE_dpbtrf(int layout, char uplo, lapack_int n, lapack_int band, double *a,
                          lapack_int stride);
/* Solves with that factor, right side after right side. */
lapack_int LAPACKE_dpbtrs(int layout, char uplo, lapack_int n, lapack_int band, lapack_int sides,
                          const double *a, lapack_int stride, double *b, lapack_int b_stride);
/* Solves a small full problem (uplo 'U', row by row). */
lapack_int LAPACKE_dposv(int layout, char uplo, lapack_int n, lapack_int sides, double *a,
                         lapack_int stride, double *b, lapack_int b_stride);
/* A x = value B x (type 1, job 'V', uplo 'L', column by column): eigenvectors in `a`, of length 1
   by B, ascending by value. */
lapack_int LAPACKE_dsygv(int layout, int type, char job, char uplo, lapack_int n, double *a,
                         lapack_int a_stride, double *b, lapack_int b_stride, double *values);

#endif
