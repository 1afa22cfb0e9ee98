/*
 * Shape blocks whose checksum fits but whose contents were altered: refused, or shapes about which
 * every question is answered in time and within bounds.
 */
#include "models.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shape/shape.h"
#include "shape_exercise.h"

/* An array of a block. */
#define SECTION(block, type, name) ((type *)(void *)((char *)(block) + (block)->offset[name]))

/* A block, and room to alter a copy of it in. */
typedef struct forgery {
    pliant_shape *shape;
    uint64_t size;
    pli_block_header *original, *copy;
} forgery;

/* A block of a shape of each kind, model and bound; kind MODEL_KINDS: a free one. */
static forgery forgery_create(uint32_t kind, pliant_bound_kind bound, rng *r)
{
    static const fixture_tree trees[] = {{PLIANT_PARTITION_BALANCED, 8, 8},
                                         {PLIANT_PARTITION_SHAPE_MEAN, 4, 3},
                                         {PLIANT_PARTITION_CONNECTIVITY, 2, 1}};
    forgery f = {.shape = NULL};
    bool is_free = kind == MODEL_KINDS;
    model_case c = model_case_create(is_free ? MODEL_RIGID : (model_kind)kind,
                                     (model_trait)rng_below(r, MODEL_TRAITS), 1.0, 0.0, 90, r);
    model_case shaped = c;
    if (is_free) {
        shaped.model = (gallery_model){0};
    }
    shaped.proxy_triangles = rng_below(r, 2) == 0 ? 0 : 4;
    f.shape = model_case_shape(test_context, &shaped, bound, trees[rng_below(r, 3)]);
    assert_ok(pliant_shape_write(f.shape, NULL, 0, &f.size));
    f.original = aligned_alloc(64, (size_t)f.size);
    f.copy = aligned_alloc(64, (size_t)f.size);
    assert_ok(pliant_shape_write(f.shape, f.original, f.size, &f.size));
    memcpy(f.copy, f.original, (size_t)f.size);
    model_case_destroy(&c);
    return f;
}

static void forgery_destroy(forgery *f)
{
    pliant_shape_destroy(f->shape);
    free(f->original);
    free(f->copy);
}

/* Seals the copy, reads it, and makes it the original again. */
static pliant_result read_forged(forgery *f, pliant_shape **shape)
{
    pli_block_seal(f->copy);
    pliant_result result = pliant_shape_read(test_context, f->copy, f->size, shape);
    memcpy(f->copy, f->original, (size_t)f->size);
    return result;
}

static void assert_refused(forgery *f)
{
    pliant_shape *shape = NULL;
    assert_int_equal(read_forged(f, &shape), PLIANT_ERROR_DATA);
    assert_null(shape);
}

/* A word of the block that means something: of the header behind the checksum, or of a section. */
static size_t choose_word(const forgery *f, rng *r)
{
    const pli_block_header *block = f->original;
    size_t first = offsetof(pli_block_header, partition);
    if (rng_below(r, 3) == 0) {
        return first + 4 * (size_t)rng_below(r, (sizeof *block - first) / 4);
    }
    for (;;) {
        size_t section = (size_t)rng_below(r, PLI_SECTION_COUNT);
        size_t bytes =
            (size_t)block->count[section] * pli_section_element_size((pli_section)section);
        if (bytes >= 4) {
            return (size_t)block->offset[section] + 4 * (size_t)rng_below(r, bytes / 4);
        }
    }
}

static void alter_word(forgery *f, rng *r)
{
    static const float numbers[] = {3e38f, -3e38f, 1e30f, -1.0f, 1e-45f, 2.0f};
    char *at = (char *)f->copy + choose_word(f, r);
    uint32_t word = 0;
    memcpy(&word, at, sizeof word);
    switch (rng_below(r, 7)) {
    case 0:
        word = 0;
        break;
    case 1:
        word = UINT32_MAX;
        break;
    case 2:
        word ^= 1u << rng_below(r, 32);
        break;
    case 3:
        word++;
        break;
    case 4:
        word--;
        break;
    case 5:
        memcpy(&word, &numbers[rng_below(r, 6)], sizeof word);
        break;
    default:
        word = (uint32_t)rng_u64(r);
    }
    memcpy(at, &word, sizeof word);
}

