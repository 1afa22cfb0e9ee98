#include "placed.h"

bool placed_is_given(const placed_body *s)
{
    return s->kind >= PLACED_FREE;
}

placed_body placed_create(pliant_context *context, int kind, model_trait trait, double scale,
                          pliant_bound_kind bound, const pliant_body_def *def, rng *r)
{
    placed_body s = {.kind = kind};
    model_kind model = kind < MODEL_KINDS ? (model_kind)kind : MODEL_RIGID;
    s.c = model_case_create(model, trait, scale, 0.0, 500, r);
    if (kind == PLACED_FREE) {
        s.c.model.joint_count = 0;
    }
    s.shape = model_case_shape(context, &s.c, bound, fixture_usual_tree);
    assert_ok(pliant_body_create(s.shape, def, &s.body));
    return s;
}

void placed_destroy(placed_body *s)
{
    pliant_body_destroy(s->body);
    pliant_shape_destroy(s->shape);
    model_case_destroy(&s->c);
}

void placed_move(placed_body *s, const float *world, bool coherent, rng *r)
{
    bool first = rng_below(r, 2) != 0;
    if (first) {
        assert_ok(pliant_body_set_world(s->body, world));
    }
    if (placed_is_given(s)) {
        for (uint32_t i = 0; i < 3 * s->c.mesh.vertex_count; i++) {
            s->c.mesh.positions[i] += (float)(s->c.scale * rng_range(r, -0.02, 0.02));
        }
        assert_ok(rng_below(r, 2) ? pliant_body_set_positions(s->body, s->c.mesh.positions, 0)
                                  : pliant_body_share_positions(s->body, s->c.mesh.positions, 0));
    }
    s->c.placed = false;
    model_case_move(&s->c, r, coherent);
    model_case_set(&s->c, s->body);
    model_case_place(&s->c, world);
    if (!first) {
        assert_ok(pliant_body_set_world(s->body, world));
    }
}
