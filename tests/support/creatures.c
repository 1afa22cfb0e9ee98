#include "creatures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool one_in(life *l, uint64_t n)
{
    return rng_below(&l->r, n) == 0;
}

void fold(life *l, const void *bytes, size_t size)
{
    l->hash = hash_bytes(l->hash, bytes, size);
}

void fold_number(life *l, uint64_t number)
{
    fold(l, &number, sizeof number);
}

/* ------------------------------------------------------------------- bodies */

/* A shape as it is, or written and borrowed. */
static void make_shape(life *l, uint32_t i, const model_case *c)
{
    l->mesh_shape[i] = fixture_shape(l->plain, &c->mesh, fixture_usual_tree);
    l->shape[i] = model_case_shape(l->context, c, PLIANT_BOUND_AUTO, fixture_usual_tree);
    if (one_in(l, 2)) {
        uint64_t size = 0;
        assert_ok(pliant_shape_write(l->shape[i], NULL, 0, &size));
        l->block[i] = aligned_alloc(64, ((size_t)size + 63) / 64 * 64);
        assert_ok(pliant_shape_write(l->shape[i], l->block[i], size, &size));
        pliant_shape_destroy(l->shape[i]);
        assert_ok(pliant_shape_borrow(l->context, l->block[i], size, NULL, NULL, &l->shape[i]));
    }
}

static void create_creatures(life *l)
{
    for (uint32_t i = 0; i < MOST; i++) {
        creature *b = &l->one[i];
        b->shape = i % SHAPES;
        model_kind kind = b->shape < MODEL_KINDS ? (model_kind)b->shape : MODEL_RIGID;
        rng same;
        rng_seed(&same, b->shape); /* bodies of one shape have one mesh and model */
        b->c = model_case_create(kind, b->shape % 2 == 0 ? MODEL_ROUGH : MODEL_SMOOTH, 1.0, 0.0, 50,
                                 &same);
        b->c.proxy_triangles = 8;
        if (b->shape == FREE) {
            b->c.model.joint_count = 0;
        }
        if (i < SHAPES) {
            make_shape(l, i, &b->c);
        }
        pliant_body_def def = pliant_body_def_default();
        def.update = (pliant_update)rng_below(&l->r, PLIANT_UPDATE_FRONT + 1);
        def.coherent = one_in(l, 3);
        assert_ok(pliant_body_create(l->shape[b->shape], &def, &b->body));
        assert_ok(pliant_body_create(l->mesh_shape[b->shape], NULL, &b->twin));
        b->borrowed = b->held = -1;
        size_t numbers = 3 * (size_t)b->c.mesh.vertex_count;
        float *room = calloc(4 * numbers, sizeof *room);
        assert_non_null(room);
        for (size_t k = 0; k < 3; k++) {
            b->shared[k] = room + k * numbers;
        }
        b->start = room + 3 * numbers;
    }
}

static void copy_twin(creature *b)
{
    uint32_t count = b->c.mesh.vertex_count;
    float *at = malloc(3 * (size_t)count * sizeof *at);
    assert_non_null(at);
    assert_ok(pliant_body_evaluate(b->body, NULL, count, at));
    assert_ok(pliant_body_set_positions(b->twin, at, 0));
    free(at);
}

void begin_twin(creature *b)
{
    copy_twin(b);
    assert_ok(pliant_body_end_step(b->twin));
    if (b->starts) {
        assert_ok(pliant_body_set_positions(b->twin, b->start, 0));
        assert_ok(pliant_body_begin_step(b->twin));
        copy_twin(b);
    }
}

void update_twins(life *l)
{
    for (int i = 0; i < MOST && l->checks; i++) {
        copy_twin(&l->one[i]);
    }
}

static void random_world(life *l, float rows[12])
{
    model_random_transform(&l->r, rng_unit(&l->r), rows);
    double far = one_in(l, 20) ? 0x1p60 : 1.0; /* where vector kernels do not go */
    for (int k = 0; k < 3; k++) {
        rows[4 * k + 3] = (float)(far * rng_range(&l->r, -1.5, 1.5));
    }
}

