/*
 * Proxies: what they are; that those bounded by spheres are all found, for all coordinates; that no
 * contact is lost, whatever the bodies and the budget; scenes of them.
 */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/refresh.h"
#include "shape/proxies.h"

static const fixture_tree usual_tree = {PLIANT_PARTITION_BALANCED, 8, 8};

static pliant_context *create_context(uint32_t workers)
{
    pliant_context *context = NULL;
    pliant_context_def def = pliant_context_default();
    def.workers = workers;
    assert_ok(pliant_context_create(&def, &context));
    return context;
}

static fixture_tree random_tree(rng *r)
{
    fixture_tree tree = usual_tree;
    tree.arity = 2u << rng_below(r, 3);
    tree.leaf_size = 1 + (uint32_t)rng_below(r, 8);
    return tree;
}

/* A body of any kind, in a random state, and its mesh: a free one for kind MODEL_KINDS. */
typedef struct subject {
    model_case c;
    bool is_free;
    pliant_shape *shape;
    pliant_body *body;
    uint32_t *leaf; /* of each triangle */
} subject;

static void subject_set(subject *s)
{
    if (s->is_free) {
        assert_ok(pliant_body_set_positions(s->body, s->c.positions, 0));
    } else {
        model_case_set(&s->c, s->body);
    }
}

static void find_leaves(subject *s)
{
    s->leaf = malloc(s->c.mesh.triangle_count * sizeof *s->leaf);
    for (uint32_t c = 0; c < s->shape->cluster_count; c++) {
        const pli_cluster *cluster = &s->shape->clusters[c];
        for (uint32_t slot = 0; slot < cluster->slot_count; slot++) {
            if (cluster->live >> slot & 1) {
                uint32_t place = cluster->first_slot + slot;
                s->leaf[s->shape->slot_triangles[place]] = place / PLI_WIDTH;
            }
        }
    }
}

static subject subject_create(pliant_context *context, uint32_t kind, pliant_bound_kind bound,
                              uint32_t triangles, uint32_t proxy_triangles, float error, rng *r)
{
    subject s = {.is_free = kind == MODEL_KINDS};
    model_trait trait = (model_trait)rng_below(r, MODEL_TRAITS);
    s.c = model_case_create(s.is_free ? MODEL_REDUCED : (model_kind)kind, trait, 1.0, 0.0,
                            triangles, r);
    s.c.proxy_triangles = proxy_triangles;
    s.c.error = error;
    fixture_tree tree = random_tree(r);
    if (s.is_free) {
        model_case bare = s.c;
        bare.model = (scene_model){0};
        s.shape = model_case_shape(context, &bare, bound, tree);
    } else {
        s.shape = model_case_shape(context, &s.c, bound, tree);
    }
    pliant_body_def def = pliant_body_default();
    def.update = (pliant_update)rng_below(r, PLIANT_UPDATE_FRONT + 1);
    assert_ok(pliant_body_create(s.shape, &def, &s.body));
    subject_set(&s);
    find_leaves(&s);
    return s;
}

static void subject_destroy(subject *s)
{
    free(s->leaf);
    pliant_body_destroy(s->body);
    pliant_shape_destroy(s->shape);
    model_case_destroy(&s->c);
}

/* ---------------------------------------------------------------- shapes */

static void check_proxies_of(const subject *s, uint32_t most)
{
    uint32_t count = 0, all = 0;
    assert_ok(pliant_shape_proxies(s->shape, NULL, 0, &count));
    assert_true(count > 0);
    pliant_proxy *proxies = malloc(count * sizeof *proxies);
    uint8_t *seen = calloc(s->c.mesh.triangle_count, 1);
    assert_ok(pliant_shape_proxies(s->shape, proxies, count, &count));
    assert_int_equal(pliant_shape_proxies(s->shape, proxies, count - 1, &all), PLIANT_ERROR_RANGE);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t triangles[1024], held = 0, vertex = UINT32_MAX, again = 0;
        assert_true(i == 0 || proxies[i - 1].id + proxies[i - 1].leaves <= proxies[i].id);
        assert_ok(pliant_shape_proxy_triangles(s->shape, proxies[i], triangles, 1024, &held));
        assert_ok(pliant_shape_proxy_triangles(s->shape, proxies[i], NULL, 0, &again));
        assert_true(held > 0 && held == again && (held <= most || proxies[i].leaves == 1));
        assert_ok(pliant_shape_proxy_vertex(s->shape, proxies[i], &vertex));
        bool has_vertex = false;
        for (uint32_t t = 0; t < held; t++) {
            uint32_t corner[3];
            assert_int_equal(seen[triangles[t]]++, 0);
            uint32_t leaf = s->leaf[triangles[t]];
            assert_true(leaf >= proxies[i].id && leaf < proxies[i].id + proxies[i].leaves);
            assert_ok(pliant_shape_triangle(s->shape, triangles[t], corner));
            has_vertex |= corner[0] == vertex || corner[1] == vertex || corner[2] == vertex;
        }
        assert_true(has_vertex);
        all += held;
    }
    assert_int_equal(all, s->c.mesh.triangle_count);
    free(seen);
    free(proxies);
}

