/*
 * Proxies: what they are, and that those bounded by spheres are all found, for all coordinates.
 */
#include "proxy_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/refresh.h"
#include "shape/shape.h"

static void check_proxies_of(const subject *s, uint32_t most)
{
    uint32_t count = 0, all = 0;
    assert_ok(pliant_shape_get_proxies(s->shape, NULL, 0, &count));
    assert_true(count > 0);
    pliant_proxy *proxies = malloc(count * sizeof *proxies);
    uint8_t *seen = calloc(s->c.mesh.triangle_count, 1);
    assert_ok(pliant_shape_get_proxies(s->shape, proxies, count, &count));
    assert_int_equal(pliant_shape_get_proxies(s->shape, proxies, count - 1, &all),
                     PLIANT_ERROR_RANGE);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t triangles[1024], held = 0, vertex = UINT32_MAX, again = 0;
        assert_true(i == 0 || proxies[i - 1].id + proxies[i - 1].leaves <= proxies[i].id);
        assert_ok(pliant_shape_get_proxy_triangles(s->shape, proxies[i], triangles, 1024, &held));
        assert_ok(pliant_shape_get_proxy_triangles(s->shape, proxies[i], NULL, 0, &again));
        assert_true(held > 0 && held == again && (held <= most || proxies[i].leaves == 1));
        assert_ok(pliant_shape_get_proxy_vertex(s->shape, proxies[i], &vertex));
        bool has_vertex = false;
        for (uint32_t t = 0; t < held; t++) {
            uint32_t corner[3];
            assert_int_equal(seen[triangles[t]]++, 0);
            uint32_t leaf = s->leaf[triangles[t]];
            assert_true(leaf >= proxies[i].id && leaf < proxies[i].id + proxies[i].leaves);
            assert_ok(pliant_shape_get_triangle(s->shape, triangles[t], corner));
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
    rng r;
    rng_seed(&r, 1);
    for (uint32_t round = 0; round < fixture_count(60); round++) {
        uint32_t most = 1 + (uint32_t)rng_below(&r, round % 2 == 0 ? 20 : 400);
        subject s = subject_create(test_context,
                                   (subject_def){.kind = round % (MODEL_KINDS + 1),
                                                 .triangles = 700,
                                                 .proxy_triangles = most},
                                   &r);
        check_proxies_of(&s, most);
        subject_destroy(&s);
    }
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
            const pliant_proxy_contact *contact = next < got->count ? &got->contacts[next] : NULL;
            bool given =
                contact != NULL && contact->a.id == x->proxy.id && contact->b.id == y->proxy.id;
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

static void sphere_pairs_equal_brute_force(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 2);
    static const double scales[] = {1.0, 0x1p-20, 0x1p20}, offsets[] = {0.0, 1e3, 1e5};
    uint64_t pairs = 0;
    for (uint32_t round = 0; round < fixture_count(80); round++) {
        subject s[2];
        double scale = scales[rng_below(&r, 3)], offset = scale * offsets[rng_below(&r, 3)];
        for (int i = 0; i < 2; i++) {
            subject_def def = {.kind = round_kind(rng_below(&r, 3)),
                               .bound = PLIANT_BOUND_SPHERE,
                               .triangles = 900,
                               .proxy_triangles = 1 + (uint32_t)rng_below(&r, 1 + round % 2 * 150),
                               .error = rng_below(&r, 4) == 0 ? (float)(0.01 * scale) : 0.0f,
                               .scale = scale,
                               .offset = offset,
                               .plain = true};
            s[i] = subject_create(test_context, def, &r);
        }
        for (int step = 0; step < 4; step++) {
            subjects_set_apart(s, &r);
            pliant_proxy_contacts got;
            assert_ok(pliant_collide_proxies(test_query, s[0].body, s[1].body, NULL, &got));
            assert_true(got.complete);
            assert_int_equal(pliant_query_get_stats(test_query)->clusters_refreshed,
                             s[0].body->update == PLIANT_UPDATE_BOTTOM_UP ||
                                     s[1].body->update == PLIANT_UPDATE_BOTTOM_UP
                                 ? pliant_query_get_stats(test_query)->clusters_refreshed
                                 : 0); /* no vertex is computed */
            spheres a = all_spheres(s[0].body), b = all_spheres(s[1].body);
            assert_int_equal(count_missing(&a, &b, &got), 0);
            pairs += got.count;
            free(a.list);
            free(b.list);
        }
        subjects_destroy(s);
    }
    assert_true(pairs > 0);
    print_message("  %llu contacts\n", (unsigned long long)pairs);
}

/* Takes the radii of a tree whose coarse spheres hold vertices only, not proxies. */
static void unwrap(pliant_context *context, subject *s, fixture_tree tree)
{
    model_case bare = s->c;
    bare.proxy_triangles = 0;
    pliant_shape *plain = model_case_shape(context, &bare, PLIANT_BOUND_SPHERE, tree);
    assert_int_equal(plain->node_count, s->shape->node_count);
    memcpy((float *)(uintptr_t)s->shape->coefficient_values, plain->coefficient_values,
           plain->block->count[PLI_SECTION_COEFFICIENT_VALUES] * sizeof(float));
    pliant_shape_destroy(plain);
}

/* Without coarser spheres that hold the proxies below, contacts go missing. */
static void wrapping_matters(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 3);
    uint64_t missing = 0, states = 0;
    for (uint32_t round = 0; round < 200 && missing == 0; round++) {
        fixture_tree tree = {PLIANT_PARTITION_BALANCED, 2, 4};
        subject s[2];
        for (int i = 0; i < 2; i++) {
            s[i] = (subject){.c = model_case_create(MODEL_REDUCED, MODEL_ROUGH, 1.0, 0.0, 600, &r)};
            s[i].c.proxy_triangles = 4;
            s[i].shape = model_case_shape(test_context, &s[i].c, PLIANT_BOUND_SPHERE, tree);
            unwrap(test_context, &s[i], tree);
            assert_ok(pliant_body_create(s[i].shape, NULL, &s[i].body));
        }
        for (int step = 0; step < 4; step++, states++) {
            subjects_set_apart(s, &r);
            pliant_proxy_contacts got;
            assert_ok(pliant_collide_proxies(test_query, s[0].body, s[1].body, NULL, &got));
            spheres a = all_spheres(s[0].body), b = all_spheres(s[1].body);
            missing += count_missing(&a, &b, &got);
            free(a.list);
            free(b.list);
        }
        subjects_destroy(s);
    }
    print_message("  %llu pairs lost in %llu states\n", (unsigned long long)missing,
                  (unsigned long long)states);
    assert_true(missing > 0);
}

