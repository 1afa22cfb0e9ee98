/*
 * Trees that are built anew: random programs of moves and rebuilds against shapes made anew, for
 * every kind and strategy; what AUTO decides, the same for any workers and instruction sets; steps
 * across a rebuild; failed allocations; memory that stays bounded; and what does not rebuild.
 */
#include "pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/body.h"
#include "failing_memory.h"

static const pliant_update updates[] = {PLIANT_UPDATE_AUTO, PLIANT_UPDATE_BOTTOM_UP,
                                        PLIANT_UPDATE_TOP_DOWN, PLIANT_UPDATE_HYBRID,
                                        PLIANT_UPDATE_FRONT};
enum { UPDATES = sizeof updates / sizeof updates[0] };

/* A tree for where the body is now, at once. */
static pliant_result rebuild(pieces *p)
{
    pliant_shape *derived = NULL;
    float *positions = malloc(3 * (size_t)p->mesh.vertex_count * sizeof *positions);
    assert_ok(pliant_body_evaluate(p->body, NULL, p->mesh.vertex_count, positions));
    pliant_result result = pli_shape_derive(p->body->shape, positions, &derived);
    free(positions);
    if (result == PLIANT_OK) {
        result = pli_body_replace_shape(p->body, derived);
        if (result != PLIANT_OK) {
            pliant_shape_destroy(derived);
        }
    }
    return result;
}

/* A derived shape keeps all but the tree, and passes the check of any block. */
static void derived_shapes_are_sound(void **state)
{
    (void)state;
    for (int kind = 0; kind < PIECES_KINDS; kind++) {
        for (int partition = 0; partition <= PLIANT_PARTITION_COVARIANCE; partition++) {
            rng r;
            pieces p;
            pieces_def def = pieces_def_usual((pieces_kind)kind, 900);
            def.tree.partition = (pliant_partition)partition;
            def.bound = (pliant_bound_kind)(partition % 4);
            def.islands = (pliant_islands)(partition % 3);
            pieces_create(&p, test_context, &def, 1);
            rng_seed(&r, 1);
            pieces_draw(&p, &r, 0.5);
            assert_ok(pieces_set(&p));
            assert_ok(rebuild(&p));
            const pliant_shape *derived = p.body->shape;
            pli_block_seal(derived->block);
            assert_ok(pliant_shape_validate(derived));
            assert_ptr_equal(pliant_body_get_shape(p.body), p.shape);
            assert_ptr_not_equal(derived, p.shape);
            const pli_section kept[] = {PLI_SECTION_POSITIONS, PLI_SECTION_TRIANGLES,
                                        PLI_SECTION_WELDED, PLI_SECTION_GROUPS, PLI_SECTION_REACH};
            for (int i = 0; i < 5; i++) {
                size_t size =
                    (size_t)p.shape->block->count[kept[i]] * pli_section_element_size(kept[i]);
                assert_int_equal(derived->block->count[kept[i]], p.shape->block->count[kept[i]]);
                assert_memory_equal(pli_block_section(derived->block, kept[i]),
                                    pli_block_section(p.shape->block, kept[i]), size);
            }
            assert_memory_equal(&derived->block->model, &p.shape->block->model, sizeof(pli_model));
            assert_int_equal(derived->block->quality.component_count,
                             p.shape->block->quality.component_count);
            pieces_destroy(&p);
        }
    }
}

/* Cut where it was cut before, a shape comes out the same but for the tree of connectivity. */
static void derived_at_rest_is_the_same(void **state)
{
    (void)state;
    for (int kind = 0; kind < PIECES_KINDS; kind++) {
        pieces p;
        pliant_shape *derived = NULL;
        pieces_def def = pieces_def_usual((pieces_kind)kind, 1500);
        pieces_create(&p, test_context, &def, 1);
        assert_ok(pli_shape_derive(p.shape, p.shape->positions, &derived));
        pli_block_seal(derived->block);
        assert_int_equal(derived->block->size, p.shape->block->size);
        assert_memory_equal(derived->block, p.shape->block, (size_t)derived->block->size);
        pliant_shape_destroy(derived);
        pieces_destroy(&p);
    }
}