static void proxies_are_a_partition(void **state)
{
    (void)state;
    pliant_context *context = create_context(1);
    rng r;
    rng_seed(&r, 1);
    for (uint32_t round = 0; round < fixture_count(60); round++) {
        uint32_t most = 1 + (uint32_t)rng_below(&r, round % 2 == 0 ? 20 : 400);
        subject s = subject_create(context, round % (MODEL_KINDS + 1), PLIANT_BOUND_AUTO, 700, most,
                                   0.0f, &r);
        check_proxies_of(&s, most);
        subject_destroy(&s);
    }
    pliant_context_destroy(context);
}

/* --------------------------------------------------------------- spheres */

typedef struct sphere {
    pliant_proxy proxy;
    float centre[3], radius;
} sphere;

typedef struct spheres {
    sphere *list;
    uint32_t count;
} spheres;

static void add_sphere(spheres *all, pliant_proxy proxy, const pli_spheres *from, uint32_t lane)
{
    sphere s = {.proxy = proxy, .radius = from->radius[lane]};
    for (int k = 0; k < 3; k++) {
        s.centre[k] = from->centre[k][lane];
    }
    all->list = realloc(all->list, (all->count + 1) * sizeof *all->list);
    all->list[all->count++] = s;
}

static void spheres_below(pliant_body *body, pli_node_record *parent, uint32_t lane, uint32_t child,
                          spheres *all)
{
    const pliant_shape *shape = body->shape;
    if (child & PLI_CLUSTER_BIT) {
        uint32_t c = child & ~PLI_CLUSTER_BIT;
        pli_row_view row = pli_view_row(shape, (size_t)shape->node_count + c, PLI_WIDTH);
        pli_boxes boxes;
        pli_spheres leaves;
        pli_bound_children_from_modes(body->model_kernels, shape, &row, &body->pose, &boxes,
                                      &leaves);
        for (uint32_t i = 0; i < PLI_WIDTH; i++) {
            if (pli_cluster_leaves(&shape->clusters[c]) >> i & 1) {
                add_sphere(all, pli_proxy_of_leaf(shape, c, i), &leaves, i);
            }
        }
        return;
    }
    void *record = NULL;
    assert_ok(pli_body_child(body, parent, lane, child, &record));
    const pli_node *node = &shape->nodes[child];
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (pli_child_triangles(shape, node->child[i]) <= shape->block->model.proxy_triangles) {
            add_sphere(all, pli_proxy_of_child(shape, node->child[i]), pli_record_spheres(record),
                       i);
        } else {
            spheres_below(body, record, i, node->child[i], all);
        }
    }
}

/* Every proxy of a body and its sphere, ascending. */
static spheres all_spheres(pliant_body *body)
{
    spheres all = {0};
    assert_ok(pli_body_prepare(body));
    spheres_below(body, &body->top, 0, 0, &all);
    return all;
}

static double sphere_distance(const sphere *a, const sphere *b)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = (double)a->centre[k] - (double)b->centre[k];
        square += d * d;
    }
    return sqrt(square);
}

static void check_contact(const pliant_proxy_contact *contact, const sphere *a, const sphere *b)
{
    double distance = sphere_distance(a, b), depth = (double)a->radius + (double)b->radius;
    double dot = 0.0, length = 0.0;
    for (int k = 0; k < 3; k++) {
        double n = (double)contact->normal[k];
        length += n * n;
        dot += n * ((double)a->centre[k] - (double)b->centre[k]);
    }
    assert_int_equal(contact->flags, 0);
    assert_true(fabs(length - 1.0) < 1e-6);
    assert_true(fabs(dot - distance) <= 1e-6 * distance + 1e-30);
    assert_true(contact->depth >= 0.0f);
    assert_true(fabs((double)contact->depth - fmax(depth - distance, 0.0)) <= 1e-6 * depth);
    for (int side = 0; side < 2; side++) { /* the point lies in both */
        const sphere *s = side == 0 ? a : b;
        sphere point = {.radius = 0.0f};
        memcpy(point.centre, contact->point, sizeof point.centre);
        double size =
            fabs((double)s->centre[0]) + fabs((double)s->centre[1]) + fabs((double)s->centre[2]);
        assert_true(sphere_distance(s, &point) <= (double)s->radius + 1e-6 * (depth + size));
    }
}

