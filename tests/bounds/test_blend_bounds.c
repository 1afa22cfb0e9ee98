/*
 * The kernels of blended bodies' bounds by themselves, with many joints and few: boxes that hold
 * every combination of weights they were made for, without any margin; no looser than they should
 * be; the same bits under all instruction sets. And how far transforms reach.
 */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bounds/bounds.h"
#include "random.h"
#include "records.h"

enum { MOST_JOINTS = 200, VERTICES = 4, WIDTH = PLI_WIDTH };

/* Eight children with a few vertices each, and transforms whose sides are exact numbers of
   float32. */
typedef struct blend_case {
    uint32_t joint_count, lanes;
    float weight[WIDTH][VERTICES][MOST_JOINTS];
    uint32_t joints[MOST_JOINTS];
    float transforms[12 * 2 * MOST_JOINTS];
    float *values; /* exactly as many as a node's coefficients have, so that a sanitiser sees any
                      read beyond */
    pli_coefficient_view coefficients;
    pli_pose pose;
} blend_case;

/* A multiple of 1 / parts between -size and size. */
static float grid_number(rng *r, int size, int parts)
{
    int most = size * parts;
    uint64_t numbers = 2 * (uint64_t)most + 1;
    return (float)((int)rng_below(r, numbers) - most) / (float)parts;
}

/* Weights of one vertex: some joints only, of very different size, summing to about `total`. */
static void make_weights(blend_case *c, rng *r, float *weight, double total)
{
    double sum = 0.0, share = rng_range(r, 0.05, 1.0);
    for (uint32_t j = 0; j < c->joint_count; j++) {
        weight[j] = rng_unit(r) < share ? (float)pow(rng_unit(r), 3.0) : 0.0f;
        sum += (double)weight[j];
    }
    weight[0] = sum > 0.0 ? weight[0] : 1.0f;
    sum = sum > 0.0 ? sum : 1.0;
    for (uint32_t j = 0; j < c->joint_count; j++) {
        weight[j] = (float)((double)weight[j] / sum * total);
    }
}

/* What follows the boxes in a node's coefficients, from the weights. */
static void put_weights(blend_case *c, float *sums)
{
    float *totals = sums + 16, *ranges = sums + 32, *shares = ranges + 16 * (size_t)c->joint_count;
    double all = 0.0;
    for (uint32_t lane = 0; lane < c->lanes; lane++) {
        double total[2] = {0.0, 0.0}, least = (double)INFINITY, greatest = 0.0;
        for (uint32_t v = 0; v < VERTICES; v++) {
            double sum = 0.0;
            for (uint32_t j = 0; j < c->joint_count; j++) {
                sum += (double)c->weight[lane][v][j];
            }
            least = fmin(least, sum);
            greatest = fmax(greatest, sum);
        }
        for (uint32_t j = 0; j < c->joint_count; j++) {
            float low = c->weight[lane][0][j], high = low;
            for (uint32_t v = 1; v < VERTICES; v++) {
                low = fminf(low, c->weight[lane][v][j]);
                high = fmaxf(high, c->weight[lane][v][j]);
            }
            ranges[16 * (size_t)j + lane] = low;
            ranges[16 * (size_t)j + 8 + lane] = high;
            total[0] += (double)low;
            total[1] += (double)high;
            shares[j] += low + high;
            all += (double)low + (double)high;
        }
        sums[lane] = nextafterf((float)least, 0.0f);
        sums[8 + lane] = nextafterf((float)greatest, INFINITY);
        totals[lane] = (float)total[0];
        totals[8 + lane] = (float)total[1];
    }
    for (uint32_t j = 0; j < c->joint_count; j++) {
        shares[j] = (float)((double)shares[j] / all);
    }
}

