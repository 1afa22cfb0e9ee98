#include "sheets.h"

#include <string.h>

void sheets_create_in(sheets *s, pliant_context *context)
{
    float rest[3 * VERTICES];
    uint32_t *next = s->triangles;
    for (uint32_t v = 0; v < VERTICES; v++) {
        rest[3 * v] = (float)(v % SIDE);
        rest[3 * v + 1] = (float)(v / SIDE);
        rest[3 * v + 2] = 0.0f;
    }
    for (uint32_t y = 0; y + 1 < SIDE; y++) {
        for (uint32_t x = 0; x + 1 < SIDE; x++) {
            uint32_t v = y * SIDE + x;
            const uint32_t two[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
            memcpy(next, two, sizeof two);
            next += 6;
        }
    }
    s->context = context;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = rest;
    def.triangles = s->triangles;
    def.vertex_count = VERTICES;
    def.triangle_count = TRIANGLES;
    assert_ok(pliant_shape_create(s->context, &def, &s->shape));
    assert_ok(pliant_query_create(s->context, &s->query));
    for (int i = 0; i < MOST; i++) {
        assert_ok(pliant_body_create(s->shape, NULL, &s->body[i]));
    }
}

void sheets_create(sheets *s)
{
    sheets_create_in(s, fixture_context_with(PLIANT_ISA_BEST, 1));
}

void sheets_destroy(sheets *s)
{
    for (int i = 0; i < MOST; i++) {
        pliant_body_destroy(s->body[i]);
    }
    pliant_query_destroy(s->query);
    pliant_shape_destroy(s->shape);
    pliant_context_destroy(s->context);
}

void sheets_move(sheets *s, rng *r, double far, double offset)
{
    for (uint32_t i = 0; i < MOST; i++) {
        double down = rng_range(r, -far, far);
        for (uint32_t v = 0; v < VERTICES; v++) {
            const double flat[3] = {v % SIDE, v / SIDE, i};
            for (uint32_t k = 0; k < 3; k++) {
                double start = offset + flat[k] + rng_range(r, -0.2, 0.2);
                double by = rng_range(r, -0.3, 0.3) * far + (k == 2 ? down : 0.0);
                s->at[i][0][3 * v + k] = (float)start;
                s->at[i][1][3 * v + k] = (float)(start + by);
            }
        }
        assert_ok(pliant_body_set_positions(s->body[i], s->at[i][0], 0));
        assert_ok(pliant_body_begin_step(s->body[i]));
        assert_ok(pliant_body_set_positions(s->body[i], s->at[i][1], 0));
    }
}