/* How many pairs of spheres that meet an answer leaves out; everything else must be right. */
static uint64_t count_missing(const spheres *a, const spheres *b, const pliant_proxy_contacts *got)
{
    uint64_t next = 0, missing = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t j = 0; j < b->count; j++) {
            const sphere *x = &a->list[i], *y = &b->list[j];
            double square = 0.0, sum = (double)x->radius + (double)y->radius;
            for (int k = 0; k < 3; k++) {
                double d = (double)x->centre[k] - (double)y->centre[k];
                square += d * d;
            }
            bool meet = !(square > sum * sum * (1.0 + 16.0 * 0x1p-53));
            const pliant_proxy_contact *contact = &got->contacts[next];
            bool given =
                next < got->count && contact->a.id == x->proxy.id && contact->b.id == y->proxy.id;
            assert_true(meet || !given);
            missing += meet && !given;
            if (given) {
                assert_int_equal(contact->a.leaves, x->proxy.leaves);
                assert_int_equal(contact->b.leaves, y->proxy.leaves);
                check_contact(contact, x, y);
                next++;
            }
        }
    }
    assert_int_equal(next, got->count);
    return missing;
}

/* Bodies bounded by spheres, moved apart a little so that many spheres barely meet. */
static void set_apart(subject s[2], rng *r)
{
    for (int i = 0; i < 2; i++) {
        model_case_move(&s[i].c, r, false);
        model_case *c = &s[i].c;
        for (uint32_t k = 3; k < 12; k += 4) {
            float shift = (float)rng_range(r, -1.5, 1.5);
            for (uint32_t j = 0; j < c->model.node_count; j++) {
                c->transforms[12 * j + k] += shift;
            }
        }
        scene_model_evaluate(&c->model, c->mesh.positions, c->mesh.vertex_count, c->coordinates,
                             c->transforms, c->positions);
        subject_set(&s[i]);
    }
}

static uint32_t round_kind(uint64_t n)
{
    static const uint32_t kinds[3] = {MODEL_RIGID, MODEL_MODES, MODEL_REDUCED};
    return kinds[n % 3];
}

static void sphere_pairs_equal_brute_force(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 2);
    uint64_t pairs = 0;
    pliant_context *context = create_context(1);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    for (uint32_t round = 0; round < fixture_count(80); round++) {
        subject s[2];
        for (int i = 0; i < 2; i++) {
            uint32_t most = 1 + (uint32_t)rng_below(&r, rng_below(&r, 2) == 0 ? 10 : 150);
            s[i] = subject_create(context, round_kind(rng_below(&r, 3)), PLIANT_BOUND_SPHERE, 900,
                                  most, rng_below(&r, 4) == 0 ? 0.01f : 0.0f, &r);
        }
        for (int step = 0; step < 4; step++) {
            set_apart(s, &r);
            pliant_proxy_contacts got;
            assert_ok(pliant_collide_proxies(query, s[0].body, s[1].body, NULL, &got));
            assert_true(got.complete);
            assert_int_equal(pliant_query_stats(query)->clusters_refreshed,
                             s[0].body->update == PLIANT_UPDATE_BOTTOM_UP ||
                                     s[1].body->update == PLIANT_UPDATE_BOTTOM_UP
                                 ? pliant_query_stats(query)->clusters_refreshed
                                 : 0); /* no vertex is computed */
            spheres a = all_spheres(s[0].body), b = all_spheres(s[1].body);
            assert_int_equal(count_missing(&a, &b, &got), 0);
            pairs += got.count;
            free(a.list);
            free(b.list);
        }
        subject_destroy(&s[0]);
        subject_destroy(&s[1]);
    }
    assert_true(pairs > 0);
    print_message("  %llu contacts\n", (unsigned long long)pairs);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

/* Takes the radii of a tree whose coarse spheres hold vertices only, not proxies. */
static void unwrap(pliant_context *context, subject *s, fixture_tree tree)
{
    model_case bare = s->c;
    bare.proxy_triangles = 0;
    pliant_shape *plain = model_case_shape(context, &bare, PLIANT_BOUND_SPHERE, tree);
    assert_int_equal(plain->node_count, s->shape->node_count);
    memcpy((float *)(uintptr_t)s->shape->row_values, plain->row_values,
           plain->block->count[PLI_SECTION_ROW_VALUES] * sizeof(float));
    pliant_shape_destroy(plain);
}

