/*
 * Contacts of proxies: none is lost, whatever the bodies and the budget, for two bodies and for
 * scenes.
 */
#include "subjects.h"

#include <stdlib.h>
#include <string.h>

#include "body/body.h"

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

static void check_sorted(const pliant_proxy_contacts *got)
{
    for (uint64_t i = 1; i < got->count; i++) {
        const pliant_proxy_contact *x = &got->contacts[i - 1], *y = &got->contacts[i];
        assert_true(x->a.id < y->a.id || (x->a.id == y->a.id && x->b.id <= y->b.id));
    }
}

/* Which of two bodies takes part with its proxies, and which with its triangles. */
static pliant_proxy_options random_roles(rng *r)
{
    pliant_proxy_options options = pliant_proxy_options_default();
    options.proxies_a = rng_below(r, 3) > 0;
    options.proxies_b = rng_below(r, 3) > 0;
    return options;
}

/* Two bodies of any kinds. */
static void make_subjects(pliant_context *context, uint32_t triangles, rng *r, subject s[2])
{
    for (int i = 0; i < 2; i++) {
        subject_def def = subject_def_random(triangles, r);
        def.proxy_triangles = 1 + (uint32_t)rng_below(r, rng_below(r, 2) == 0 ? 10 : 150);
        def.error = rng_below(r, 3) == 0 ? 0.02f : 0.0f;
        s[i] = subject_create(context, def, r);
    }
}

static void touching_pairs_are_covered(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 5);
    uint64_t pairs = 0;
    for (uint32_t round = 0; round < fixture_count(200); round++) {
        subject s[2];
        make_subjects(test_context, 400, &r, s);
        pliant_proxy_options options = random_roles(&r);
        for (int step = 0; step < 2; step++) {
            brute_pairs truth;
            pliant_proxy_contacts got;
            subjects_set_apart(s, &r);
            subjects_find_truth(s, &r, &truth);
            assert_ok(pliant_collide_proxies(test_query, s[0].body, s[1].body, &options, &got));
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
        subjects_destroy(s);
    }
    assert_true(pairs > 0);
    print_message("  %llu pairs that touch\n", (unsigned long long)pairs);
}

static void every_budget_covers_every_contact(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 6);
    uint64_t spent = 0;
    for (uint32_t round = 0; round < fixture_count(40); round++) {
        subject s[2];
        make_subjects(test_context, 300, &r, s);
        brute_pairs truth;
        pliant_proxy_contacts got = {.complete = false};
        pliant_proxy_options options = random_roles(&r);
        subjects_find_truth(s, &r, &truth);
        uint64_t budget = 1;
        for (; !got.complete; budget += 1 + budget / 16) {
            options.budget_nodes = budget;
            assert_ok(pliant_collide_proxies(test_query, s[0].body, s[1].body, &options, &got));
            assert_true(pliant_query_get_stats(test_query)->nodes_tested <= budget);
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
        assert_ok(pliant_collide_proxies(test_query, s[0].body, s[1].body, &options, &got));
        assert_int_equal(count_uncovered(&s[0], &s[1], &truth, got.contacts, got.count), 0);
        brute_free(&truth);
        subjects_destroy(s);
    }
    assert_true(spent > 0);
}

/* pliant_find_within() reaches further by the errors, so that pairs of the meshes meant are found.
 */
