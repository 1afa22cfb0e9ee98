/* Based on: Khronos Group, glTF 2.0 specification, appendix C (interpolation), 2021. */
#include "animation.h"

#include "angles.h"

#include <math.h>

pli_key_place pli_find_key(const pli_asset_channel *channel, double time)
{
    const float *times = channel->times;
    uint32_t last = channel->key_count - 1;
    /* A time that was computed as frame / rate is meant to be the key that rounds to the same
       float32. */
    float single = (float)time;
    uint32_t low = 0, high = channel->key_count;
    while (low < high) { /* the number of keys at or before the time */
        uint32_t middle = low + (high - low) / 2;
        if ((double)times[middle] <= time || times[middle] == single) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return (pli_key_place){.key = 0};
    }
    uint32_t key = low - 1;
    if (key == last) {
        return (pli_key_place){.key = last};
    }
    double span = (double)times[key + 1] - (double)times[key];
    double fraction = times[key] == single ? 0.0 : (time - (double)times[key]) / span;
    return (pli_key_place){.key = key, .fraction = fraction, .span = span};
}

void pli_normalise_rotation(double rotation[4])
{
    double length = 0.0;
    for (int i = 0; i < 4; i++) {
        length += rotation[i] * rotation[i];
    }
    length = sqrt(length);
    bool usable = length > 0.0 && isfinite(length);
    for (int i = 0; i < 4; i++) {
        rotation[i] = usable ? rotation[i] / length : (double)(i == 3);
    }
}

/* Along the great arc, the shorter way; nearly equal rotations are blended straight. */
static void blend_rotations(const float *a, const float *b, double u, double *value)
{
    double from[4], to[4], cosine = 0.0;
    for (int i = 0; i < 4; i++) {
        from[i] = (double)a[i];
        to[i] = (double)b[i];
    }
    pli_normalise_rotation(from);
    pli_normalise_rotation(to);
    for (int i = 0; i < 4; i++) {
        cosine += from[i] * to[i];
    }
    double sign = cosine < 0.0 ? -1.0 : 1.0;
    cosine = fmin(fabs(cosine), 1.0);
    double sine = sqrt(1.0 - cosine * cosine);
    double weight_a = 1.0 - u, weight_b = u;
    if (sine > 1e-6) {
        double angle = pli_angle(sine, cosine);
        weight_a = pli_sine((1.0 - u) * angle) / sine;
        weight_b = pli_sine(u * angle) / sine;
    }
    for (int i = 0; i < 4; i++) {
        value[i] = weight_a * from[i] + sign * weight_b * to[i];
    }
}

static void blend_linear(const float *a, const float *b, uint32_t width, double u, double *value)
{
    for (uint32_t i = 0; i < width; i++) {
        value[i] = u == 0.0 ? (double)a[i] : (1.0 - u) * (double)a[i] + u * (double)b[i];
    }
}

/* A key is an in-tangent, a value and an out-tangent: the cubic Hermite spline through them. */
static void blend_cubic(const float *a, const float *b, uint32_t width, pli_key_place place,
                        double *value)
{
    double u = place.fraction, squared = u * u, cubed = squared * u;
    double at_a = 2.0 * cubed - 3.0 * squared + 1.0, at_b = 3.0 * squared - 2.0 * cubed;
    double out_a = place.span * (cubed - 2.0 * squared + u);
    double in_b = place.span * (cubed - squared);
    for (uint32_t i = 0; i < width; i++) {
        value[i] = u == 0.0 ? (double)a[width + i]
                            : at_a * (double)a[width + i] + out_a * (double)a[2 * width + i] +
                                  at_b * (double)b[width + i] + in_b * (double)b[i];
    }
}

void pli_channel_value(const pli_asset_channel *channel, pli_key_place place, double *value)
{
    uint32_t width = channel->width;
    bool cubic = channel->interpolation == PLI_INTERPOLATION_CUBIC;
    size_t stride = (size_t)width * (cubic ? 3 : 1);
    const float *a = channel->values + place.key * stride;
    const float *b = place.fraction > 0.0 ? a + stride : a;
    switch (channel->interpolation) {
    case PLI_INTERPOLATION_STEP:
        blend_linear(a, a, width, 0.0, value);
        break;
    case PLI_INTERPOLATION_LINEAR:
        if (channel->path == PLI_PATH_ROTATION) {
            blend_rotations(a, b, place.fraction, value);
        } else {
            blend_linear(a, b, width, place.fraction, value);
        }
        break;
    case PLI_INTERPOLATION_CUBIC:
        blend_cubic(a, b, width, place, value);
        break;
    }
    if (channel->path == PLI_PATH_ROTATION) {
        pli_normalise_rotation(value);
    }
}