/* Without coarser spheres that hold the proxies below, contacts go missing. */
static void wrapping_matters(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 3);
    uint64_t missing = 0, states = 0;
    pliant_context *context = create_context(1);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    for (uint32_t round = 0; round < 200 && missing == 0; round++) {
        fixture_tree tree = {PLIANT_PARTITION_BALANCED, 2, 4};
        subject s[2];
        for (int i = 0; i < 2; i++) {
            s[i] = (subject){.c = model_case_create(MODEL_REDUCED, MODEL_ROUGH, 1.0, 0.0, 600, &r)};
            s[i].c.proxy_triangles = 4;
            s[i].shape = model_case_shape(context, &s[i].c, PLIANT_BOUND_SPHERE, tree);
            unwrap(context, &s[i], tree);
            assert_ok(pliant_body_create(s[i].shape, NULL, &s[i].body));
        }
        for (int step = 0; step < 4; step++, states++) {
            set_apart(s, &r);
            pliant_proxy_contacts got;
            assert_ok(pliant_collide_proxies(query, s[0].body, s[1].body, NULL, &got));
            spheres a = all_spheres(s[0].body), b = all_spheres(s[1].body);
            missing += count_missing(&a, &b, &got);
            free(a.list);
            free(b.list);
        }
        subject_destroy(&s[0]);
        subject_destroy(&s[1]);
    }
    print_message("  %llu pairs lost in %llu states\n", (unsigned long long)missing,
                  (unsigned long long)states);
    assert_true(missing > 0);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

static void triangle_corners(const subject *s, uint32_t triangle, float corner[3][3])
{
    for (uint32_t c = 0; c < 3; c++) {
        memcpy(corner[c], s->c.positions + 3 * (size_t)s->c.mesh.triangles[3 * triangle + c],
               sizeof corner[c]);
    }
}

/* Spheres of one body against triangles of another, of any kind. */
static void spheres_meet_triangles(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 4);
    uint64_t pairs = 0;
    pliant_context *context = create_context(1);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    for (uint32_t round = 0; round < fixture_count(60); round++) {
        float error = round % 4 == 0 ? 0.01f : 0.0f;
        subject s[2] = {subject_create(context, round_kind(round), PLIANT_BOUND_SPHERE, 500,
                                       1 + (uint32_t)rng_below(&r, 80), error, &r),
                        subject_create(context, (uint32_t)rng_below(&r, MODEL_KINDS + 1),
                                       (pliant_bound_kind)rng_below(&r, 4), 500, 0, error, &r)};
        set_apart(s, &r);
        bool swap = round % 2 == 1;
        pliant_proxy_options options = pliant_proxy_default();
        options.proxies_a = !swap;
        options.proxies_b = swap;
        pliant_proxy_contacts got;
        assert_ok(pliant_collide_proxies(query, s[swap].body, s[!swap].body, &options, &got));
        spheres all = all_spheres(s[0].body);
        double reach = (double)s[1].body->pose.world_error;
        uint64_t given = 0, must = 0;
        for (uint64_t i = 0; i < got.count; i++) {
            const pliant_proxy_contact *contact = &got.contacts[i];
            assert_int_equal((swap ? contact->a : contact->b).leaves, 0);
            assert_true(contact->depth >= 0.0f && contact->flags == 0);
        }
        for (uint32_t i = 0; i < all.count; i++) {
            for (uint32_t t = 0; t < s[1].c.mesh.triangle_count; t++) {
                float corner[3][3];
                triangle_corners(&s[1], t, corner);
                double d = pliant_triangle_closest_point(all.list[i].centre,
                                                         (const float(*)[3])corner, NULL);
                double gap = d - (double)all.list[i].radius - reach;
                must += gap <= -1e-9;
                given += gap <= 1e-9;
            }
        }
        assert_true(got.count >= must && got.count <= given);
        pairs += got.count;
        free(all.list);
        subject_destroy(&s[0]);
        subject_destroy(&s[1]);
    }
    assert_true(pairs > 0);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

/* -------------------------------------------------------------- coverage */

static bool covers(const subject *s, pliant_proxy proxy, uint32_t triangle)
{
    return proxy.leaves == 0
               ? proxy.id == triangle
               : s->leaf[triangle] >= proxy.id && s->leaf[triangle] < proxy.id + proxy.leaves;
}

/* How many pairs that touch no contact covers. */
static uint64_t count_uncovered(const subject *a, const subject *b, const brute_pairs *truth,
                                const pliant_proxy_contact *contacts, uint64_t count)
{
    uint64_t uncovered = 0;
    for (size_t i = 0; i < truth->count; i++) {
        bool covered = false;
        for (uint64_t c = 0; c < count && !covered; c++) {
            covered = covers(a, contacts[c].a, truth->pairs[i].a) &&
                      covers(b, contacts[c].b, truth->pairs[i].b);
        }
        uncovered += !covered;
    }
    return uncovered;
}