/* What a body is given next; `world` has room for a transform. */
static pliant_state next_state(life *l, creature *b, float world[12])
{
    pliant_state s = {0};
    uint64_t parts = 1 + rng_below(&l->r, 3);
    if (b->shape >= FREE && (parts & 1)) {
        int to = 0; /* what nobody borrows */
        while (to == b->borrowed || to == b->held) {
            to++;
        }
        for (uint32_t i = 0; i < 3 * b->c.mesh.vertex_count; i++) {
            b->shared[to][i] = b->c.mesh.positions[i] + (float)rng_range(&l->r, -0.1, 0.1);
        }
        s.positions = b->shared[to];
        s.shares_positions = one_in(l, 2);
        b->borrowed = s.shares_positions ? to : -1; /* whoever calls this sets it in the end */
    }
    if (b->shape != FREE && (b->shape < FREE || (parts & 2))) {
        model_case_move(&b->c, &l->r, one_in(l, 2));
        s.coordinates = b->c.model.mode_count > 0 && (parts & 1) ? b->c.coordinates : NULL;
        s.coordinate_count = b->c.model.mode_count;
        s.transforms = b->c.model.joint_count > 0 && (parts & 2) ? b->c.transforms : NULL;
        s.transform_count = b->c.model.joint_count;
    }
    if ((s.positions == NULL && s.coordinates == NULL && s.transforms == NULL) || one_in(l, 3)) {
        random_world(l, world);
        s.world = world;
    }
    return s;
}

static uint64_t where_all_are(const life *l)
{
    uint64_t hash = 1;
    for (int i = 0; i < MOST; i++) {
        float at[3];
        for (uint32_t v = 0; v < l->one[i].c.mesh.vertex_count; v += 7) {
            assert_ok(pliant_body_evaluate(l->one[i].body, &v, 1, at));
            hash = hash_bytes(hash, at, sizeof at);
        }
    }
    return hash;
}

void set_states(life *l)
{
    pliant_scene_state states[MOST];
    float worlds[MOST][12], bad[12] = {0};
    uint32_t count = 0;
    for (int i = 0; i < MOST; i++) {
        creature *b = &l->one[i];
        if (one_in(l, 3)) {
            continue;
        }
        pliant_state s = next_state(l, b, worlds[i]);
        if (b->present) {
            states[count++] = (pliant_scene_state){b->id, s};
        } else {
            assert_ok(pliant_body_set_state(b->body, &s));
        }
    }
    if (count > 0 && one_in(l, 3)) {
        uint32_t which = (uint32_t)rng_below(&l->r, count);
        pliant_scene_state kept = states[which];
        uint64_t before = where_all_are(l);
        bad[3] = one_in(l, 2) ? NAN : 0.0f; /* not finite, or singular */
        states[which].state.world = bad;
        if (one_in(l, 4)) {
            states[which] = states[(which + 1) % count];
            states[which].body.generation += count == 1;
        }
        assert_int_not_equal(pliant_scene_set_states(l->scene, states, count), PLIANT_OK);
        assert_true(where_all_are(l) == before);
        states[which] = kept;
    }
    assert_ok(pliant_scene_set_states(l->scene, states, count));
}

static void set_matrices(creature *b)
{
    uint32_t joints = b->c.model.joint_count;
    float *matrices = calloc(17 * (size_t)joints, sizeof *matrices);
    assert_non_null(matrices);
    for (uint32_t j = 0; j < joints; j++) {
        for (uint32_t i = 0; i < 12; i++) {
            matrices[17 * j + 4 * (i % 4) + i / 4] = b->c.transforms[12 * j + i];
        }
        matrices[17 * j + 15] = 1.0f;
    }
    assert_ok(pliant_body_set_matrices(b->body, matrices, joints, 17 * sizeof *matrices));
    free(matrices);
}

