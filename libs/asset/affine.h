/* Affine maps in double precision: the rows of (A | t), twelve numbers. */
#ifndef PLI_ASSET_AFFINE_H
#define PLI_ASSET_AFFINE_H

/* product = a b: first b, then a. The product may not be one of the factors. */
static inline void pli_affine_multiply(const double a[12], const double b[12], double product[12])
{
    for (int row = 0; row < 3; row++) {
        const double *r = a + 4 * row;
        for (int column = 0; column < 4; column++) {
            product[4 * row + column] = r[0] * b[column] + r[1] * b[4 + column] +
                                        r[2] * b[8 + column] + (column == 3 ? r[3] : 0.0);
        }
    }
}

/* Scale, then rotate (a quaternion x, y, z, w of length 1), then translate. */
static inline void pli_affine_compose(const double t[3], const double q[4], const double s[3],
                                      double map[12])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double rotation[9] = {
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w),       2.0 * (x * z + y * w),
        2.0 * (x * y + z * w),       1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w),
        2.0 * (x * z - y * w),       2.0 * (y * z + x * w),       1.0 - 2.0 * (x * x + y * y)};
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            map[4 * row + column] = rotation[3 * row + column] * s[column];
        }
        map[4 * row + 3] = t[row];
    }
}

#endif