static blend_case *blend_case_create(rng *r)
{
    blend_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->joint_count = 1 + (uint32_t)rng_below(r, rng_below(r, 2) ? 12 : MOST_JOINTS);
    c->lanes = rng_below(r, 3) ? WIDTH : 1 + (uint32_t)rng_below(r, WIDTH);
    size_t size = (size_t)pli_coefficient_count(PLI_COEFFICIENTS_BLEND, 0, c->joint_count);
    c->values = calloc(size, sizeof *c->values);
    assert_non_null(c->values);
    float offset = rng_below(r, 2) ? 0.0f : grid_number(r, 4096, 4);
    for (uint32_t lane = 0; lane < c->lanes; lane++) {
        double total = rng_below(r, 2) ? 1.0 : rng_range(r, 0.5, 1.2);
        for (uint32_t k = 0; k < 3; k++) {
            c->values[16 * k + lane] = grid_number(r, 2, 16);
            c->values[16 * k + 8 + lane] = fabsf(grid_number(r, 1, 16));
        }
        for (uint32_t v = 0; v < VERTICES; v++) {
            make_weights(c, r, c->weight[lane][v], total * rng_range(r, 0.99, 1.0));
        }
    }
    put_weights(c, c->values + PLI_COEFFICIENT_AXES);
    float reach = 0.0f;
    for (uint32_t i = 0; i < 24 * MOST_JOINTS; i++) {
        bool moves = i % 4 == 3;
        c->transforms[i] = moves ? offset + grid_number(r, 2, 8) : grid_number(r, 2, 4);
        reach = fmaxf(reach, moves ? fabsf(c->transforms[i]) : 0.0f);
    }
    for (uint32_t j = 0; j < c->joint_count; j++) {
        c->joints[j] = 2 * j + (uint32_t)rng_below(r, 2);
    }
    c->coefficients = (pli_coefficient_view){
        .values = c->values, .joints = c->joints, .joint_count = c->joint_count, .lanes = c->lanes};
    c->pose = (pli_pose){.transforms = c->transforms, .placing = c->transforms};
    for (int k = 0; k < 3; k++) {
        c->pose.size[k] = 1.2f * (18.0f + reach);
    }
    return c;
}

static void blend_case_destroy(blend_case *c)
{
    free(c->values);
    free(c);
}

/* The side of a child's box that a joint makes, along an axis (sign 1) or against it. */
static double side_of(const blend_case *c, uint32_t lane, uint32_t j, uint32_t axis, double sign)
{
    const float *row = c->transforms + 12 * (size_t)c->joints[j] + 4 * (size_t)axis;
    double side = sign * (double)row[3];
    for (uint32_t k = 0; k < 3; k++) {
        side += sign * (double)row[k] * (double)c->values[16 * k + lane] +
                fabs((double)row[k]) * (double)c->values[16 * k + 8 + lane];
    }
    return side;
}

static void assert_held(const blend_case *c, const pli_boxes *boxes, int tries)
{
    for (uint32_t lane = 0; lane < c->lanes; lane++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            for (uint32_t v = 0; v < VERTICES; v++) {
                double upper = 0.0, against = 0.0;
                for (uint32_t j = 0; j < c->joint_count; j++) {
                    double w = (double)c->weight[lane][v][j];
                    upper += w * side_of(c, lane, j, axis, 1.0);
                    against += w * side_of(c, lane, j, axis, -1.0);
                }
                if (!((double)boxes->side[3 + axis][lane] >= upper - 1e-9) ||
                    !((double)boxes->side[axis][lane] <= -against + 1e-9)) {
                    fail_msg("%u joints, %d tries: lane %u, axis %u: %g to %g, the box %g to %g",
                             c->joint_count, tries, lane, axis, -against, upper,
                             (double)boxes->side[axis][lane], (double)boxes->side[3 + axis][lane]);
                }
            }
        }
    }
}

/* Beyond the box by another rule by no more than rounding. */
static void assert_within(const blend_case *c, const pli_boxes *inner, const pli_boxes *outer)
{
    for (uint32_t lane = 0; lane < c->lanes; lane++) {
        for (int k = 0; k < 3; k++) {
            float least = c->pose.size[k] * 0x1p-22f * (float)(4 * c->joint_count + 32);
            float room = least * (1.0f + c->values[PLI_COEFFICIENT_AXES + 24 + lane]);
            assert_true(inner->side[k][lane] >= outer->side[k][lane] - room);
            assert_true(inner->side[3 + k][lane] <= outer->side[3 + k][lane] + room);
        }
    }
}