static bool exercise(const pliant_shape *shape, rng *r)
{
    return shape_exercise(test_context, shape,
                          (pliant_update)rng_below(r, PLIANT_UPDATE_FRONT + 1));
}

static void random_forgeries_do_no_harm(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 71);
    uint32_t accepted = 0, cases = fixture_count(200);
    for (uint32_t i = 0; i < (MODEL_KINDS + 1) * (PLIANT_BOUND_AFFINE + 1); i++) {
        forgery f = forgery_create(i % (MODEL_KINDS + 1), i / (MODEL_KINDS + 1), &r);
        assert_true(exercise(f.shape, &r));
        for (uint32_t n = 0; n < cases; n++) {
            for (uint64_t words = 1 + rng_below(&r, 3); words > 0; words--) {
                alter_word(&f, &r);
            }
            pliant_shape *shape = NULL;
            pliant_result result = read_forged(&f, &shape);
            assert_true(result == PLIANT_OK || result == PLIANT_ERROR_DATA);
            if (result == PLIANT_OK) {
                accepted++;
                assert_true(exercise(shape, &r));
                pliant_shape_destroy(shape);
            }
        }
        forgery_destroy(&f);
    }
    assert_true(accepted > 0);
}

/* All numbers of a section become one: too large, negative, or not a number. */
static void forged_values_do_no_harm(void **state)
{
    (void)state;
    static const pli_section sections[] = {PLI_SECTION_COEFFICIENT_VALUES,
                                           PLI_SECTION_SKIN_BLOCK_VALUES, PLI_SECTION_REACH};
    static const float numbers[] = {3e38f, 1e38f, 0x1p100f, 1e20f, -1.0f, 0.0f, NAN, INFINITY};
    rng r;
    rng_seed(&r, 72);
    for (uint32_t i = 0; i < (MODEL_KINDS + 1) * (PLIANT_BOUND_AFFINE + 1); i++) {
        forgery f = forgery_create(i % (MODEL_KINDS + 1), i / (MODEL_KINDS + 1), &r);
        for (uint32_t n = 0; n < 24; n += fixture_scale() < 0.1 ? 1 + i % 5 : 1) { /* sanitizers */
            pli_section section = sections[n % 3];
            float *values = (float *)(void *)((char *)f.copy + f.copy->offset[section]);
            for (uint64_t v = 0; v < f.copy->count[section]; v++) {
                values[v] = numbers[n / 3];
            }
            pliant_shape *shape = NULL;
            if (read_forged(&f, &shape) == PLIANT_OK) {
                assert_true(exercise(shape, &r));
                pliant_shape_destroy(shape);
            }
        }
        forgery_destroy(&f);
    }
}

/* A cluster that says it owns one vertex more than it has: its list would be read behind its end.
 */
static void owned_vertices_are_in_the_list(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 77);
    uint32_t forged = 0;
    for (uint32_t kind = 0; kind <= MODEL_KINDS; kind++) {
        forgery f = forgery_create(kind, PLIANT_BOUND_AUTO, &r);
        uint64_t clusters = f.original->count[PLI_SECTION_CLUSTERS];
        uint64_t vertices = f.original->count[PLI_SECTION_POSITIONS] / 3;
        for (uint64_t c = 0; c < clusters; c++) {
            pli_cluster *cluster = &SECTION(f.copy, pli_cluster, PLI_SECTION_CLUSTERS)[c];
            if (cluster->first_owned + cluster->vertex_count + 1 > vertices) {
                continue; /* refused because there are no such vertices */
            }
            cluster->owned_count = cluster->vertex_count + 1;
            char sentence[80];
            snprintf(sentence, sizeof sentence, "shape block: a wrong cluster at %llu",
                     (unsigned long long)c);
            assert_refused(&f);
            assert_string_equal(pliant_last_error(), sentence);
            forged++;
        }
        forgery_destroy(&f);
    }
    assert_true(forged > 0);
}

