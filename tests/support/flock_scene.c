#include "flock_scene.h"

#include <stdlib.h>

flock_scene flock_scene_create(const flock *f, pliant_context *context, pliant_broad broad,
                               bool self)
{
    flock_scene a = {.context = context};
    pliant_scene_def scene = pliant_scene_def_default();
    scene.broad = broad;
    assert_ok(pliant_scene_create(a.context, &scene, &a.scene));
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        fixture_tree tree = {(pliant_partition)(i % 4), i % 2 == 0 ? 8 : 2, 1 + i % 8};
        a.shape[i] = fixture_shape(a.context, &f->kind[i]->bodies[0], tree);
        assert_ok(pliant_body_create(a.shape[i], NULL, &a.body[i]));
        assert_ok(pliant_body_set_update(a.body[i], (pliant_update)(i % 4), 0, 1 + i % 2));
        pliant_member_def member = pliant_member_def_default();
        member.self = self && i % 3 == 0;
        assert_ok(pliant_scene_add(a.scene, a.body[i], &member, &a.id[i]));
        assert_int_equal(a.id[i].index, i);
    }
    return a;
}

void flock_scene_share(flock_scene *a, const flock *f)
{
    for (int i = 0; i < FLOCK_BODIES; i++) {
        assert_ok(pliant_body_share_positions(a->body[i], f->positions[i], 0));
    }
}

void flock_scene_free(flock_scene *a)
{
    pliant_scene_destroy(a->scene);
    for (int i = 0; i < FLOCK_BODIES; i++) {
        pliant_body_destroy(a->body[i]);
        pliant_shape_destroy(a->shape[i]);
    }
    pliant_context_destroy(a->context);
}

pliant_scene_stats flock_scene_counts(const pliant_scene *scene)
{
    pliant_scene_stats stats = *pliant_scene_get_stats(scene);
    stats.seconds_broad = stats.seconds_narrow = stats.seconds_collect = 0.0;
    stats.narrow.seconds_update = stats.narrow.seconds_traverse = stats.narrow.seconds_sort = 0.0;
    stats.narrow.bytes = 0;
    return stats;
}

flock_scene_truth *flock_scene_truth_create(const flock *f, bool self)
{
    flock_scene_truth *t = calloc(1, sizeof *t);
    for (uint32_t a = 0; a < FLOCK_BODIES; a++) {
        brute_body x = flock_brute(f, a);
        if (self && a % 3 == 0) {
            brute_collide_self(&x, f->kind[a]->bodies[0].positions, PLIANT_NEIGHBOURS_BEYOND_SHARED,
                               &t->pairs[a][a]);
        }
        for (uint32_t b = a + 1; b < FLOCK_BODIES; b++) {
            brute_body y = flock_brute(f, b);
            brute_collide(&x, &y, &t->pairs[a][b]);
        }
    }
    return t;
}

void flock_scene_truth_free(flock_scene_truth *t)
{
    for (int i = 0; i < FLOCK_BODIES * FLOCK_BODIES; i++) {
        brute_free(&t->pairs[i / FLOCK_BODIES][i % FLOCK_BODIES]);
    }
    free(t);
}

uint64_t flock_scene_check_contacts(const pliant_scene_contacts *contacts,
                                    const flock_scene_truth *t)
{
    uint32_t next = 0;
    uint64_t first = 0;
    for (uint32_t a = 0; a < FLOCK_BODIES; a++) {
        for (uint32_t b = a; b < FLOCK_BODIES; b++) {
            const brute_pairs *expected = &t->pairs[a][b];
            if (expected->count == 0) {
                continue;
            }
            assert_true(next < contacts->body_pair_count);
            const pliant_scene_pair *pair = &contacts->bodies[next++];
            assert_int_equal(pair->a.index, a);
            assert_int_equal(pair->b.index, b);
            assert_int_equal(pair->first, first);
            pliant_contacts part = {.pairs = contacts->pairs + pair->first, .count = pair->count};
            assert_true(brute_equal(expected, &part, "scene"));
            first += pair->count;
        }
    }
    assert_int_equal(next, contacts->body_pair_count);
    assert_int_equal(first, contacts->count);
    return first;
}