static void random_programs(void **state)
{
    (void)state;
    uint32_t programs = fixture_at_least(8, 40);
    for (uint32_t i = 0; i < programs; i++) {
        rng r;
        pieces p;
        rng_seed(&r, 100 + i);
        pieces_def def =
            pieces_def_usual((pieces_kind)(i % PIECES_KINDS), 400 + (uint32_t)rng_below(&r, 1500));
        def.islands = (pliant_islands)rng_below(&r, 3);
        def.body.update = updates[i / PIECES_KINDS % UPDATES];
        def.body.lazy_levels = 1 + (uint32_t)rng_below(&r, 2);
        def.body.coherent = rng_below(&r, 2) == 0;
        def.body.rebuild = (pliant_rebuild)rng_below(&r, 2);
        def.bound = (pliant_bound_kind)rng_below(&r, 4);
        def.tree.arity = 2u << rng_below(&r, 3);
        def.tree.leaf_size = 1 + (uint32_t)rng_below(&r, 8);
        def.tree.partition = (pliant_partition)rng_below(&r, 5);
        pieces_create(&p, test_context, &def, i);
        for (int step = 0; step < 12; step++) {
            switch (rng_below(&r, 7)) {
            case 0:
                assert_ok(rebuild(&p));
                break;
            case 6:
                pli_body_ask_rebuild(p.body);
                break;
            case 1:
                assert_ok(pliant_body_begin_step(p.body));
                break;
            case 2:
                assert_ok(pliant_body_end_step(p.body));
                break;
            case 3:
                assert_ok(pliant_body_set_update(p.body, updates[rng_below(&r, UPDATES)],
                                                 (uint32_t)rng_below(&r, 5), 1));
                break;
            default:
                pieces_draw(&p, &r, rng_range(&r, 0.0, 1.0));
                assert_ok(pieces_set(&p));
                break;
            }
            if (step % 3 == 2) {
                pieces_check(&p);
            }
        }
        pieces_destroy(&p);
    }
}

/* A step that a rebuild comes into the middle of, against a body that is never built anew. */
static void steps_go_on(void **state)
{
    (void)state;
    for (int kind = 0; kind < PIECES_KINDS; kind++) {
        pieces p[2];
        for (int i = 0; i < 2; i++) {
            pieces_def def = pieces_def_usual((pieces_kind)kind, 700);
            def.islands = PLIANT_ISLANDS_NEVER;
            pieces_create(&p[i], test_context, &def, 2);
        }
        for (int step = 0; step < 5; step++) {
            uint64_t hash[2];
            for (int i = 0; i < 2; i++) {
                rng r;
                pliant_meetings meetings;
                rng_seed(&r, (uint64_t)step);
                pieces_draw(&p[i], &r, 0.3);
                assert_ok(pliant_body_begin_step(p[i].body));
                assert_ok(pieces_set(&p[i]));
                if (i == 1 && step % 2 == 1) { /* with a sweep that is there, and without one */
                    assert_ok(rebuild(&p[i]));
                }
                assert_ok(pliant_find_meetings(p[i].query, p[i].body, p[i].other, NULL, &meetings));
                hash[i] = hash_bytes(meetings.count, meetings.pairs,
                                     meetings.count * sizeof *meetings.pairs);
            }
            assert_int_equal(hash[0], hash[1]);
        }
        pieces_destroy(&p[0]);
        pieces_destroy(&p[1]);
    }
}

/* --------------------------------------------------------- what AUTO does */

typedef struct flight {
    uint64_t hash, rebuilds, tests; /* tests in the last state */
} flight;

/* Asks about the body and the ball so often. */
static pliant_result ask_often(pieces *p, int often)
{
    pliant_result result = PLIANT_OK;
    for (int i = 0; i < often && result == PLIANT_OK; i++) {
        pliant_contacts contacts;
        result = pliant_collide(p->query, p->body, p->other, NULL, &contacts);
    }
    return result;
}