void change_body(life *l, creature *b)
{
    float world[12];
    switch (rng_below(&l->r, 6)) {
    case 0:
        assert_ok(pliant_body_set_world(b->body, NULL));
        break;
    case 1:
        random_world(l, world);
        assert_ok(pliant_body_set_world(b->body, world));
        break;
    case 2:
        if (b->c.model.joint_count > 0) {
            model_case_move(&b->c, &l->r, true);
            set_matrices(b);
        }
        break;
    case 3:
        assert_ok(pliant_body_evaluate(b->body, NULL, b->c.mesh.vertex_count, b->start));
        assert_ok(pliant_body_begin_step(b->body));
        b->starts = true;
        b->held = b->borrowed;
        break;
    case 4:
        assert_ok(pliant_body_end_step(b->body));
        b->starts = false;
        b->held = -1;
        break;
    default:
        assert_ok(pliant_body_set_update(b->body, (pliant_update)rng_below(&l->r, 5), 0, 1));
    }
}

/* ------------------------------------------------------------------ members */

static pliant_member_def random_member(life *l)
{
    static const uint64_t groups[2] = {1, 2}; /* all triangles, and none */
    pliant_member_def def = pliant_member_def_default();
    def.category = 1 + rng_below(&l->r, 3);
    def.mask = one_in(l, 2) ? UINT64_MAX : 1 + rng_below(&l->r, 3);
    def.self = one_in(l, 4);
    def.is_static = one_in(l, 3);
    def.proxies = one_in(l, 2);
    if (one_in(l, 4)) {
        def.groups = (pliant_groups){&groups[one_in(l, 2)], 64};
    }
    def.has_loose_box = one_in(l, 4);
    def.loose_box = (pliant_box){{-INFINITY, -0x1p70f, -0x1p70f}, {INFINITY, 0x1p70f, 0x1p70f}};
    return def;
}

void change_member(life *l, creature *b)
{
    if (b->present && one_in(l, 2)) {
        assert_ok(pliant_scene_remove(l->scene, b->id));
        b->present = false;
        return;
    }
    b->def = random_member(l);
    b->def.user = b;
    if (b->present) {
        assert_ok(pliant_scene_set_member(l->scene, b->id, &b->def));
    } else {
        assert_ok(pliant_scene_add(l->scene, b->body, &b->def, &b->id));
        b->present = true;
    }
}

creature *find_creature(life *l, uint32_t index)
{
    for (int i = 0; i < MOST; i++) {
        if (l->one[i].present && l->one[i].id.index == index) {
            return &l->one[i];
        }
    }
    return NULL;
}

bool passes(const life *l, const creature *a, const creature *b, bool filters)
{
    return (a->def.category & b->def.mask) && (b->def.category & a->def.mask) &&
           !(a->def.is_static && b->def.is_static) &&
           (!filters || (a->id.index * 7 + b->id.index * 3 + l->salt) % 4 != 0);
}

bool takes_part(const creature *b)
{
    return b->def.groups.bits == NULL || (b->def.groups.bits[0] & 1);
}

/* -------------------------------------------------------------------- lives */

void life_begin(life *l, uint64_t seed, uint32_t workers)
{
    *l = (life){.context = fixture_context_with(PLIANT_ISA_BEST, workers),
                .plain = fixture_context_with(PLIANT_ISA_BEST, 1),
                .checks = workers == 1};
    rng_seed(&l->r, seed);
    assert_ok(pliant_query_create(l->context, &l->query));
    assert_ok(pliant_query_create(l->plain, &l->other));
    assert_ok(pliant_scene_create(l->context, NULL, &l->scene));
    create_creatures(l);
}

void life_end(life *l)
{
    pliant_scene_destroy(l->scene);
    for (int i = 0; i < MOST; i++) {
        pliant_body_destroy(l->one[i].body);
        pliant_body_destroy(l->one[i].twin);
        free(l->one[i].shared[0]);
        model_case_destroy(&l->one[i].c);
    }
    for (int i = 0; i < SHAPES; i++) {
        pliant_shape_destroy(l->shape[i]);
        pliant_shape_destroy(l->mesh_shape[i]);
        free(l->block[i]);
    }
    pliant_query_destroy(l->query);
    pliant_query_destroy(l->other);
    pliant_context_destroy(l->context);
    pliant_context_destroy(l->plain);
}