static void within_reaches_over_errors(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 7);
    uint64_t beyond = 0;
    for (uint32_t round = 0; round < fixture_count(60); round++) {
        subject s[2];
        for (int i = 0; i < 2; i++) {
            subject_def def = subject_def_random(400, &r);
            def.error = 0.02f;
            s[i] = subject_create(test_context, def, &r);
        }
        brute_pairs truth;
        pliant_proximities got;
        subjects_find_truth(s, &r, &truth);
        assert_ok(pliant_find_within(test_query, s[0].body, s[1].body, 0.0f, NULL, &got));
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
        subjects_destroy(s);
    }
    assert_true(beyond > 0);
}

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
        pliant_member_def member = pliant_member_def_default();
        h.proxies[i] = member.proxies = rng_below(&r, 3) > 0;
        subject_def def = subject_def_random(300, &r);
        def.proxy_triangles = 1 + i * 3;
        def.error = i % 5 == 0 ? 0.01f : 0.0f;
        h.s[i] = subject_create(h.context, def, &r);
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
        subjects_set_apart(h->s + i, &r);
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
    uint64_t hash = got->count;
    for (int i = 0; i < 4; i++) {
        hash = (hash ^ counts[i]) * UINT64_C(0x100000001b3);
    }
    for (uint32_t i = 0; i < got->body_pair_count; i++) { /* whose structs have padding */
        const pliant_scene_pair *p = &got->bodies[i];
        uint64_t pair[4] = {p->a.index, p->b.index, p->count, p->complete};
        hash = hash_bytes(hash, pair, sizeof pair);
    }
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
            pliant_proxy_options pair = pliant_proxy_options_default();
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
                subjects_find_truth(both, &r, &truth);
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
            pliant_context *context =
                fixture_context_with(PLIANT_ISA_BEST, ask_pairs ? 2 : workers);
            pliant_query *query = NULL;
            assert_ok(pliant_query_create(context, &query));
            herd h = herd_create(context, HERD, round);
            uint64_t hash = 0;
            for (uint32_t step = 0; step < 3; step++) {
                pliant_scene_options options = pliant_scene_options_default();
                pliant_scene_proxy_contacts got = {.count = 0};
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
    /* The very first step has no front yet, so its boxes of proxies are others than when it comes
       again after the last one: the third pass is the one that repeats what was before. */
    for (uint32_t pass = 0; pass < 3; pass++) {
        before = allocator.calls;
        for (uint32_t step = 0; step < 4; step++) {
            pliant_scene_proxy_contacts got;
            pliant_proxy_contacts one;
            pliant_proxy_options options = pliant_proxy_options_default();
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
    subject_def with = {.kind = MODEL_REDUCED, .triangles = 300, .proxy_triangles = 8};
    subject_def without = {.kind = MODEL_KINDS, .triangles = 300};
    subject s[2] = {subject_create(test_context, with, &r),
                    subject_create(test_context, without, &r)};
    pliant_proxy_contacts got;
    pliant_proxy_options options = pliant_proxy_options_default();
    pliant_body *a = s[0].body, *b = s[1].body;
    assert_int_equal(pliant_collide_proxies(test_query, a, a, NULL, &got), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_collide_proxies(test_query, a, b, NULL, &got), PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "the second body"));
    assert_int_equal(pliant_collide_proxies(test_query, b, a, NULL, &got), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_collide_proxies(NULL, a, b, NULL, &got), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_collide_proxies(test_query, NULL, b, NULL, &got),
                     PLIANT_ERROR_ARGUMENT);
    options.proxies_b = false;
    assert_int_equal(pliant_collide_proxies(test_query, a, b, &options, NULL),
                     PLIANT_ERROR_ARGUMENT);
    assert_ok(pliant_collide_proxies(test_query, a, b, &options, &got));
    options.tag++;
    assert_int_equal(pliant_collide_proxies(test_query, a, b, &options, &got),
                     PLIANT_ERROR_ARGUMENT);

    uint32_t count = 7;
    assert_ok(pliant_shape_get_proxies(s[1].shape, NULL, 0, &count));
    assert_int_equal(count, 0);
    pliant_proxy beyond = {UINT32_MAX, 1}, none = {0, 0}, wide = {0, UINT32_MAX};
    assert_int_equal(pliant_shape_get_proxy_triangles(s[0].shape, beyond, NULL, 0, &count),
                     PLIANT_ERROR_RANGE);
    assert_int_equal(pliant_shape_get_proxy_triangles(s[0].shape, none, NULL, 0, &count),
                     PLIANT_ERROR_RANGE);
    assert_int_equal(pliant_shape_get_proxy_vertex(s[0].shape, wide, &count), PLIANT_ERROR_RANGE);

    pliant_scene *scene = NULL;
    pliant_body_id id;
    pliant_member_def member = pliant_member_def_default();
    member.proxies = true;
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    assert_int_equal(pliant_scene_add(scene, b, &member, &id), PLIANT_ERROR_ARGUMENT);
    assert_ok(pliant_scene_add(scene, b, NULL, &id));
    assert_int_equal(pliant_scene_set_member(scene, id, &member), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_scene_collide_proxies(scene, NULL, NULL), PLIANT_ERROR_ARGUMENT);
    pliant_scene_destroy(scene);
    subjects_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touching_pairs_are_covered),
        cmocka_unit_test(every_budget_covers_every_contact),
        cmocka_unit_test(within_reaches_over_errors),
        cmocka_unit_test(scenes_equal_their_pairs),
        cmocka_unit_test(warm_scenes_allocate_nothing),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, test_query_tear_down);
}