/* A plate in pieces flies apart and is asked about in every state. */
static flight fly(pliant_context *context, pieces_kind kind, pliant_rebuild rebuilds, int often)
{
    rng r;
    pieces p;
    flight f = {0, 0, 0};
    pieces_def def = pieces_def_usual(kind, 3000);
    def.islands = PLIANT_ISLANDS_NEVER;
    def.body.rebuild = rebuilds;
    pieces_create(&p, context, &def, 3);
    pliant_body_quality quality = {0};
    for (int step = 0; step < 14; step++) {
        rng_seed(&r, 3); /* pieces keep their directions */
        pieces_draw(&p, &r, 0.12 * (step < 5 ? step : 5));
        assert_ok(pieces_set(&p));
        uint64_t answers = pieces_ask(&p, p.body, true);
        f.hash = hash_bytes(f.hash, &answers, sizeof answers);
        assert_ok(ask_often(&p, often));
        if (step == 8 && kind != PIECES_FREE) { /* whose trees cost more than is lost here */
            pli_body_ask_rebuild(p.body);
        }
        assert_ok(pliant_body_get_quality(p.body, &quality));
        const double figures[] = {quality.growth, quality.body_growth, quality.decay};
        f.hash = hash_bytes(f.hash, figures, sizeof figures);
        f.hash = hash_bytes(f.hash, &quality.rebuilds, sizeof quality.rebuilds);
    }
    pliant_contacts contacts;
    assert_ok(pliant_collide_self(p.query, p.body, NULL, &contacts));
    f.rebuilds = quality.rebuilds;
    f.tests = pliant_query_get_stats(p.query)->nodes_tested;
    if (rebuilds == PLIANT_REBUILD_AUTO) {
        pieces_check(&p);
    }
    pieces_destroy(&p);
    return f;
}

static void decay_leads_to_a_new_tree(void **state)
{
    (void)state;
    for (int kind = 0; kind < PIECES_KINDS; kind++) {
        flight never = fly(test_context, (pieces_kind)kind, PLIANT_REBUILD_NEVER, 1);
        flight always = fly(test_context, (pieces_kind)kind, PLIANT_REBUILD_AUTO, 20);
        assert_int_equal(never.rebuilds, 0);
        assert_in_range(always.rebuilds, 1, 8);
        /* Pieces that each mode moves elsewhere are bounded loosely together wherever they are. */
        uint64_t most = kind == PIECES_MODES ? never.tests + never.tests / 8 : never.tests / 4 * 3;
        if (always.tests > most) {
            fail_msg("kind %d: %u rebuilds, %u tests instead of %u", kind,
                     (unsigned)always.rebuilds, (unsigned)always.tests, (unsigned)never.tests);
        }
    }
}

static void decisions_depend_on_no_machine(void **state)
{
    (void)state;
    flight expected = fly(test_context, PIECES_FREE, PLIANT_REBUILD_AUTO, 10);
    for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
        pliant_context *context = fixture_context_with((pliant_isa)isa, 1 + (uint32_t)isa % 3);
        flight f = fly(context, PIECES_FREE, PLIANT_REBUILD_AUTO, 10);
        assert_int_equal(f.hash, expected.hash);
        pliant_context_destroy(context);
    }
}

/* Scenes: trees are built by workers in passing, or not, and taken into use with the same state. */
static uint64_t fly_in_scene(uint32_t workers, pieces_kind kind, uint64_t *rebuilds)
{
    rng r;
    pieces p;
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, workers);
    pieces_def def = pieces_def_usual(kind, 3000);
    def.islands = PLIANT_ISLANDS_NEVER;
    def.body.rebuild = PLIANT_REBUILD_AUTO;
    pliant_scene *scene = NULL;
    pliant_body_quality quality = {0};
    pieces_create(&p, context, &def, 3);
    uint64_t hash = 0;
    pliant_member_def member = pliant_member_def_default();
    member.self = true;
    assert_ok(pliant_scene_create(context, NULL, &scene));
    assert_ok(pliant_scene_add(scene, p.body, &member, &(pliant_body_id){0}));
    assert_ok(pliant_scene_add(scene, p.other, NULL, &(pliant_body_id){0}));
    for (int step = 0; step < 12; step++) {
        pliant_scene_contacts contacts;
        rng_seed(&r, 3);
        pieces_draw(&p, &r, 0.2 * (step < 3 ? step : 3));
        assert_ok(pieces_set(&p));
        for (int i = 0; i < 6; i++) {
            assert_ok(pliant_scene_collide(scene, NULL, &contacts));
            const pliant_stats *s = &pliant_scene_get_stats(scene)->narrow;
            const uint64_t counts[] = {s->nodes_refreshed, s->clusters_refreshed,
                                       s->vertices_read,   s->nodes_tested,
                                       s->bound_sizes,     s->bound_sizes_at_cut};
            hash = hash_bytes(hash, counts, sizeof counts);
            hash = hash_bytes(hash, contacts.pairs, contacts.count * sizeof *contacts.pairs);
        }
        assert_ok(pliant_body_get_quality(p.body, &quality));
        hash = hash_bytes(hash, &quality, sizeof quality);
        if (step == 4 && kind != PIECES_FREE) { /* whose trees cost more than is lost here */
            pli_body_ask_rebuild(p.body);
        }
    }
    *rebuilds = quality.rebuilds;
    pliant_scene_destroy(scene);
    pieces_destroy(&p);
    pliant_context_destroy(context);
    return hash;
}

