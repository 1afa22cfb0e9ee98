/*
 * The loop that evaluates vertices, compiled once per instruction set under the name
 * EVALUATE_VERTICES. Sums are kept in registers; products and sums are rounded one by one, in the
 * library's order.
 */
#include "fields.h"

typedef float lanes __attribute__((vector_size(4 * BASELINE_LANES), may_alias));
#define LOAD(from) (*(const lanes *)(from))

void EVALUATE_VERTICES(const baseline_fields *fields, const float *coordinates,
                       const float *transform, float *positions)
{
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const float *t = fields->placed ? transform : identity;
    const float *values = fields->values;
    for (uint32_t block = 0; block < fields->block_count; block++) {
        lanes x = LOAD(values), y = LOAD(values + BASELINE_LANES);
        lanes z = LOAD(values + 2 * BASELINE_LANES);
        values += 3 * BASELINE_LANES;
        for (uint32_t m = 0; m < fields->mode_count; m++) {
            float q = coordinates[m];
            x = x + LOAD(values) * q;
            y = y + LOAD(values + BASELINE_LANES) * q;
            z = z + LOAD(values + 2 * BASELINE_LANES) * q;
            values += 3 * BASELINE_LANES;
        }
        lanes moved[3] = {x, y, z};
        for (int k = 0; k < 3 && fields->placed; k++) {
            moved[k] = ((x * t[4 * k] + y * t[4 * k + 1]) + z * t[4 * k + 2]) + t[4 * k + 3];
        }
        float *out = positions + (size_t)3 * BASELINE_LANES * block;
        for (int i = 0; i < BASELINE_LANES; i++) {
            out[3 * i] = moved[0][i] + 0.0f;
            out[3 * i + 1] = moved[1][i] + 0.0f;
            out[3 * i + 2] = moved[2][i] + 0.0f;
        }
    }
}
