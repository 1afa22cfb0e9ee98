/*
 * Islands: pieces with trees of their own, under a tree that follows the state. Bodies of every
 * kind and strategy against shapes made anew, steps and sweeps, blocks, forged ones too, workers
 * and instruction sets, failed allocations; and that pieces which fly apart do not make queries
 * slower.
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

static void how_islands_are_shared_out(void **state)
{
    (void)state;
    for (uint32_t arity = 2; arity <= 8; arity *= 2) {
        for (uint32_t count = 2; count < 700; count++) {
            uint32_t sizes[PLI_WIDTH], sum = 0, nodes = 1;
            uint32_t parts = pli_island_sizes(count, arity, sizes);
            assert_in_range(parts, 2, arity);
            for (uint32_t i = 0; i < parts; i++) {
                assert_true(sizes[i] >= 1 && sizes[0] - sizes[i] <= 1);
                sum += sizes[i];
                nodes += sizes[i] > 1 ? pli_count_top_nodes(sizes[i], arity) : 0;
            }
            assert_int_equal(sum, count);
            assert_int_equal(nodes, pli_count_top_nodes(count, arity));
        }
    }
}

/* Each child of a top node that is none itself holds whole pieces. */
static void trees_have_islands(void **state)
{
    (void)state;
    for (uint32_t arity = 2; arity <= 8; arity *= 2) {
        pieces p;
        pieces_def def = pieces_def_usual(PIECES_FREE, 3000);
        def.tree.arity = arity;
        pieces_create(&p, test_context, &def, 1);
        const pliant_shape *shape = p.shape;
        assert_true(shape->top_count > 1 && shape->island_count > p.piece_count / 2);
        assert_int_equal(shape->top_count, pli_count_top_nodes(shape->island_count, arity));
        assert_ok(pliant_shape_validate(shape));
        for (uint32_t n = 0; n < shape->node_count; n++) {
            assert_true(!shape->nodes[n].is_top || shape->nodes[n].vertices.extra_count == 0);
        }
        pieces_destroy(&p);
    }
}

/* What keeps a mesh from having any. */
static void who_has_none(void **state)
{
    (void)state;
    pieces p;
    pieces_def def = pieces_def_usual(PIECES_FREE, 2000);
    def.islands = PLIANT_ISLANDS_NEVER;
    pieces_create(&p, test_context, &def, 1);
    assert_int_equal(p.shape->top_count, 0);
    pliant_shape_def with_proxies = fixture_shape_def(&p.mesh);
    with_proxies.islands = PLIANT_ISLANDS_ALWAYS;
    with_proxies.proxy_triangles = 32;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(test_context, &with_proxies, &shape));
    assert_int_equal(shape->top_count, 0);
    pliant_shape_destroy(shape);
    pieces_destroy(&p);
    gallery_settings settings = {.seed = 1};
    gallery_scene *soup = gallery_create(&gallery_soup, &settings);
    pliant_shape_def crumbs = fixture_shape_def(&soup->bodies[0]);
    crumbs.islands = PLIANT_ISLANDS_ALWAYS;
    assert_ok(pliant_shape_create(test_context, &crumbs, &shape));
    assert_int_equal(shape->top_count, 0);
    pliant_shape_destroy(shape);
    crumbs.islands = (pliant_islands)3;
    assert_int_equal(pliant_shape_create(test_context, &crumbs, &shape), PLIANT_ERROR_RANGE);
    gallery_destroy(soup);
}