static void decisions_depend_on_no_workers(void **state)
{
    (void)state;
    static const uint32_t workers[] = {2, 3};
    for (int kind = 0; kind < PIECES_KINDS; kind += 3) { /* free and blended ones */
        uint64_t rebuilds = 0, expected = fly_in_scene(1, (pieces_kind)kind, &rebuilds);
        assert_true(rebuilds > 0);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(fly_in_scene(workers[i], (pieces_kind)kind, &rebuilds), expected);
        }
    }
}

/* What does not pull bounds apart does not lead to a new tree: bodies that are carried about, that
   grow all over, that roll up. */
static void trees_that_hold_stay(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 4000, .steps = 30, .seed = 1};
    const gallery_kind *kinds[] = {&gallery_cloth, &gallery_spheres, &gallery_bowl};
    for (int k = 0; k < 3; k++) {
        gallery_scene *scene = gallery_create(kinds[k], &settings);
        pliant_body_def def = pliant_body_def_default();
        def.rebuild = PLIANT_REBUILD_AUTO;
        pliant_shape *shape = fixture_shape(test_context, &scene->bodies[0], fixture_usual_tree);
        pliant_body *body = NULL;
        float *positions = malloc(3 * (size_t)scene->bodies[0].vertex_count * sizeof *positions);
        assert_ok(pliant_body_create(shape, &def, &body));
        pliant_body_quality quality;
        for (uint32_t step = 0; step <= scene->steps; step++) {
            gallery_evaluate(scene, 0, step, positions);
            for (uint32_t i = 0; i < 3 * scene->bodies[0].vertex_count; i++) {
                positions[i] *= 1.0f + 0.3f * (float)step; /* ten times as large in the end */
            }
            assert_ok(pliant_body_set_positions(body, positions, 0));
            for (int i = 0; i < 3; i++) {
                pliant_contacts contacts;
                assert_ok(pliant_collide_self(test_query, body, NULL, &contacts));
            }
            assert_ok(pliant_body_get_quality(body, &quality));
            assert_true(quality.decay < 1.5);
        }
        assert_int_equal(quality.rebuilds, 0);
        assert_true(quality.body_growth > 3.0);
        free(positions);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
        gallery_destroy(scene);
    }
}

/* The measure: nothing before a query, 1 at rest, and with uniform growth. */
static void quality_is_measured(void **state)
{
    (void)state;
    pieces p;
    pieces_def def = pieces_def_usual(PIECES_FREE, 2000);
    pliant_body_quality quality;
    def.islands = PLIANT_ISLANDS_NEVER;
    for (int u = 0; u < UPDATES; u++) {
        def.body.update = updates[u];
        pieces_create(&p, test_context, &def, 1);
        assert_ok(pliant_body_get_quality(p.body, &quality));
        assert_true(quality.nodes == 0 && quality.growth == 1.0 && quality.decay == 1.0 &&
                    quality.body_growth == 1.0);
        assert_ok(pliant_body_prepare(p.body));
        assert_ok(pliant_body_get_quality(p.body, &quality));
        assert_int_equal(quality.nodes, p.shape->node_count);
        assert_true(fabs(quality.growth - 1.0) < 1e-3 && fabs(quality.body_growth - 1.0) < 1e-6);
        for (uint32_t i = 0; i < 3 * p.mesh.vertex_count; i++) {
            p.positions[i] = 4.0f * p.mesh.positions[i];
        }
        assert_ok(pliant_body_set_positions(p.body, p.positions, 0));
        assert_ok(pliant_body_prepare(p.body));
        assert_ok(pliant_body_get_quality(p.body, &quality));
        assert_true(fabs(quality.growth - 4.0) < 1e-2 && fabs(quality.decay - 1.0) < 1e-2);
        pieces_destroy(&p);
    }
    assert_int_equal(pliant_body_get_quality(NULL, &quality), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_body_get_quality(p.body, NULL), PLIANT_ERROR_ARGUMENT);
}