/* A body of one triangle, bounded by a sphere and moved as a whole. */
static subject dart_create(pliant_context *context, const float corner[9])
{
    static const uint32_t triangle[3] = {0, 1, 2};
    subject s = {.is_free = false};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corner;
    def.vertex_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    def.joint_count = 1;
    def.bound = PLIANT_BOUND_SPHERE;
    def.proxy_triangles = 1;
    assert_ok(pliant_shape_create(context, &def, &s.shape));
    assert_ok(pliant_body_create(s.shape, NULL, &s.body));
    return s;
}

static void dart_destroy(subject *s)
{
    pliant_body_destroy(s->body);
    pliant_shape_destroy(s->shape);
}

/* Triangles that touch where both their spheres end: the vertex farthest from the middle, about
   which one is the mirror image of the other. */
static void triangles_touch_where_spheres_end(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 9);
    for (uint32_t round = 0; round < fixture_count(300); round++) {
        float one[9], other[9], far[3] = {0.0f, 0.0f, 0.0f}, most = 0.0f;
        for (int i = 0; i < 9; i++) {
            one[i] = (float)rng_below(&r, 4096) / 64.0f;
        }
        for (int c = 0; c < 3; c++) {
            float square = 0.0f;
            for (int k = 0; k < 3; k++) {
                float d = one[3 * c + k] - (one[k] + one[3 + k] + one[6 + k]) / 3.0f;
                square += d * d;
            }
            if (square > most) {
                most = square;
                memcpy(far, one + 3 * (size_t)c, sizeof far);
            }
        }
        for (int i = 0; i < 9; i++) {
            other[i] = 2.0f * far[i % 3] - one[i]; /* exact: few bits */
        }
        subject a = dart_create(test_context, one), b = dart_create(test_context, other);
        pliant_contacts contacts;
        pliant_proximities near;
        pliant_proxy_contacts proxies;
        assert_ok(pliant_collide(test_query, a.body, b.body, NULL, &contacts));
        assert_int_equal(contacts.count, 1);
        assert_ok(pliant_find_within(test_query, a.body, b.body, 0.0f, NULL, &near));
        assert_int_equal(near.count, 1);
        assert_ok(pliant_collide_proxies(test_query, a.body, b.body, NULL, &proxies));
        assert_int_equal(proxies.count, 1);
        dart_destroy(&a);
        dart_destroy(&b);
    }
}

/* A small body that is put to where a proxy and the spheres around it end in one direction. */
typedef struct grazing {
    pliant_body *body, *dart;
    const pli_node_record *above[PLI_MAX_LEVELS]; /* records whose lanes hold the proxy */
    uint32_t lanes[PLI_MAX_LEVELS];
    uint64_t meetings, missing;
} grazing;

