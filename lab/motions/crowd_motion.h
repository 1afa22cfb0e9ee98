/*
 * The crowds of experiment 3 as motions. Where bodies go depends on what touched, so the motion is
 * recorded once, with exact contacts found by the library; then everybody is measured on the same.
 */
#ifndef LAB_MOTIONS_CROWD_MOTION_H
#define LAB_MOTIONS_CROWD_MOTION_H

#include "lab/harness/bench.h"
#include "motion.h"

typedef struct crowd_motion {
    gallery_scene *scene;
    bench_motion motion;
} crowd_motion;

/*
 * Records a crowd and keeps every so many steps. A quick run keeps the rough motion that the scene
 * comes with. False, with the reason in the report, when it fails; crowd_motion_free() is due in
 * any case.
 */
bool crowd_motion_record(const bench_settings *settings, const gallery_kind *kind, uint32_t stride,
                         crowd_motion *crowd, bench_report *report);
void crowd_motion_free(crowd_motion *crowd);

#endif