/* The mesh that a body with an error may stand for: its rest positions moved by up to that. */
static float *meant_positions(const subject *s, rng *r)
{
    size_t count = 3 * (size_t)s->c.mesh.vertex_count;
    float *rest = malloc(count * sizeof *rest), *meant = malloc(count * sizeof *meant);
    const float *from = s->is_free ? s->c.positions : s->c.mesh.positions;
    for (size_t v = 0; v < s->c.mesh.vertex_count; v++) {
        double step[3], length = 0.0;
        for (int k = 0; k < 3; k++) {
            step[k] = rng_range(r, -1.0, 1.0);
            length += step[k] * step[k];
        }
        for (size_t k = 0; k < 3; k++) {
            rest[3 * v + k] = (float)((double)from[3 * v + k] +
                                      0.999 * (double)s->c.error * step[k] / sqrt(length));
        }
    }
    if (s->is_free) {
        memcpy(meant, rest, count * sizeof *meant);
    } else {
        scene_model_evaluate(&s->c.model, rest, s->c.mesh.vertex_count, s->c.coordinates,
                             s->c.transforms, meant);
    }
    free(rest);
    return meant;
}

static void find_truth(const subject s[2], rng *r, brute_pairs *truth)
{
    float *meant[2];
    brute_body brute[2];
    for (int i = 0; i < 2; i++) {
        meant[i] = meant_positions(&s[i], r);
        brute[i] = model_case_brute(&s[i].c);
        brute[i].positions = s[i].c.error > 0.0f ? meant[i] : brute[i].positions;
    }
    *truth = (brute_pairs){0};
    brute_collide(&brute[0], &brute[1], truth);
    free(meant[0]);
    free(meant[1]);
}

static void check_sorted(const pliant_proxy_contacts *got)
{
    for (uint64_t i = 1; i < got->count; i++) {
        const pliant_proxy_contact *x = &got->contacts[i - 1], *y = &got->contacts[i];
        assert_true(x->a.id < y->a.id || (x->a.id == y->a.id && x->b.id <= y->b.id));
    }
}

/* Two bodies of any kinds, in random roles. */
static void make_subjects(pliant_context *context, uint32_t triangles, rng *r, subject s[2])
{
    for (int i = 0; i < 2; i++) {
        uint32_t most = 1 + (uint32_t)rng_below(r, rng_below(r, 2) == 0 ? 10 : 150);
        s[i] = subject_create(context, (uint32_t)rng_below(r, MODEL_KINDS + 1),
                              (pliant_bound_kind)rng_below(r, 4), triangles, most,
                              rng_below(r, 3) == 0 ? 0.02f : 0.0f, r);
    }
}

static void touching_pairs_are_covered(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 5);
    uint64_t pairs = 0;
    pliant_context *context = create_context(1);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    for (uint32_t round = 0; round < fixture_count(200); round++) {
        subject s[2];
        make_subjects(context, 400, &r, s);
        pliant_proxy_options options = pliant_proxy_default();
        options.proxies_a = rng_below(&r, 3) > 0;
        options.proxies_b = rng_below(&r, 3) > 0;
        for (int step = 0; step < 2; step++) {
            brute_pairs truth;
            pliant_proxy_contacts got;
            set_apart(s, &r);
            find_truth(s, &r, &truth);
            assert_ok(pliant_collide_proxies(query, s[0].body, s[1].body, &options, &got));
            assert_true(got.complete);
            check_sorted(&got);
            assert_int_equal(count_uncovered(&s[0], &s[1], &truth, got.contacts, got.count), 0);
            pairs += truth.count;
            if (!options.proxies_a && !options.proxies_b && s[0].c.error == 0.0f &&
                s[1].c.error == 0.0f) {
                assert_int_equal(got.count, truth.count); /* triangles: exactly these */
            }
            brute_free(&truth);
        }
        subject_destroy(&s[0]);
        subject_destroy(&s[1]);
    }
    assert_true(pairs > 0);
    print_message("  %llu pairs that touch\n", (unsigned long long)pairs);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

