/*
 * A scene that lives a random life: bodies of all kinds come, move, change and go, and it is asked
 * everything, with filters. The same seed is the same life, whether it is recorded or not.
 */
#ifndef PLIANT_TESTS_RECORDED_WORLD_H
#define PLIANT_TESTS_RECORDED_WORLD_H

#include "models.h"

/* What a recording wrote. */
typedef struct written_bytes {
    uint8_t *bytes;
    uint64_t size, capacity;
    uint64_t calls;
    uint64_t refused_call; /* the number of the call that is refused, from 1 on; 0: none */
} written_bytes;

/* A pliant_recording_callback; `user` is a written_bytes. */
bool written_bytes_take(void *user, const void *bytes, uint64_t size);

typedef struct recorded_life {
    uint64_t answers;      /* a hash of all answers and counts */
    uint64_t questions;    /* asked while it was recorded */
    pliant_result stopped; /* what pliant_scene_stop_recording() said; PLIANT_OK without one */
    bool recorded_to_end;  /* pliant_scene_is_recording() before that */
} recorded_life;

/* Lives `steps` steps, of which those behind the first two are recorded; `written` NULL: none. */
recorded_life recorded_world_live(pliant_context *context, uint64_t seed, uint32_t steps,
                                  written_bytes *written);

#endif