/* Moves the dart so that its sphere ends where the proxy's does, as seen from an outer sphere. */
static void graze(grazing *g, const sphere *proxy, const sphere *outer)
{
    double away[3], length = sphere_distance(proxy, outer);
    for (int step = -3; step <= 3 && length > 0.0; step++) {
        float rows[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        spheres a = {(sphere *)(uintptr_t)proxy, 1}, b = all_spheres(g->dart);
        for (int k = 0; k < 3; k++) {
            away[k] = ((double)proxy->centre[k] - (double)outer->centre[k]) / length;
            double reach = (double)proxy->radius + (double)b.list[0].radius + 3e-5 * step;
            rows[4 * k + 3] = (float)((double)proxy->centre[k] + away[k] * reach);
        }
        free(b.list);
        assert_ok(pliant_body_set_transforms(g->dart, rows, 1, 0));
        b = all_spheres(g->dart);
        pliant_proxy_contacts got, one = {.count = 0};
        assert_ok(pliant_collide_proxies(test_query, g->body, g->dart, NULL, &got));
        for (uint64_t i = 0; i < got.count; i++) {
            if (got.contacts[i].a.id == proxy->proxy.id) {
                one = (pliant_proxy_contacts){got.contacts + i, 1, true};
            }
        }
        g->missing += count_missing(&a, &b, &one);
        g->meetings += one.count;
        free(b.list);
    }
}

static void graze_below(grazing *g, pli_node_record *parent, uint32_t lane, uint32_t child,
                        uint32_t depth)
{
    const pliant_shape *shape = g->body->shape;
    void *record = NULL;
    assert_ok(pli_body_child(g->body, parent, lane, child, &record));
    const pli_node *node = &shape->nodes[child];
    g->above[depth] = record;
    for (uint32_t i = 0; i < node->child_count; i++) {
        g->lanes[depth] = i;
        if (!(node->child[i] & PLI_CLUSTER_BIT)) {
            graze_below(g, record, i, node->child[i], depth + 1);
            continue;
        }
        spheres found = {0};
        pliant_proxy proxy = pli_proxy_of_child(shape, node->child[i]);
        add_sphere(&found, proxy, pli_record_spheres(record), i);
        for (uint32_t d = 0; d < depth; d++) {
            pli_node_record *above = (pli_node_record *)(uintptr_t)g->above[d];
            add_sphere(&found, proxy, pli_record_spheres(above), g->lanes[d]);
            graze(g, &found.list[0], &found.list[found.count - 1]);
        }
        free(found.list);
    }
}

/* Rounding makes computed spheres end short of the proxies that they hold: without slack, proxies
   that barely meet something there would be lost. Proxies are clusters here. */
static void grazing_spheres_are_found(void **state)
{
    (void)state;
    static const float corner[9] = {0.02f, 0, 0, -0.01f, 0.01f, 0, -0.01f, -0.01f, 0};
    rng r;
    rng_seed(&r, 10);
    grazing g = {.missing = 0};
    subject dart = dart_create(test_context, corner);
    g.dart = dart.body;
    for (uint32_t round = 0; round < fixture_count(12); round++) {
        subject s = {.c = model_case_create(MODEL_RIGID, MODEL_SMOOTH, 1.0, 0.0, 200, &r)};
        fixture_tree tree = {PLIANT_PARTITION_BALANCED, 2, 2};
        s.c.proxy_triangles = 4;
        s.shape = model_case_shape(test_context, &s.c, PLIANT_BOUND_SPHERE, tree);
        assert_ok(pliant_body_create(s.shape, NULL, &s.body));
        for (uint32_t i = 0; i < 12; i++) { /* only shifted: else radii are stretched by more */
            s.c.transforms[i] = i % 4 == 3 ? 1000.0f : i % 5 == 0 ? 1.0f : 0.0f;
        }
        subject_set(&s);
        assert_ok(pli_body_prepare(s.body));
        g.body = s.body;
        graze_below(&g, &s.body->root, 0, 0, 0);
        subject_destroy(&s);
    }
    print_message("  %llu meetings\n", (unsigned long long)g.meetings);
    assert_true(g.meetings > 0);
    assert_int_equal(g.missing, 0);
    dart_destroy(&dart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proxies_are_a_partition),
        cmocka_unit_test(sphere_pairs_equal_brute_force),
        cmocka_unit_test(wrapping_matters),
        cmocka_unit_test(triangles_touch_where_spheres_end),
        cmocka_unit_test(grazing_spheres_are_found),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, test_query_tear_down);
}