static void every_budget_covers_every_contact(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 6);
    uint64_t spent = 0;
    pliant_context *context = create_context(1);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    for (uint32_t round = 0; round < fixture_count(40); round++) {
        subject s[2];
        make_subjects(context, 300, &r, s);
        brute_pairs truth;
        pliant_proxy_contacts got = {.complete = false};
        pliant_proxy_options options = pliant_proxy_default();
        options.proxies_a = rng_below(&r, 3) > 0;
        options.proxies_b = rng_below(&r, 3) > 0;
        find_truth(s, &r, &truth);
        uint64_t budget = 1;
        for (; !got.complete; budget += 1 + budget / 16) {
            options.budget_nodes = budget;
            assert_ok(pliant_collide_proxies(query, s[0].body, s[1].body, &options, &got));
            assert_true(pliant_query_stats(query)->nodes_tested <= budget);
            assert_int_equal(count_uncovered(&s[0], &s[1], &truth, got.contacts, got.count), 0);
            check_sorted(&got);
            uint64_t coarse = 0;
            for (uint64_t i = 0; i < got.count; i++) {
                coarse += got.contacts[i].flags & PLIANT_PROXY_COARSE;
                assert_true(got.contacts[i].depth >= 0.0f);
            }
            assert_int_equal(coarse > 0, !got.complete);
            spent += !got.complete;
        }
        options.budget_nodes = 0;
        options.budget_microseconds = 1; /* whenever it stops */
        assert_ok(pliant_collide_proxies(query, s[0].body, s[1].body, &options, &got));
        assert_int_equal(count_uncovered(&s[0], &s[1], &truth, got.contacts, got.count), 0);
        brute_free(&truth);
        subject_destroy(&s[0]);
        subject_destroy(&s[1]);
    }
    assert_true(spent > 0);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

/* pliant_within() reaches further by the errors, so that pairs of the meshes meant are found. */
static void within_reaches_over_errors(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 7);
    uint64_t beyond = 0;
    pliant_context *context = create_context(1);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    for (uint32_t round = 0; round < fixture_count(60); round++) {
        subject s[2];
        for (int i = 0; i < 2; i++) {
            s[i] = subject_create(context, (uint32_t)rng_below(&r, MODEL_KINDS + 1),
                                  (pliant_bound_kind)rng_below(&r, 4), 400, 0, 0.02f, &r);
        }
        brute_pairs truth;
        pliant_proximities got;
        find_truth(s, &r, &truth);
        assert_ok(pliant_within(query, s[0].body, s[1].body, 0.0f, NULL, &got));
        double errors = (double)s[0].body->pose.world_error + (double)s[1].body->pose.world_error;
        uint64_t next = 0;
        for (size_t i = 0; i < truth.count; i++) {
            while (next < got.count && (got.pairs[next].a < truth.pairs[i].a ||
                                        (got.pairs[next].a == truth.pairs[i].a &&
                                         got.pairs[next].b < truth.pairs[i].b))) {
                next++;
            }
            assert_true(next < got.count && got.pairs[next].a == truth.pairs[i].a &&
                        got.pairs[next].b == truth.pairs[i].b);
            beyond += got.pairs[next].gap.distance > 0.0;
        }
        for (uint64_t i = 0; i < got.count; i++) {
            assert_true(got.pairs[i].gap.distance <= errors * (1.0 + 0x1p-20));
        }
        brute_free(&truth);
        subject_destroy(&s[0]);
        subject_destroy(&s[1]);
    }
    assert_true(beyond > 0);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

/* ----------------------------------------------------------------- scenes */

enum { HERD = 16 };

typedef struct herd {
    pliant_context *context;
    pliant_scene *scene;
    uint32_t count;
    subject s[HERD];
    bool proxies[HERD];
} herd;

static herd herd_create(pliant_context *context, uint32_t count, uint64_t seed)
{
    herd h = {.context = context, .count = count};
    rng r;
    rng_seed(&r, seed);
    assert_ok(pliant_scene_create(h.context, NULL, &h.scene));
    for (uint32_t i = 0; i < count; i++) {
        pliant_body_id id;
        pliant_member_def member = pliant_member_default();
        h.proxies[i] = member.proxies = rng_below(&r, 3) > 0;
        h.s[i] = subject_create(h.context, (uint32_t)rng_below(&r, MODEL_KINDS + 1),
                                (pliant_bound_kind)rng_below(&r, 4), 300, 1 + i * 3,
                                i % 5 == 0 ? 0.01f : 0.0f, &r);
        assert_ok(pliant_scene_add(h.scene, h.s[i].body, &member, &id));
        assert_int_equal(id.index, i);
    }
    return h;
}

static void herd_step(herd *h, uint64_t seed)
{
    rng r;
    rng_seed(&r, seed);
    for (uint32_t i = 0; i + 1 < h->count; i += 2) {
        set_apart(h->s + i, &r);
    }
}