/* Every figure about mesh and tree is found again. */
static void quality_is_found_again(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 73);
    forgery f = forgery_create(MODEL_KINDS, PLIANT_BOUND_AUTO, &r);
    pliant_shape_quality *quality = &f.copy->quality;
    uint32_t *const counts[] = {&quality->node_count,
                                &quality->cluster_count,
                                &quality->levels,
                                &quality->component_count,
                                &quality->welded_vertex_count,
                                &quality->unused_vertex_count,
                                &quality->degenerate_triangle_count,
                                &quality->duplicate_triangle_count,
                                &quality->open_edge_count};
    double *const figures[] = {&quality->cluster_fill, &quality->boundary_share,
                               &quality->area_ratio};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        ++*counts[i];
        assert_refused(&f);
        *counts[i] = UINT32_MAX;
        assert_refused(&f);
    }
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        *figures[i] *= 1.0 + 0x1p-50;
        assert_refused(&f);
        *figures[i] = (double)NAN;
        assert_refused(&f);
    }
    f.copy->is_closed ^= 1;
    assert_refused(&f);
    forgery_destroy(&f);
}

/* The figures by which states are refused must cover what vertices are evaluated from. */
static void figures_of_models_are_checked(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 74);
    forgery f = forgery_create(MODEL_COMPOSED, PLIANT_BOUND_AUTO, &r);
    pli_model *model = &f.copy->model;
    float *reach = SECTION(f.copy, float, PLI_SECTION_REACH);
    float *skin_block = SECTION(f.copy, float, PLI_SECTION_SKIN_BLOCK_VALUES);
    const pli_skin_block *first = SECTION(f.copy, pli_skin_block, PLI_SECTION_SKIN_BLOCKS);
    size_t stride = pli_padded_count(first->vertex_count);
    size_t weights = stride * (3 + 3 * (size_t)first->mode_count);
    model->vertex_influences = model->joint_count + 1;
    assert_refused(&f);
    model->vertex_influences = 1;
    assert_refused(&f);
    model->weight_sums[1] *= 0.5f;
    assert_refused(&f);
    model->weight_sums[0] = model->weight_sums[1];
    assert_refused(&f);
    model->reserved = 1;
    assert_refused(&f);
    for (uint32_t m = 0; m <= model->mode_count; m++) {
        reach[m] *= 0.9f;
        assert_refused(&f);
    }
    skin_block[0] += 1.0f; /* a rest position */
    assert_refused(&f);
    skin_block[stride * 3] =
        2.0f * reach[1 + SECTION(f.copy, uint32_t, PLI_SECTION_SKIN_BLOCK_MODES)[0]];
    assert_refused(&f);
    skin_block[weights] = -1.0f;
    assert_refused(&f);
    skin_block[weights] = 3.0f;
    assert_refused(&f);
    forgery_destroy(&f);
}

/* The first value of a node's coefficients behind its sets. */
static float *row_end(forgery *f, size_t from_end)
{
    const pli_coefficients *coefficients =
        SECTION(f->copy, pli_coefficients, PLI_SECTION_COEFFICIENTS);
    return SECTION(f->copy, float, PLI_SECTION_COEFFICIENT_VALUES) +
           pli_coefficient_count((pli_coefficient_kind)coefficients->kind, coefficients->mode_count,
                                 coefficients->joint_count) -
           from_end;
}

