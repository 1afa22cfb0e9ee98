#include "broad_fixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static bool boxes_overlap(const pliant_box *a, const pliant_box *b)
{
    for (int axis = 0; axis < 3; axis++) {
        if (a->lower[axis] > b->upper[axis] || b->lower[axis] > a->upper[axis]) {
            return false;
        }
    }
    return true;
}

void world_find_pairs(world *w)
{
    w->key_count = 0;
    for (uint32_t a = 0; a < WORLD_BODIES; a++) {
        for (uint32_t b = a + 1; w->present[a] && b < WORLD_BODIES; b++) {
            if (w->present[b] && boxes_overlap(&w->boxes[a], &w->boxes[b])) {
                w->keys[w->key_count++] = (uint64_t)a << 32 | b;
            }
        }
    }
}

pliant_box random_box(gallery_random *random)
{
    static const double sizes[4] = {0.0, 1.0, 2.0, 9.0};
    bool whole = gallery_random_below(random, 2) == 0;
    uint32_t shape = gallery_random_below(random, 64);
    pliant_box box;
    for (int axis = 0; axis < 3; axis++) {
        double lower = gallery_random_range(random, -8.0, 8.0);
        double size = sizes[gallery_random_below(random, shape < 4 ? 4 : 3)];
        box.lower[axis] = (float)(whole ? floor(lower) : lower);
        box.upper[axis] = box.lower[axis] + (float)size;
        if (shape == 63 || (shape == 62 && axis == 1)) {
            box.lower[axis] = -INFINITY;
            box.upper[axis] = INFINITY;
        } else if (shape == 61) {
            box.upper[axis] = INFINITY;
        } else if (shape == 60) {
            box.lower[axis] = box.upper[axis] = FLT_MAX;
        } else if (shape == 59) {
            box.lower[axis] = -0.0f;
            box.upper[axis] = 0.0f;
        } else if (shape == 58) {
            box.lower[axis] = FLT_TRUE_MIN;
            box.upper[axis] = 2.0f * FLT_TRUE_MIN;
        }
    }
    return box;
}

pliant_box moved_box(gallery_random *random, pliant_box box, double reach)
{
    for (int axis = 0; axis < 3; axis++) {
        float shift = (float)gallery_random_range(random, -reach, reach);
        box.lower[axis] += shift;
        box.upper[axis] += shift;
    }
    return box;
}

pliant_box swarm_box(const swarm *s, uint32_t body)
{
    pliant_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lower[axis] = (float)(s->centres[body][axis] - 0.5);
        box.upper[axis] = (float)(s->centres[body][axis] + 0.5);
    }
    return box;
}

swarm swarm_create(pliant_context *context, pli_broad_kind kind, uint32_t count)
{
    swarm s = {.count = count, .width = 1.5 * cbrt((double)count)};
    s.centres = malloc(count * sizeof *s.centres);
    s.velocities = malloc(count * sizeof *s.velocities);
    assert_true(s.centres != NULL && s.velocities != NULL);
    assert_ok(pli_broad_create(context, kind, &s.broad));
    gallery_random random = gallery_random_seed(count, 0);
    for (uint32_t body = 0; body < count; body++) {
        for (int axis = 0; axis < 3; axis++) {
            s.centres[body][axis] = gallery_random_range(&random, 0.0, s.width);
            s.velocities[body][axis] = gallery_random_range(&random, -1.0, 1.0);
        }
        pliant_box box = swarm_box(&s, body);
        assert_ok(pli_broad_add(s.broad, body, &box));
    }
    return s;
}

void swarm_destroy(swarm *s)
{
    pli_broad_destroy(s->broad);
    free(s->centres);
    free(s->velocities);
}

const pli_broad_stats *swarm_step(swarm *s, double time, size_t *pairs)
{
    for (uint32_t body = 0; body < s->count; body++) {
        for (int axis = 0; axis < 3; axis++) {
            s->centres[body][axis] += time * s->velocities[body][axis];
        }
        pliant_box box = swarm_box(s, body);
        pli_broad_move(s->broad, body, &box);
    }
    const uint64_t *keys = NULL;
    assert_ok(pli_broad_pairs(s->broad, &keys, pairs));
    return pli_broad_get_stats(s->broad);
}

void run_in_turn(void *user, pliant_task task, void *argument, uint32_t count)
{
    const uint32_t *workers = user;
    for (uint32_t i = 0; i < count; i++) {
        task(argument, count - 1 - i, i % *workers);
    }
}