/* Pieces within each other are better off in one tree, unless islands are asked for. */
static void automatic_islands_cost_little(void **state)
{
    (void)state;
    enum { SPHERES = 12 };
    gallery_mesh ball, mesh;
    assert_true(mesh_make_sphere(500, &ball));
    for (int nested = 0; nested < 2; nested++) {
        assert_true(
            mesh_allocate(SPHERES * ball.vertex_count, SPHERES * ball.triangle_count, &mesh));
        for (uint32_t s = 0; s < SPHERES; s++) {
            for (uint32_t i = 0; i < 3 * ball.vertex_count; i++) {
                float x = ball.positions[i];
                mesh.positions[3 * s * ball.vertex_count + i] =
                    nested ? x * (1.0f + 0.001f * (float)s)
                           : x + (i % 3 == 0 ? 3.0f * (float)s : 0);
            }
            for (uint32_t i = 0; i < 3 * ball.triangle_count; i++) {
                mesh.triangles[3 * s * ball.triangle_count + i] =
                    ball.triangles[i] + s * ball.vertex_count;
            }
        }
        pliant_shape_def def = fixture_shape_def(&mesh);
        pliant_shape *shape = NULL;
        assert_ok(pliant_shape_create(test_context, &def, &shape));
        assert_int_equal(shape->island_count, nested ? 0 : SPHERES);
        pliant_shape_destroy(shape);
        mesh_free(&mesh);
    }
    mesh_free(&ball);
}

/* All kinds, strategies, bounds and trees, against shapes made anew. */
static void answers_are_those_of_new_shapes(void **state)
{
    (void)state;
    uint32_t cases = fixture_at_least(10, 60);
    for (uint32_t i = 0; i < cases; i++) {
        rng r;
        pieces p;
        rng_seed(&r, i);
        pieces_def def =
            pieces_def_usual((pieces_kind)(i % PIECES_KINDS), 600 + (uint32_t)rng_below(&r, 1500));
        def.body.update = updates[i / PIECES_KINDS % UPDATES];
        def.body.lazy_levels = 1 + (uint32_t)rng_below(&r, 2);
        def.body.eager_levels = (uint32_t)rng_below(&r, 6);
        def.body.coherent = rng_below(&r, 2) == 0;
        def.bound = (pliant_bound_kind)rng_below(&r, 4);
        def.tree.arity = 2u << rng_below(&r, 3);
        def.tree.leaf_size = 1 + (uint32_t)rng_below(&r, 8);
        def.tree.partition = (pliant_partition)rng_below(&r, 5);
        pieces_create(&p, test_context, &def, i);
        for (int step = 0; step < 5; step++) {
            pieces_draw(&p, &r, step == 0 ? 0.0 : rng_range(&r, 0.0, 1.0));
            assert_ok(pieces_set(&p));
            pieces_check(&p);
        }
        pieces_destroy(&p);
    }
}

/* Pieces that a step moves, against a body without islands. */
static void sweeps_have_islands(void **state)
{
    (void)state;
    for (int kind = 0; kind < PIECES_KINDS; kind++) {
        rng r;
        pieces p, plain;
        pieces_def def = pieces_def_usual((pieces_kind)kind, 900);
        pieces_create(&p, test_context, &def, 7);
        def.islands = PLIANT_ISLANDS_NEVER;
        pieces_create(&plain, test_context, &def, 7);
        assert_true(p.shape->top_count > 1 && plain.shape->top_count == 0);
        for (int step = 0; step < 4; step++) {
            pieces *both[2] = {&p, &plain};
            uint64_t hash[2];
            for (int i = 0; i < 2; i++) {
                pliant_meetings meetings;
                rng_seed(&r, (uint64_t)step);
                pieces_draw(both[i], &r, 0.2 * step);
                assert_ok(pliant_body_begin_step(both[i]->body));
                assert_ok(pieces_set(both[i]));
                assert_ok(pliant_find_meetings(both[i]->query, both[i]->body, both[i]->other, NULL,
                                               &meetings));
                hash[i] = meetings.count;
                hash[i] =
                    hash_bytes(hash[i], meetings.pairs, meetings.count * sizeof *meetings.pairs);
            }
            assert_int_equal(hash[0], hash[1]);
        }
        pieces_destroy(&p);
        pieces_destroy(&plain);
    }
}