/* A body that is one point when its tree is cut, and as large as can be. */
static void extremes_are_measured(void **state)
{
    (void)state;
    static const uint32_t triangles[6] = {0, 1, 2, 1, 2, 3};
    static const float points[12];
    static const float huge[12] = {-3e38f, -3e38f, -3e38f, 3e38f,  3e38f, 3e38f,
                                   3e38f,  -3e38f, 3e38f,  -3e38f, 3e38f, 0.0f};
    for (int i = 0; i < 4; i++) {
        pliant_shape_def def = pliant_shape_def_default();
        def.positions = i % 2 ? huge : points;
        def.vertex_count = 4;
        def.triangles = triangles;
        def.triangle_count = 2;
        pliant_body_def body_def = pliant_body_def_default();
        body_def.rebuild = PLIANT_REBUILD_AUTO;
        pliant_shape *shape = NULL;
        pliant_body *body = NULL;
        pliant_body_quality quality;
        assert_ok(pliant_shape_create(test_context, &def, &shape));
        assert_ok(pliant_body_create(shape, &body_def, &body));
        for (int state_number = 0; state_number < 4; state_number++) {
            assert_ok(
                pliant_body_set_positions(body, (i + state_number) / 2 % 2 ? huge : points, 0));
            assert_ok(pliant_body_prepare(body));
            assert_ok(pliant_body_get_quality(body, &quality));
            assert_true(isfinite(quality.growth) && isfinite(quality.decay) &&
                        isfinite(quality.body_growth));
        }
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
    }
}

static void who_is_refused(void **state)
{
    (void)state;
    gallery_mesh ball;
    assert_true(mesh_make_sphere(300, &ball));
    pliant_shape_def def = fixture_shape_def(&ball);
    def.proxy_triangles = 16;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_body_def body_def = pliant_body_def_default();
    assert_int_equal(body_def.rebuild, PLIANT_REBUILD_NEVER);
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    body_def.rebuild = PLIANT_REBUILD_AUTO;
    assert_int_equal(pliant_body_create(shape, &body_def, &body), PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "proxies"));
    body_def.rebuild = (pliant_rebuild)2;
    assert_int_equal(pliant_body_create(shape, &body_def, &body), PLIANT_ERROR_RANGE);
    pliant_shape_destroy(shape);
    mesh_free(&ball);
}

/* ------------------------------------------------------------------ memory */

/* One flight in which allocation `at` from some state on fails, once or with all behind it. */
static uint64_t fly_without_memory(pieces_kind kind, uint64_t at, bool from_there, uint64_t *calls)
{
    rng r;
    pieces p;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pieces_def def = pieces_def_usual(kind, 700);
    def.islands = PLIANT_ISLANDS_NEVER;
    def.body.rebuild = PLIANT_REBUILD_AUTO;
    def.body.coherent = true;
    pieces_create(&p, context, &def, 3);
    uint64_t begun = allocator.calls;
    allocator.fail_at = at > 0 ? begun + at : 0;
    allocator.fail_from_there = from_there;
    for (int step = 0; step < 8; step++) {
        rng_seed(&r, 3);
        pieces_draw(&p, &r, 0.2 * step);
        pliant_result result = pieces_set(&p);
        result = result == PLIANT_OK ? ask_often(&p, 1) : result;
        if (step % 2 == 0) {
            pli_body_ask_rebuild(p.body);
        }
        assert_true(result == PLIANT_OK || result == PLIANT_ERROR_OUT_OF_MEMORY);
    }
    *calls = allocator.calls - begun;
    allocator.fail_at = 0;
    allocator.fail_from_there = false;
    pliant_body_quality quality;
    assert_ok(pliant_body_get_quality(p.body, &quality));
    assert_true(at > 0 || quality.rebuilds > 0);
    assert_ok(pieces_set(&p));
    uint64_t answer = pieces_ask(&p, p.body, false);
    pieces_destroy(&p);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
    return answer;
}

