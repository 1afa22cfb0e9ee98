#include "crowd_motion.h"

#include <string.h>

#include "lab/harness/contest.h"
#include "gallery/crowd.h"

enum { MAX_CONTACTS = BENCH_MAX_BODIES * (BENCH_MAX_BODIES - 1) / 2 };

/* Asks which bodies touch at the last step known, and lets the crowd respond. */
static bool record_step(gallery_scene *scene, void *state, bench_frame *live)
{
    crowd_contact contacts[MAX_CONTACTS];
    bench_outcome outcome = {0};
    for (uint32_t i = 0; i < scene->body_count; i++) {
        gallery_evaluate(scene, i, crowd_last_step(scene), live->world[i]);
    }
    if (!bench_scene_auto.step(state, live, true, &outcome)) {
        return false;
    }
    for (uint32_t i = 0; i < outcome.range_count; i++) {
        contacts[i] = (crowd_contact){outcome.ranges[i].a, outcome.ranges[i].b};
    }
    crowd_step(scene, contacts, outcome.range_count);
    return true;
}

static bool record(const bench_settings *settings, gallery_scene *scene)
{
    bench_motion motion;
    void *state = NULL;
    bool done = bench_motion_of_scene(scene, scene->steps, &motion);
    if (done) {
        state = bench_scene_auto.create(&bench_scene_auto, &motion, settings);
        done = state != NULL;
    }
    crowd_restart(scene);
    for (uint32_t step = 0; done && step < scene->steps; step++) {
        bench_progress(settings, "recording", step, scene->steps);
        bench_let_clock_run(true); /* the method reads the clock, but nothing is measured */
        done = record_step(scene, state, &motion.live);
        bench_let_clock_run(false);
    }
    if (state != NULL) {
        bench_scene_auto.destroy(state);
    }
    bench_motion_free(&motion);
    return done;
}

bool crowd_motion_record(const bench_settings *settings, const gallery_kind *kind, uint32_t stride,
                         crowd_motion *crowd, bench_report *report)
{
    memset(crowd, 0, sizeof *crowd);
    gallery_settings wanted = {.seed = settings->seed};
    crowd->scene = gallery_create(kind, &wanted);
    if (crowd->scene == NULL) {
        return report_fail(report, "not enough memory");
    }
    if (settings->length != BENCH_QUICK && !record(settings, crowd->scene)) {
        return report_fail(report, "the crowd cannot be recorded: %s", pliant_last_error());
    }
    if (!bench_motion_of_scene(crowd->scene, stride, &crowd->motion)) {
        return report_fail(report, "not enough memory");
    }
    return true;
}

void crowd_motion_free(crowd_motion *crowd)
{
    bench_motion_free(&crowd->motion);
    gallery_destroy(crowd->scene);
}
