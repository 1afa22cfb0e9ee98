/*
 * Definition D7: the box of a body, and everything measured on a grid over that box, depend on the
 * state alone. Each state is given to bodies of one mesh that differ in strategy, tree, kind of
 * bound, instruction set and workers. Earlier states and queries differ too, and so does the order
 * of the calls that set the state.
 */
#include "models.h"
#include "solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shape/shape.h"

enum { TREES = 6, ISAS = 5, TRIANGLES = 300, RESOLUTION = 24, MOST_VERTICES = 2048 };

static const fixture_tree trees[TREES] = {
    {PLIANT_PARTITION_BALANCED, 8, 8},     {PLIANT_PARTITION_BALANCED, 2, 4},
    {PLIANT_PARTITION_CONNECTIVITY, 4, 8}, {PLIANT_PARTITION_COVARIANCE, 8, 1},
    {PLIANT_PARTITION_SHAPE_CENTRE, 2, 1}, {PLIANT_PARTITION_BALANCED, 4, 3},
};

/* One way to hold the body of a case. */
typedef struct holder {
    pliant_context *context;
    pliant_volume *volume;
    pliant_query *query;
    pliant_shape *shape;
    pliant_body *body;
    test_solid other; /* what it overlaps */
    bool reversed;    /* transforms are set before coordinates */
} holder;

static holder holder_create(const model_case *c, uint32_t i)
{
    holder h = {.context = fixture_context_with((pliant_isa)(i % ISAS), 1 + i % 3),
                .reversed = i % 2 == 1};
    pliant_body_def def = pliant_body_def_default();
    def.update = (pliant_update)(i % (PLIANT_UPDATE_FRONT + 1));
    def.coherent = i % 4 == 3;
    def.eager_levels = i % 3;
    assert_ok(pliant_volume_create(h.context, NULL, &h.volume));
    assert_ok(pliant_query_create(h.context, &h.query));
    h.shape = model_case_shape(h.context, c, (pliant_bound_kind)(i % 4), trees[i % TREES]);
    if (i % 5 == 2) { /* its tree is cut at other positions */
        pliant_shape *derived = NULL;
        assert_ok(pli_shape_derive(h.shape, c->positions, &derived));
        pliant_shape_destroy(h.shape);
        h.shape = derived;
    }
    assert_ok(pliant_body_create(h.shape, &def, &h.body));
    const test_place place = place_at(0.3, 0.2, 0.1);
    h.other = test_solid_create(h.context, test_solid_torus(12, 24, 0.4, &place));
    return h;
}

static void holder_destroy(holder *h)
{
    test_solid_destroy(&h->other);
    pliant_body_destroy(h->body);
    pliant_shape_destroy(h->shape);
    pliant_query_destroy(h->query);
    pliant_volume_destroy(h->volume);
    pliant_context_destroy(h->context);
}

static void set_state(const model_case *c, holder *h)
{
    if (c->model.joint_count > 0 && h->reversed) {
        assert_ok(pliant_body_set_transforms(h->body, c->transforms, c->model.joint_count, 0));
    }
    model_case_set(c, h->body);
    if (c->model.mode_count > 0 && h->reversed) {
        assert_ok(pliant_body_set_coordinates(h->body, c->coordinates, c->model.mode_count));
    }
}

/* Answers that must agree, bit by bit. */
typedef struct answers {
    pliant_box box;
    double numbers[16];
    pliant_volume_vertex gradient[MOST_VERTICES];
    uint32_t gradient_count;
    pliant_volume_point point[8];
} answers;

static void add_measure(const pliant_volume_measure *m, double *numbers)
{
    const double values[8] = {m->volume,      m->error,       m->least,       m->most,
                              m->centroid[0], m->centroid[1], m->centroid[2], (double)m->open_rays};
    memcpy(numbers, values, sizeof values);
}

static answers *ask(holder *h)
{
    answers *a = calloc(1, sizeof *a);
    pliant_volume_measure m;
    pliant_volume_options options = pliant_volume_options_default();
    options.resolution = RESOLUTION;
    options.gradients = options.allow_open = true;
    assert_non_null(a);
    assert_ok(pliant_body_get_bounds(h->body, &a->box));
    assert_ok(pliant_volume_measure_body(h->volume, h->body, &options, &m));
    add_measure(&m, a->numbers);
    assert_ok(pliant_volume_intersect(h->volume, h->body, h->other.body, &options, &m));
    add_measure(&m, a->numbers + 8);
    a->gradient_count = m.vertex_count[0];
    assert_in_range(m.vertex_count[0], 0, MOST_VERTICES);
    for (uint32_t i = 0; i < m.vertex_count[0]; i++) {
        a->gradient[i] = m.vertices[0][i];
    }
    float points[8][3];
    for (int i = 0; i < 24; i++) {
        int side = i / 3 >> i % 3 & 1;
        points[i / 3][i % 3] =
            (side ? 0.7f : 0.3f) * a->box.lower[i % 3] + (side ? 0.3f : 0.7f) * a->box.upper[i % 3];
    }
    assert_ok(
        pliant_volume_locate_points(h->volume, h->body, points[0], 8, 0, &options, a->point, NULL));
    return a;
}