/* Flies apart, and folds answers and counts. */
static uint64_t fly(pliant_context *context, pieces_kind kind, pliant_update update)
{
    rng r;
    pieces p;
    pieces_def def = pieces_def_usual(kind, 1500);
    def.body.update = update;
    pieces_create(&p, context, &def, 3);
    rng_seed(&r, 3);
    uint64_t hash = 0;
    for (int step = 0; step < 6; step++) {
        pieces_draw(&p, &r, 0.15 * step);
        assert_ok(pieces_set(&p));
        uint64_t answers = pieces_ask(&p, p.body, true);
        hash = hash_bytes(hash, &answers, sizeof answers);
    }
    pliant_body_quality quality;
    assert_ok(pliant_body_get_quality(p.body, &quality));
    assert_true(quality.sorts > 0 && quality.rebuilds == 0);
    hash = hash_bytes(hash, &quality.sorts, sizeof quality.sorts);
    pieces_destroy(&p);
    return hash;
}

static void counts_depend_on_no_machine(void **state)
{
    (void)state;
    for (int kind = 0; kind < PIECES_KINDS; kind++) {
        uint64_t expected = fly(test_context, (pieces_kind)kind, PLIANT_UPDATE_AUTO);
        for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
            pliant_context *context = fixture_context_with((pliant_isa)isa, 1 + (uint32_t)isa % 3);
            assert_int_equal(fly(context, (pieces_kind)kind, PLIANT_UPDATE_AUTO), expected);
            pliant_context_destroy(context);
        }
    }
}

/* Scenes: the answers and counts of any number of workers. */
static uint64_t fly_in_scene(uint32_t workers, pieces_kind kind)
{
    rng r;
    pieces p;
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, workers);
    pieces_def def = pieces_def_usual(kind, 2500);
    pliant_scene *scene = NULL;
    pieces_create(&p, context, &def, 3);
    rng_seed(&r, 3);
    uint64_t hash = 0;
    assert_ok(pliant_scene_create(context, NULL, &scene));
    assert_ok(pliant_scene_add(scene, p.body, NULL, &(pliant_body_id){0}));
    assert_ok(pliant_scene_add(scene, p.other, NULL, &(pliant_body_id){0}));
    for (int step = 0; step < 6; step++) {
        pliant_scene_contacts contacts;
        pieces_draw(&p, &r, 0.15 * step);
        assert_ok(pieces_set(&p));
        assert_ok(pliant_scene_collide(scene, NULL, &contacts));
        const pliant_stats *s = &pliant_scene_get_stats(scene)->narrow;
        const uint64_t counts[] = {s->nodes_refreshed, s->clusters_refreshed, s->vertices_read,
                                   s->nodes_tested,    s->bound_sizes,        s->bound_sizes_at_cut,
                                   contacts.count};
        hash = hash_bytes(hash, counts, sizeof counts);
    }
    pliant_scene_destroy(scene);
    pieces_destroy(&p);
    pliant_context_destroy(context);
    return hash;
}

static void counts_depend_on_no_workers(void **state)
{
    (void)state;
    static const uint32_t workers[] = {2, 3, 8};
    for (int kind = 0; kind < PIECES_KINDS; kind++) {
        uint64_t expected = fly_in_scene(1, (pieces_kind)kind);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(fly_in_scene(workers[i], (pieces_kind)kind), expected);
        }
    }
}

/* A false statement of a block about a node or about its setting. */
typedef struct forgery {
    uint32_t node;
    uint8_t is_top;
    uint32_t islands;     /* the setting */
    const char *sentence; /* what reading says */
} forgery;

/* Reads a shape's block, forged or not; NULL if it is refused. */
static pliant_shape *read_back(const pliant_shape *shape, const forgery *forged)
{
    uint64_t size = 0;
    pliant_shape *read = NULL;
    assert_ok(pliant_shape_write(shape, NULL, 0, &size));
    pli_block_header *block = aligned_alloc(64, (size_t)size);
    assert_ok(pliant_shape_write(shape, block, size, &size));
    if (forged != NULL) {
        ((pli_node *)pli_block_section(block, PLI_SECTION_NODES))[forged->node].is_top =
            forged->is_top;
        block->islands = forged->islands;
        pli_block_seal(block);
    }
    pliant_result result = pliant_shape_read(test_context, block, size, &read);
    assert_int_equal(result,
                     forged != NULL && forged->sentence != NULL ? PLIANT_ERROR_DATA : PLIANT_OK);
    if (result != PLIANT_OK) {
        assert_string_equal(pliant_last_error(), forged->sentence);
    }
    free(block);
    return read;
}

