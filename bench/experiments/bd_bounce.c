#include "bd_bounce.h"

#include <string.h>

/* Both bodies and what asks about them. */
typedef struct touch_probe {
    pliant_context *context;
    pliant_shape *shapes[2];
    pliant_body *bodies[2];
    pliant_query *query;
} touch_probe;

static bool probe_create(const reduced_pair *pair, touch_probe *probe)
{
    bool done = reduced_create_context(pair->settings, &probe->context) &&
                pliant_query_create(probe->context, &probe->query) == PLIANT_OK;
    for (int i = 0; done && i < 2; i++) {
        pliant_shape_def def = reduced_shape_def(&pair->actors[i].mesh, &pair->actors[i].model);
        done = pliant_shape_create(probe->context, &def, &probe->shapes[i]) == PLIANT_OK &&
               pliant_body_create(probe->shapes[i], NULL, &probe->bodies[i]) == PLIANT_OK;
    }
    return done;
}

static void probe_destroy(touch_probe *probe)
{
    pliant_query_destroy(probe->query);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(probe->bodies[i]);
        pliant_shape_destroy(probe->shapes[i]);
    }
    pliant_context_destroy(probe->context);
}

/* Whether the two touch in a frame. False, too, when asking fails. */
static bool touches(const reduced_pair *pair, touch_probe *probe, uint32_t frame, bool *failed)
{
    pliant_contacts contacts = {0};
    bool done = true;
    for (int i = 0; done && i < 2; i++) {
        const reduced_actor *actor = &pair->actors[i];
        done = reduced_set(probe->bodies[i], &actor->model,
                           actor->coordinates + (size_t)frame * actor->model.mode_count,
                           actor->transforms + (size_t)frame * 12);
    }
    done = done && pliant_collide(probe->query, probe->bodies[0], probe->bodies[1], NULL,
                                  &contacts) == PLIANT_OK;
    *failed = !done;
    return done && contacts.count > 0;
}

bool bounce_second(const reduced_pair *pair, float *transforms)
{
    touch_probe probe = {0};
    bool failed = !probe_create(pair, &probe);
    uint32_t first = 0, last = pair->frame_count - 1;
    while (!failed && first < last && !touches(pair, &probe, first, &failed)) {
        first++;
    }
    probe_destroy(&probe);
    for (uint32_t frame = 0; !failed && frame < pair->frame_count; frame++) {
        uint32_t from = frame <= first ? frame : frame - first < first ? 2 * first - frame : 0;
        memcpy(transforms + (size_t)12 * frame, pair->actors[1].transforms + (size_t)12 * from,
               12 * sizeof *transforms);
    }
    return !failed;
}