/* How much larger than the smallest box, as a volume; sides without length do not count. */
static double check_box(const pliant_box *box, const float *positions, const gallery_mesh *mesh)
{
    double lower[3], upper[3], size = 0.0, ratio = 1.0;
    for (int k = 0; k < 3; k++) {
        lower[k] = (double)INFINITY;
        upper[k] = -(double)INFINITY;
        for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
            double x = (double)positions[3 * (size_t)mesh->triangles[i] + (size_t)k];
            lower[k] = fmin(lower[k], x);
            upper[k] = fmax(upper[k], x);
        }
        assert_true((double)box->lower[k] <= lower[k] && upper[k] <= (double)box->upper[k]);
        size = fmax(size, upper[k] - lower[k]);
    }
    for (int k = 0; k < 3; k++) {
        double side = upper[k] - lower[k];
        ratio *= side > 1e-2 * size ? ((double)box->upper[k] - (double)box->lower[k]) / side : 1.0;
    }
    return ratio;
}

/* Asks every holder in some states, of which some have seen more states and queries before. */
static double compare_holders(model_case *c, holder *holders, uint32_t count, rng *r)
{
    double logarithm = 0.0;
    enum { STATES = 3 };
    for (int step = 0; step < STATES; step++) {
        answers *first = NULL;
        for (uint32_t i = 0; i < count; i++) {
            set_state(c, &holders[i]);
            if ((i + (uint32_t)step) % 2 == 0) {
                pliant_contacts contacts;
                assert_ok(pliant_collide_self(holders[i].query, holders[i].body, NULL, &contacts));
            }
            answers *found = ask(&holders[i]);
            if (first == NULL) {
                first = found;
                continue;
            }
            if (memcmp(found, first, sizeof *found) != 0) {
                fail_msg(
                    "holder %u, step %d: box %s, body %.17g of %.17g, pair %.17g of %.17g", i, step,
                    memcmp(&found->box, &first->box, sizeof found->box) == 0 ? "same" : "differs",
                    found->numbers[0], first->numbers[0], found->numbers[8], first->numbers[8]);
            }
            free(found);
        }
        logarithm += log(check_box(&first->box, c->positions, &c->mesh));
        free(first);
        model_case_move(c, r, step % 2 == 0);
    }
    return logarithm / STATES;
}

static void everything_follows_from_the_state(void **state)
{
    (void)state;
    enum { HOLDERS = 15 };
    static const double most[MODEL_KINDS] = {1.5, 1.8, 2.2, 5.0, 5.0};
    uint32_t traits = fixture_scale() < 0.1 ? 2 : MODEL_TRAITS;
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        double logarithm = 0.0;
        for (uint32_t trait = 0; trait < traits; trait++) {
            rng r;
            rng_seed(&r, 900 + 10 * (uint64_t)kind + trait);
            model_case c =
                model_case_create((model_kind)kind, (model_trait)trait, 1.0, 0.0, TRIANGLES, &r);
            float placed[12];
            model_random_transform(&r, 1.0, placed);
            model_case_place(&c, trait % 2 == 1 ? placed : NULL);
            holder holders[HOLDERS];
            for (uint32_t i = 0; i < HOLDERS; i++) {
                holders[i] = holder_create(&c, i);
            }
            double excess = compare_holders(&c, holders, HOLDERS, &r);
            /* Boxes stay large where modes cancel nearly all of the rest positions. */
            logarithm += trait != MODEL_CANCELLED ? excess : 0.0;
            for (uint32_t i = 0; i < HOLDERS; i++) {
                holder_destroy(&holders[i]);
            }
            model_case_destroy(&c);
        }
        double mean = exp(logarithm / (traits > MODEL_CANCELLED ? traits - 1 : traits));
        print_message("  kind %d: boxes of %.3f times the smallest volume\n", kind, mean);
        assert_true(mean < most[kind]);
    }
}

/* Bodies given by positions, with and without a world transform: the smallest box. */
static void given_positions_have_the_smallest_box(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 31);
    model_case c = model_case_create(MODEL_RIGID, MODEL_SMOOTH, 1.0, 0.0, TRIANGLES, &r);
    float world[12];
    model_random_transform(&r, 1.0, world);
    float *moved = malloc(3 * (size_t)c.mesh.vertex_count * sizeof *moved);
    assert_non_null(moved);
    for (uint32_t i = 0; i < 2 * TREES * (PLIANT_UPDATE_FRONT + 1); i++) {
        pliant_shape *shape = fixture_shape(test_context, &c.mesh, trees[i / 2 % TREES]);
        pliant_body_def def = pliant_body_def_default();
        pliant_body *body = NULL;
        pliant_box box;
        def.update = (pliant_update)(i / 2 / TREES);
        assert_ok(pliant_body_create(shape, &def, &body));
        assert_ok(pliant_body_set_positions(body, c.positions, 0));
        memcpy(moved, c.positions, 3 * (size_t)c.mesh.vertex_count * sizeof *moved);
        if (i % 2 == 1) {
            assert_ok(pliant_body_set_world(body, world));
            model_move_points(world, c.positions, c.mesh.vertex_count, moved);
        }
        assert_ok(pliant_body_get_bounds(body, &box));
        assert_true(check_box(&box, moved, &c.mesh) == 1.0);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
    }
    free(moved);
    model_case_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_follows_from_the_state),
        cmocka_unit_test(given_positions_have_the_smallest_box),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