/* If the root of an island is marked as a top node, its children become islands: the same number of
   islands would have fewer top nodes. */
static void forge_islands_into_tops(const pliant_shape *shape)
{
    uint32_t refused = 0;
    for (uint32_t n = 0; n < shape->node_count; n++) {
        for (uint32_t i = 0; shape->nodes[n].is_top && i < shape->nodes[n].child_count; i++) {
            uint32_t child = shape->nodes[n].child[i];
            if (!(child & PLI_CLUSTER_BIT) && !shape->nodes[child].is_top) {
                const forgery forged = {child, 1, shape->block->islands,
                                        "shape block: wrong islands at 0"};
                assert_null(read_back(shape, &forged));
                refused++;
            }
        }
    }
    assert_true(refused > 0);
}

static void blocks_keep_islands(void **state)
{
    (void)state;
    pieces p;
    pieces_def def = pieces_def_usual(PIECES_BLENDED, 6000);
    pieces_create(&p, test_context, &def, 1);
    pliant_shape *read = read_back(p.shape, NULL);
    assert_int_equal(read->top_count, p.shape->top_count);
    assert_int_equal(read->island_count, p.shape->island_count);
    assert_memory_equal(read->cut_sizes, p.shape->cut_sizes, 4 * read->node_count);
    pliant_shape_destroy(read);
    const forgery forgeries[] = {
        {1, 0, PLIANT_ISLANDS_AUTO, "shape block: a wrong node at 1"},
        {0, 0, PLIANT_ISLANDS_AUTO, "shape block: a wrong node at 0"},
        {0, 2, PLIANT_ISLANDS_AUTO, "shape block: a wrong node at 0"},
        {0, 1, PLIANT_ISLANDS_ALWAYS + 1, "shape block: inconsistent counts at 0"},
    };
    for (size_t i = 0; i < sizeof forgeries / sizeof forgeries[0]; i++) {
        assert_null(read_back(p.shape, &forgeries[i]));
    }
    forge_islands_into_tops(p.shape);
    pieces_destroy(&p);
}

/* Whatever allocation fails: an error, or the right answer; and nothing is lost. */
static void failed_allocations_change_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < PIECES_KINDS; kind++) {
        uint64_t expected = 0;
        for (uint64_t at = 0; at < 40; at++) {
            counting_allocator allocator = {0};
            pliant_context *context = fixture_context(&allocator);
            rng r;
            pieces p;
            pieces_def def = pieces_def_usual((pieces_kind)kind, 1200);
            pieces_create(&p, context, &def, 3);
            rng_seed(&r, 5);
            pieces_draw(&p, &r, 0.4);
            allocator.fail_at = at > 0 ? allocator.calls + at : 0;
            pliant_contacts contacts;
            pliant_result result = pieces_set(&p);
            if (result == PLIANT_OK) {
                result = pliant_collide(p.query, p.body, p.other, NULL, &contacts);
            }
            assert_true(result == PLIANT_OK || result == PLIANT_ERROR_OUT_OF_MEMORY);
            allocator.fail_at = 0;
            assert_ok(pieces_set(&p));
            uint64_t answer = pieces_ask(&p, p.body, false);
            expected = at == 0 ? answer : expected;
            assert_int_equal(answer, expected);
            pieces_destroy(&p);
            pliant_context_destroy(context);
            assert_int_equal(allocator.live, 0);
        }
    }
}

/* Pieces that went elsewhere are sorted by where they are now. */
/* Squares of differences of floats are exact in double, and their sum is rounded far less than a
   radius would be. */