/* Sizes, radii, growth and weights of the first node, lane 0. */
static void values_of_rows_are_checked(void **state)
{
    (void)state;
    static const pliant_bound_kind bounds[] = {PLIANT_BOUND_BOX, PLIANT_BOUND_SPHERE,
                                               PLIANT_BOUND_AFFINE};
    rng r;
    rng_seed(&r, 75);
    for (int i = 0; i < 3; i++) {
        forgery f = forgery_create(MODEL_REDUCED, bounds[i], &r);
        float *values = SECTION(f.copy, float, PLI_SECTION_COEFFICIENT_VALUES);
        size_t size = bounds[i] == PLIANT_BOUND_SPHERE ? PLI_HALVES + PLI_WIDTH : PLI_WIDTH;
        size_t set = bounds[i] == PLIANT_BOUND_SPHERE ? 2 * PLI_HALVES
                     : bounds[i] == PLIANT_BOUND_AFFINE
                         ? PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME
                         : PLI_COEFFICIENT_AXES;
        for (size_t at = 0; at < 2; at++) { /* of the rest positions, then of a mode */
            size_t begin =
                at * (set + (bounds[i] == PLIANT_BOUND_AFFINE ? PLI_COEFFICIENT_COLUMNS : 0));
            values[begin] = 1e5f;
            assert_refused(&f);
            values[begin + size] = -1.0f;
            assert_refused(&f);
            values[begin + size] = 1e5f;
            assert_refused(&f);
        }
        *row_end(&f, bounds[i] == PLIANT_BOUND_SPHERE ? PLI_HALVES : PLI_COEFFICIENT_COLUMNS) =
            -1.0f;
        assert_refused(&f);
        if (bounds[i] == PLIANT_BOUND_AFFINE) {
            values[set] = -1.0f; /* a half size along the frame */
            assert_refused(&f);
            values[PLI_COEFFICIENT_AXES] = NAN; /* the frame */
            assert_refused(&f);
        }
        forgery_destroy(&f);
    }
    forgery f = forgery_create(MODEL_BLENDED, PLIANT_BOUND_AUTO, &r);
    const pli_coefficients *coefficients =
        SECTION(f.copy, pli_coefficients, PLI_SECTION_COEFFICIENTS);
    float *sums = SECTION(f.copy, float, PLI_SECTION_COEFFICIENT_VALUES) + PLI_COEFFICIENT_AXES;
    float *ranges = sums + 2 * PLI_HALVES;
    float *shares = ranges + PLI_HALVES * (size_t)coefficients->joint_count;
    float *const forged[] = {sums, sums + PLI_HALVES, ranges, ranges + PLI_WIDTH, shares};
    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        *forged[i] = -0.25f;
        assert_refused(&f);
        *forged[i] = 1e5f;
        assert_refused(&f);
    }
    ranges[0] = nextafterf(ranges[PLI_WIDTH], INFINITY); /* the least above the greatest */
    assert_refused(&f);
    forgery_destroy(&f);
}

/* The coefficients of joints, behind those of nodes. */
static void joint_boxes_are_checked(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 76);
    for (int i = 0; i < 2; i++) {
        forgery f = forgery_create(i == 0 ? MODEL_BLENDED : MODEL_COMPOSED, PLIANT_BOUND_AUTO, &r);
        uint64_t *count = f.copy->count;
        pli_coefficients *coefficients =
            SECTION(f.copy, pli_coefficients, PLI_SECTION_COEFFICIENTS);
        uint64_t first = 0, last = count[PLI_SECTION_COEFFICIENTS] - 1;
        while (first < last && coefficients[first].kind != PLI_COEFFICIENTS_JOINTS) {
            first++;
        }
        assert_int_equal(coefficients[first].kind, PLI_COEFFICIENTS_JOINTS);
        assert_true((coefficients[first].mode_count > 0) == (i == 1));
        coefficients[first].kind = PLI_COEFFICIENTS_BLEND;
        assert_refused(&f);
        coefficients[0].kind = PLI_COEFFICIENTS_JOINTS;
        assert_refused(&f);
        coefficients[last].joint_count = 0;
        assert_refused(&f);
        coefficients[first].joint_count++;
        assert_refused(&f);
        float *end = SECTION(f.copy, float, PLI_SECTION_COEFFICIENT_VALUES) +
                     count[PLI_SECTION_COEFFICIENT_VALUES];
        end[-1] = -1.0f; /* a half size of the last joint */
        assert_refused(&f);
        end[-PLI_HALVES] = 1e5f; /* a centre */
        assert_refused(&f);
        uint32_t *joints = SECTION(f.copy, uint32_t, PLI_SECTION_COEFFICIENT_JOINTS);
        joints[coefficients[last].first_joint] = f.copy->model.joint_count;
        assert_refused(&f);
        joints[coefficients[first].first_joint] =
            joints[coefficients[first].first_joint + coefficients[first].joint_count - 1] + 1;
        assert_refused(&f); /* descending, or out of range where there is one joint */
        forgery_destroy(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_forgeries_do_no_harm),
        cmocka_unit_test(forged_values_do_no_harm),
        cmocka_unit_test(owned_vertices_are_in_the_list),
        cmocka_unit_test(quality_is_found_again),
        cmocka_unit_test(figures_of_models_are_checked),
        cmocka_unit_test(values_of_rows_are_checked),
        cmocka_unit_test(joint_boxes_are_checked),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