static void failed_allocations_change_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < PIECES_KINDS; kind++) {
        uint64_t calls = 0, ignored = 0;
        uint64_t expected = fly_without_memory((pieces_kind)kind, 0, false, &calls);
        uint64_t step = 1 + calls / fixture_at_least(6, 25);
        for (uint64_t at = 1; at <= calls; at += step) {
            for (int from_there = 0; from_there < 2; from_there++) {
                assert_int_equal(
                    fly_without_memory((pieces_kind)kind, at, from_there != 0, &ignored), expected);
            }
        }
    }
}

/* However often a tree is built anew, nothing is kept of the old ones. */
static void memory_stays_bounded(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    rng r;
    pieces p;
    pieces_def def = pieces_def_usual(PIECES_FREE, 300);
    pieces_create(&p, context, &def, 3);
    rng_seed(&r, 1);
    uint64_t most = 0, rebuilds = fixture_at_least(60, 2000);
    for (uint64_t i = 0; i < rebuilds; i++) {
        pieces_draw(&p, &r, 0.5);
        assert_ok(pieces_set(&p));
        assert_ok(rebuild(&p));
        pliant_contacts contacts;
        assert_ok(pliant_collide(p.query, p.body, p.other, NULL, &contacts));
        if (i == 20) {
            most = allocator.live_bytes + allocator.live_bytes / 4;
        }
        assert_true(i <= 20 || allocator.live_bytes <= most);
    }
    pliant_body_memory memory = pliant_body_get_memory(p.body);
    assert_true(memory.bounds > pliant_shape_get_memory(p.body->shape));
    pieces_destroy(&p);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

/* Positions that are borrowed may change before the tree for them is built, and those that are not
   finite are named by queries alone. */
static void borrowed_positions(void **state)
{
    (void)state;
    rng r;
    pieces p;
    pieces_def def = pieces_def_usual(PIECES_FREE, 1500);
    def.islands = PLIANT_ISLANDS_NEVER;
    def.body.rebuild = PLIANT_REBUILD_AUTO;
    pieces_create(&p, test_context, &def, 3);
    pliant_body_quality quality = {0};
    for (int step = 0; step < 12; step++) {
        rng_seed(&r, (uint64_t)step);
        pieces_draw(&p, &r, 0.5);
        if (step % 4 == 3) {
            p.positions[30] = NAN;
        }
        pliant_result expected = step % 4 == 3 ? PLIANT_ERROR_NOT_FINITE : PLIANT_OK;
        assert_ok(pliant_body_share_positions(p.body, p.positions, 0));
        assert_ok(ask_often(&p, expected == PLIANT_OK ? 2 : 0));
        if (step % 3 != 0) {
            pli_body_ask_rebuild(p.body);
        }
        assert_int_equal(pliant_body_prepare(p.body), expected);
    }
    assert_ok(pliant_body_get_quality(p.body, &quality));
    assert_true(quality.rebuilds > 0);
    pieces_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derived_shapes_are_sound),
        cmocka_unit_test(derived_at_rest_is_the_same),
        cmocka_unit_test(random_programs),
        cmocka_unit_test(steps_go_on),
        cmocka_unit_test(decay_leads_to_a_new_tree),
        cmocka_unit_test(decisions_depend_on_no_machine),
        cmocka_unit_test(decisions_depend_on_no_workers),
        cmocka_unit_test(trees_that_hold_stay),
        cmocka_unit_test(quality_is_measured),
        cmocka_unit_test(extremes_are_measured),
        cmocka_unit_test(who_is_refused),
        cmocka_unit_test(failed_allocations_change_nothing),
        cmocka_unit_test(memory_stays_bounded),
        cmocka_unit_test(borrowed_positions),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, test_query_tear_down);
}