static uint32_t check_spheres(const pliant_body *body, uint32_t node, pli_node_record *record)
{
    uint32_t checked = 0;
    const pli_spheres *spheres = pli_record_spheres(record);
    for (uint32_t lane = 0; lane < body->nodes[node].child_count; lane++) {
        uint32_t child = body->nodes[node].child[lane];
        if (child & PLI_CLUSTER_BIT || !body->nodes[child].is_top) {
            continue;
        }
        double square = 0.0, radius = (double)spheres->radius[lane];
        for (int k = 0; k < 3; k++) {
            double centre = (double)spheres->centre[k][lane];
            double half = fmax((double)record->box.side[3 + k][lane] - centre,
                               centre - (double)record->box.side[k][lane]);
            square += half * half;
        }
        assert_true(square <= radius * radius);
        assert_true(square > 0.999 * radius * radius);
        checked += 1 + check_spheres(body, child, record->child[lane]);
    }
    return checked;
}

/* The sphere of a top node holds its box, however radii are rounded. */
static void spheres_hold_top_nodes(void **state)
{
    (void)state;
    rng r;
    pieces p;
    uint32_t checked = 0;
    pieces_def def = pieces_def_usual(PIECES_MODES, 5000);
    def.islands = PLIANT_ISLANDS_ALWAYS;
    def.bound = PLIANT_BOUND_SPHERE;
    pieces_create(&p, test_context, &def, 3);
    assert_true(pli_body_has_spheres(p.body));
    rng_seed(&r, 5);
    for (int step = 0; step < 10; step++) {
        pliant_contacts contacts;
        pieces_draw(&p, &r, 0.1 * step);
        assert_ok(pieces_set(&p));
        assert_ok(pliant_collide(p.query, p.body, p.other, NULL, &contacts));
        checked += check_spheres(p.body, 0, p.body->root.child[0]);
    }
    assert_true(checked > 50);
    pieces_destroy(&p);
}

static void islands_are_sorted_again(void **state)
{
    (void)state;
    rng r;
    pieces p;
    pieces_def def = pieces_def_usual(PIECES_FREE, 5000);
    def.islands = PLIANT_ISLANDS_ALWAYS;
    pieces_create(&p, test_context, &def, 3);
    rng_seed(&r, 5);
    uint64_t sorts = 0;
    for (int step = 0; step < 3; step++) {
        pliant_contacts contacts;
        pliant_body_quality quality;
        pieces_draw(&p, &r, step);
        assert_ok(pieces_set(&p));
        assert_ok(pliant_collide(p.query, p.body, p.other, NULL, &contacts));
        assert_ok(pliant_body_get_quality(p.body, &quality));
        assert_true(quality.sorts > sorts);
        sorts = quality.sorts;
    }
    pieces_destroy(&p);
}

/* However far pieces fly, their body is compared with another about as often as at first. */
static void trees_do_not_decay(void **state)
{
    (void)state;
    for (int kind = 0; kind < PIECES_KINDS; kind++) {
        uint64_t tested[2];
        for (int islands = 0; islands < 2; islands++) {
            rng r;
            pieces p;
            pliant_contacts contacts;
            pieces_def def = pieces_def_usual((pieces_kind)kind, 10000);
            def.islands = islands ? PLIANT_ISLANDS_ALWAYS : PLIANT_ISLANDS_NEVER;
            pieces_create(&p, test_context, &def, 3);
            rng_seed(&r, 5);
            pieces_draw(&p, &r, 1.0);
            assert_ok(pieces_set(&p));
            assert_ok(pliant_collide(p.query, p.body, p.other, NULL, &contacts));
            tested[islands] = pliant_query_get_stats(p.query)->nodes_tested;
            pieces_destroy(&p);
        }
        assert_true(4 * tested[1] < tested[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_islands_are_shared_out),
        cmocka_unit_test(trees_have_islands),
        cmocka_unit_test(who_has_none),
        cmocka_unit_test(automatic_islands_cost_little),
        cmocka_unit_test(answers_are_those_of_new_shapes),
        cmocka_unit_test(sweeps_have_islands),
        cmocka_unit_test(counts_depend_on_no_machine),
        cmocka_unit_test(counts_depend_on_no_workers),
        cmocka_unit_test(blocks_keep_islands),
        cmocka_unit_test(failed_allocations_change_nothing),
        cmocka_unit_test(spheres_hold_top_nodes),
        cmocka_unit_test(islands_are_sorted_again),
        cmocka_unit_test(trees_do_not_decay),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