static void herd_destroy(herd *h)
{
    pliant_scene_destroy(h->scene);
    for (uint32_t i = 0; i < h->count; i++) {
        subject_destroy(&h->s[i]);
    }
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_answer(const pliant_scene *scene, const pliant_scene_proxy_contacts *got)
{
    const pliant_scene_stats *stats = pliant_scene_get_stats(scene);
    uint64_t counts[4] = {stats->narrow.nodes_tested, stats->narrow.nodes_refreshed,
                          stats->narrow.clusters_refreshed, got->complete};
    uint64_t hash = hash_bytes(got->count, counts, sizeof counts);
    hash = hash_bytes(hash, got->bodies, got->body_pair_count * sizeof *got->bodies);
    return hash_bytes(hash, got->contacts, (size_t)got->count * sizeof *got->contacts);
}

/* The answer of a scene is that of its pairs one by one. */
static void check_scene_answer(herd *h, pliant_query *query, const pliant_scene_options *options,
                               const pliant_scene_proxy_contacts *got)
{
    uint32_t next = 0;
    for (uint32_t a = 0; a < h->count; a++) {
        for (uint32_t b = a + 1; b < h->count; b++) {
            bool given = next < got->body_pair_count && got->bodies[next].a.index == a &&
                         got->bodies[next].b.index == b;
            pliant_proxy_options pair = pliant_proxy_default();
            pliant_proxy_contacts one;
            pair.proxies_a = h->proxies[a];
            pair.proxies_b = h->proxies[b];
            pair.budget_nodes = options->budget_nodes;
            assert_ok(pliant_collide_proxies(query, h->s[a].body, h->s[b].body, &pair, &one));
            if (given) {
                const pliant_scene_pair *found = &got->bodies[next++];
                assert_int_equal(found->count, one.count);
                assert_memory_equal(got->contacts + found->first, one.contacts,
                                    (size_t)one.count * sizeof *one.contacts);
            } else { /* only spheres may meet that lie outside tighter boxes */
                subject both[2] = {h->s[a], h->s[b]};
                brute_pairs truth;
                rng r;
                rng_seed(&r, a * HERD + b);
                find_truth(both, &r, &truth);
                assert_int_equal(truth.count, 0);
                brute_free(&truth);
            }
        }
    }
    assert_int_equal(next, got->body_pair_count);
}

static void scenes_equal_their_pairs(void **state)
{
    (void)state;
    uint64_t contacts = 0;
    for (uint32_t round = 0; round < fixture_count(6); round++) {
        uint64_t expected = 0;
        for (uint32_t workers = 0; workers <= 4; workers++) {
            /* Other questions have a say in what AUTO refreshes next: a round of its own for them.
             */
            bool ask_pairs = workers == 0;
            pliant_context *context = create_context(ask_pairs ? 2 : workers);
            pliant_query *query = NULL;
            assert_ok(pliant_query_create(context, &query));
            herd h = herd_create(context, HERD, round);
            uint64_t hash = 0;
            for (uint32_t step = 0; step < 3; step++) {
                pliant_scene_options options = pliant_scene_options_default();
                pliant_scene_proxy_contacts got;
                options.budget_nodes = step == 1 ? 7 : 0;
                herd_step(&h, 100 * round + step);
                assert_ok(pliant_scene_collide_proxies(h.scene, &options, &got));
                hash = hash * 31 + hash_answer(h.scene, &got);
                contacts += got.count;
                assert_true(step == 1 || got.complete);
                if (ask_pairs) {
                    check_scene_answer(&h, query, &options, &got);
                }
            }
            expected = workers <= 1 ? hash : expected;
            assert_int_equal(hash, expected);
            herd_destroy(&h);
            pliant_query_destroy(query);
            pliant_context_destroy(context);
        }
    }
    assert_true(contacts > 0);
}

static void warm_scenes_allocate_nothing(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    herd h = herd_create(context, HERD, 11);
    uint64_t before = 0;
    for (uint32_t pass = 0; pass < 2; pass++) { /* the second pass repeats the first */
        before = allocator.calls;
        for (uint32_t step = 0; step < 4; step++) {
            pliant_scene_proxy_contacts got;
            pliant_proxy_contacts one;
            pliant_proxy_options options = pliant_proxy_default();
            herd_step(&h, step);
            assert_ok(pliant_scene_collide_proxies(h.scene, NULL, &got));
            for (uint32_t i = 1; i < HERD; i++) {
                options.proxies_b = step % 2 == 0;
                assert_ok(pliant_collide_proxies(query, h.s[0].body, h.s[i].body, &options, &one));
            }
        }
    }
    assert_int_equal(allocator.calls, before);
    herd_destroy(&h);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

/* Whichever allocation fails, the call fails cleanly and works the next time. */
static void failing_allocations_are_survived(void **state)
{
    (void)state;
    bool done = false;
    for (uint64_t at = 1; !done; at++) {
        counting_allocator allocator = {0};
        pliant_context *context = fixture_context(&allocator);
        herd h = herd_create(context, 3, 12);
        pliant_query *query = NULL;
        pliant_proxy_contacts one;
        pliant_scene_proxy_contacts got;
        assert_ok(pliant_query_create(context, &query));
        allocator.fail_at = allocator.calls + at;
        pliant_result first = pliant_collide_proxies(query, h.s[0].body, h.s[1].body, NULL, &one);
        pliant_result second = pliant_scene_collide_proxies(h.scene, NULL, &got);
        done = allocator.calls < allocator.fail_at;
        assert_true(first == PLIANT_OK || first == PLIANT_ERROR_OUT_OF_MEMORY);
        assert_true(second == PLIANT_OK || second == PLIANT_ERROR_OUT_OF_MEMORY);
        assert_true(done || first != PLIANT_OK || second != PLIANT_OK);
        allocator.fail_at = 0;
        assert_ok(pliant_collide_proxies(query, h.s[0].body, h.s[1].body, NULL, &one));
        assert_ok(pliant_scene_collide_proxies(h.scene, NULL, &got));
        herd_destroy(&h);
        pliant_query_destroy(query);
        pliant_context_destroy(context);
        assert_int_equal(allocator.live, 0);
    }
}

static void bad_questions_are_refused(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 8);
    pliant_context *context = create_context(1);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    subject s[2] = {subject_create(context, MODEL_REDUCED, PLIANT_BOUND_SPHERE, 300, 8, 0.0f, &r),
                    subject_create(context, MODEL_KINDS, PLIANT_BOUND_AUTO, 300, 0, 0.0f, &r)};
    pliant_proxy_contacts got;
    pliant_proxy_options options = pliant_proxy_default();
    pliant_body *a = s[0].body, *b = s[1].body;
    assert_int_equal(pliant_collide_proxies(query, a, a, NULL, &got), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_collide_proxies(query, a, b, NULL, &got), PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "the second body"));
    assert_int_equal(pliant_collide_proxies(query, b, a, NULL, &got), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_collide_proxies(NULL, a, b, NULL, &got), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_collide_proxies(query, NULL, b, NULL, &got), PLIANT_ERROR_ARGUMENT);
    options.proxies_b = false;
    assert_int_equal(pliant_collide_proxies(query, a, b, &options, NULL), PLIANT_ERROR_ARGUMENT);
    assert_ok(pliant_collide_proxies(query, a, b, &options, &got));
    options.cookie++;
    assert_int_equal(pliant_collide_proxies(query, a, b, &options, &got), PLIANT_ERROR_ARGUMENT);

    uint32_t count = 7;
    assert_ok(pliant_shape_proxies(s[1].shape, NULL, 0, &count));
    assert_int_equal(count, 0);
    pliant_proxy beyond = {UINT32_MAX, 1}, none = {0, 0}, wide = {0, UINT32_MAX};
    assert_int_equal(pliant_shape_proxy_triangles(s[0].shape, beyond, NULL, 0, &count),
                     PLIANT_ERROR_RANGE);
    assert_int_equal(pliant_shape_proxy_triangles(s[0].shape, none, NULL, 0, &count),
                     PLIANT_ERROR_RANGE);
    assert_int_equal(pliant_shape_proxy_vertex(s[0].shape, wide, &count), PLIANT_ERROR_RANGE);

    pliant_scene *scene = NULL;
    pliant_body_id id;
    pliant_member_def member = pliant_member_default();
    member.proxies = true;
    assert_ok(pliant_scene_create(context, NULL, &scene));
    assert_int_equal(pliant_scene_add(scene, b, &member, &id), PLIANT_ERROR_ARGUMENT);
    assert_ok(pliant_scene_add(scene, b, NULL, &id));
    assert_int_equal(pliant_scene_set_member(scene, id, &member), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_scene_collide_proxies(scene, NULL, NULL), PLIANT_ERROR_ARGUMENT);
    pliant_scene_destroy(scene);
    subject_destroy(&s[0]);
    subject_destroy(&s[1]);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proxies_are_a_partition),
        cmocka_unit_test(sphere_pairs_equal_brute_force),
        cmocka_unit_test(wrapping_matters),
        cmocka_unit_test(spheres_meet_triangles),
        cmocka_unit_test(touching_pairs_are_covered),
        cmocka_unit_test(every_budget_covers_every_contact),
        cmocka_unit_test(within_reaches_over_errors),
        cmocka_unit_test(scenes_equal_their_pairs),
        cmocka_unit_test(warm_scenes_allocate_nothing),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
