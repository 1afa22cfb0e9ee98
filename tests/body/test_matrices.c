/* Transforms as matrices that lie by columns: the same bits as by rows, whatever the stride. */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 6 };

/* A matrix of the same transform as these rows. */
static void put_matrix(const float rows[12], float matrix[16])
{
    for (int i = 0; i < 16; i++) {
        matrix[i] = i % 4 == 3 ? (i == 15 ? 1.0f : 0.0f) : rows[4 * (i % 4) + i / 4];
    }
}

typedef struct matrix_case {
    model_case c;
    pliant_shape *shape;
    pliant_body *by_rows, *by_columns;
    float matrices[20 * MOST]; /* four numbers behind each, which are never read */
} matrix_case;

static matrix_case create(model_kind kind, rng *r)
{
    matrix_case m = {.c = model_case_create(kind, MODEL_ROUGH, 1.0, 0.0, 300, r)};
    m.shape = model_case_shape(test_context, &m.c, PLIANT_BOUND_AUTO, fixture_usual_tree);
    assert_ok(pliant_body_create(m.shape, NULL, &m.by_rows));
    assert_ok(pliant_body_create(m.shape, NULL, &m.by_columns));
    return m;
}

static void destroy(matrix_case *m)
{
    pliant_body_destroy(m->by_rows);
    pliant_body_destroy(m->by_columns);
    pliant_shape_destroy(m->shape);
    model_case_destroy(&m->c);
}

static void check_equal(const matrix_case *m)
{
    uint32_t count = m->c.mesh.vertex_count;
    float *rows = malloc(12 * (size_t)count), *columns = malloc(12 * (size_t)count);
    pliant_box box[2];
    assert_ok(pliant_body_evaluate(m->by_rows, NULL, count, rows));
    assert_ok(pliant_body_evaluate(m->by_columns, NULL, count, columns));
    assert_memory_equal(rows, columns, 12 * (size_t)count);
    assert_ok(pliant_body_get_bounds(m->by_rows, &box[0]));
    assert_ok(pliant_body_get_bounds(m->by_columns, &box[1]));
    assert_memory_equal(&box[0], &box[1], sizeof *box);
    free(rows);
    free(columns);
}

static void columns_give_the_same_as_rows(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 31);
    const model_kind kinds[] = {MODEL_RIGID, MODEL_REDUCED, MODEL_BLENDED, MODEL_COMPOSED};
    for (int i = 0; i < 16; i++) {
        matrix_case m = create(kinds[i % 4], &r);
        uint32_t count = m.c.model.joint_count, step = i < 8 ? 16 : 20;
        float rows[12], matrix[16];
        for (uint32_t k = 0; k < 20 * MOST; k++) {
            m.matrices[k] = NAN;
        }
        for (uint32_t j = 0; j < count; j++) {
            put_matrix(m.c.transforms + 12 * (size_t)j, m.matrices + (size_t)step * j);
        }
        assert_ok(pliant_body_set_transforms(m.by_rows, m.c.transforms, count, 0));
        assert_ok(pliant_body_set_matrices(m.by_columns, m.matrices, count,
                                           i % 8 < 4 && step == 16 ? 0 : step * sizeof(float)));
        check_equal(&m);
        model_random_transform(&r, 1.0, rows);
        put_matrix(rows, matrix);
        matrix[7] = -0.0f; /* is 0 too */
        assert_ok(pliant_body_set_world(m.by_rows, rows));
        assert_ok(pliant_body_set_world_matrix(m.by_columns, matrix));
        check_equal(&m);
        assert_ok(pliant_body_set_world(m.by_rows, NULL));
        assert_ok(pliant_body_set_world_matrix(m.by_columns, NULL));
        check_equal(&m);
        destroy(&m);
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 32);
    matrix_case m = create(MODEL_BLENDED, &r);
    uint32_t count = m.c.model.joint_count;
    for (uint32_t j = 0; j < count; j++) {
        put_matrix(m.c.transforms + 12 * (size_t)j, m.matrices + 16 * (size_t)j);
    }
    assert_ok(pliant_body_set_transforms(m.by_rows, m.c.transforms, count, 0));
    assert_ok(pliant_body_set_matrices(m.by_columns, m.matrices, count, 0));
    const int places[] = {3, 7, 11, 15};
    const float wrongs[] = {0.5f, NAN, INFINITY, 0x1p-149f};
    for (int i = 0; i < 16; i++) {
        float *number = m.matrices + 16 * 4 + places[i % 4], kept = *number;
        *number = wrongs[i / 4];
        assert_int_equal(pliant_body_set_matrices(m.by_columns, m.matrices, count, 0),
                         PLIANT_ERROR_RANGE);
        assert_non_null(strstr(pliant_last_error(), "matrix 4: the last row is"));
        assert_int_equal(pliant_body_set_world_matrix(m.by_columns, m.matrices + 64),
                         PLIANT_ERROR_RANGE);
        *number = kept;
    }
    m.matrices[16 * 2 + 9] = NAN;
    assert_int_equal(pliant_body_set_matrices(m.by_columns, m.matrices, count, 0),
                     PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "transform 2: row 1, column 2 is nan"));
    assert_int_equal(pliant_body_set_matrices(m.by_columns, m.matrices, count - 1, 0),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_body_set_matrices(m.by_columns, m.matrices, count, 60),
                     PLIANT_ERROR_RANGE);
    assert_non_null(strstr(pliant_last_error(), "from 64 on"));
    assert_int_equal(pliant_body_set_matrices(m.by_columns, m.matrices, count, 66),
                     PLIANT_ERROR_RANGE);
    check_equal(&m); /* the state before is still there */
    destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_give_the_same_as_rows),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