static void boxes_hold_what_they_should(void **state)
{
    (void)state;
    pliant_isa sets[3];
    int set_count = other_sets(sets);
    const pli_model_kernels *plain = pli_kernels_for(PLIANT_ISA_PLAIN)->model;
    rng r;
    rng_seed(&r, 1);
    for (uint32_t round = 0; round < fixture_count(1500); round++) {
        blend_case *c = blend_case_create(&r);
        pli_local local;
        pli_boxes boxes[4], two, exact;
        double scratch[3 * MOST_JOINTS];
        plain->gather_axes(&c->coefficients, &c->pose, &local);
        for (int tries = 0; tries < 4; tries++) {
            plain->blend_boxes(&c->coefficients, &c->pose, &local, tries, &boxes[tries]);
            assert_held(c, &boxes[tries], tries);
            for (int s = 0; s < set_count; s++) {
                const pli_model_kernels *kernels = pli_kernels_for(sets[s])->model;
                pli_boxes other;
                kernels->blend_boxes(&c->coefficients, &c->pose, &local, tries, &other);
                assert_memory_equal(&other, &boxes[tries], sizeof other);
            }
        }
        pli_bound_children_by_rule(plain, &c->coefficients, &c->pose, PLI_BLEND_TWO_LARGEST,
                                   scratch, &two);
        pli_bound_children_by_rule(plain, &c->coefficients, &c->pose, PLI_BLEND_EXACT, scratch,
                                   &exact);
        assert_within(c, &boxes[0], &two);
        for (int tries = 0; tries < 4; tries++) {
            assert_within(c, &exact, &boxes[tries]); /* there is nothing tighter */
        }
        assert_within(c, &boxes[3], &boxes[1]);
        blend_case_destroy(c);
    }
}

static void transforms_are_measured(void **state)
{
    (void)state;
    pliant_isa sets[3];
    int set_count = other_sets(sets);
    rng r;
    rng_seed(&r, 2);
    for (uint32_t round = 0; round < fixture_count(2000); round++) {
        uint32_t count = 1 + (uint32_t)rng_below(&r, 40);
        float local = (float)pow(10.0, rng_range(&r, -6.0, 6.0));
        double most[3] = {0.0, 0.0, 0.0}, entry = 0.0;
        float *transforms = malloc(12 * count * sizeof *transforms);
        for (uint32_t i = 0; i < 12 * count; i++) {
            transforms[i] = (float)(rng_range(&r, -1.0, 1.0) * pow(10.0, rng_range(&r, -3.0, 3.0)));
        }
        for (uint32_t i = 0; i < 3 * count; i++) {
            const float *row = transforms + 4 * (size_t)i;
            double sum = fabs((double)row[3]);
            for (int k = 0; k < 3; k++) {
                sum += fabs((double)row[k]) * (double)local;
                entry = fmax(entry, fabs((double)row[k]));
            }
            most[i % 3] = fmax(most[i % 3], sum);
        }
        pli_reach plain =
            pli_kernels_for(PLIANT_ISA_PLAIN)->model->measure(transforms, count, local);
        assert_true(plain.finite && (double)plain.entry == entry);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs((double)plain.sum[k] - most[k]) <= 0x1p-21 * most[k]);
        }
        uint32_t bad = (uint32_t)rng_below(&r, 12 * count);
        for (int s = -1; s < set_count; s++) {
            const pli_model_kernels *kernels =
                s < 0 ? pli_kernels_for(PLIANT_ISA_PLAIN)->model : pli_kernels_for(sets[s])->model;
            float good = transforms[bad];
            pli_reach found = kernels->measure(transforms, count, local);
            assert_memory_equal(found.sum, plain.sum, sizeof found.sum);
            assert_true(found.finite && found.entry == plain.entry);
            transforms[bad] = round % 2 ? NAN : round % 4 ? INFINITY : -INFINITY;
            assert_false(kernels->measure(transforms, count, local).finite);
            transforms[bad] = good;
        }
        free(transforms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_hold_what_they_should),
        cmocka_unit_test(transforms_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
