/*
 * Recording a scene. A question is written in three steps: what has changed and what is asked
 * (pli_recording_ask()), what the filter says (pli_recording_note_filter()), what was answered
 * (pli_recording_answer()). Without a recording each is one branch.
 *
 * A new question is a number in pliant/recording.h, a row of the table in recording_questions.c
 * with a function that writes its arguments and one that sums up its answer, and in the replay a
 * row that reads the arguments and asks (tool/replay/ask.c).
 */
#ifndef PLI_SCENE_RECORDING_H
#define PLI_SCENE_RECORDING_H

#include "pliant/recording.h"
#include "pliant/scene_query.h"
#include "pliant/volume.h"

#include "recording_stream.h"
#include "scene.h"

/* What is asked; which members matter depends on the question. */
typedef struct pli_recorded_question {
    pliant_recorded_question question;
    const pliant_scene_options *options; /* NULL: defaults */
    const pliant_scene_select *select;   /* NULL: everybody */
    const pliant_volume_options *volume_options;
    bool by_backend;   /* volumes: not by the processor */
    const void *items; /* rays or points, */
    uint64_t item_count;
    size_t item_size, item_stride; /* in bytes */
    const pliant_box *box;
    float distance;
    pliant_side_rule side;
} pli_recorded_question;

/* Equal shapes are written once. */
typedef struct pli_recorded_shape {
    uint64_t checksum, size;
} pli_recorded_shape;

enum { PLI_STATE_PARTS = 4, PLI_FILTERS_AT_ONCE = 256 };

/* What the recording knows of a slot. */
typedef struct pli_recorded_member {
    uint32_t generation;  /* 0: nobody is there */
    uint32_t start;       /* the id of the body's start; 0: it has begun no step */
    uint64_t how;         /* checksum of how it takes part */
    uint64_t state;       /* of the body, */
    uint64_t start_state; /* and of its start */
    uint64_t part[PLI_STATE_PARTS];
} pli_recorded_member;

struct pli_recording {
    pli_recording_stream stream;
    uint64_t question_count;
    double asked_at;
    uint32_t filter_count;
    uint64_t filters[PLI_FILTERS_AT_ONCE]; /* a << 32 | b, and bit 63: let through */
    union {
        struct {
            PLI_ARRAY(pli_recorded_member) members; /* by slot */
            PLI_ARRAY(pli_recorded_shape) shapes;
        };
        pli_array arrays[2];
    };
};

PLI_CHECK_ARRAYS(struct pli_recording);

/* recording_questions.c: writes the arguments of a question; sums up its answer. */
void pli_recording_write_question(pli_recording_stream *stream, const pli_recorded_question *asked);
void pli_recording_sum_up(const pliant_scene *scene, const pli_recorded_question *asked,
                          const void *answer, pliant_recorded_answer *summary);

/* recording_members.c: writes what has changed since the last question. */
void pli_recording_write_changes(pliant_scene *scene);

/* recording.c: */
void pli_recording_write_ask(pliant_scene *scene, const pli_recorded_question *asked);
void pli_recording_write_answer(pliant_scene *scene, const pli_recorded_question *asked,
                                pliant_result result, const void *answer);
void pli_recording_write_filter(pli_recording *recording, uint32_t a, uint32_t b, bool passes);

/* The scene ends, and with it its recording, if it has one. */
void pli_recording_end(pliant_scene *scene);

/* Before a question is answered, within its call. */
static inline void pli_recording_ask(pliant_scene *scene, const pli_recorded_question *asked)
{
    if (scene->recording != NULL) {
        pli_recording_write_ask(scene, asked);
    }
}

/* After it, still within its call; returns `result`. `answer` is what the question gives, and is
   read only if that is PLIANT_OK. */
static inline pliant_result pli_recording_answer(pliant_scene *scene,
                                                 const pli_recorded_question *asked,
                                                 pliant_result result, const void *answer)
{
    if (scene->recording != NULL) {
        pli_recording_write_answer(scene, asked, result, answer);
    }
    return result;
}

/* A filter was asked about two members, or about one (a == b); returns what it said. */
static inline bool pli_recording_note_filter(const pliant_scene *scene, uint32_t a, uint32_t b,
                                             bool passes)
{
    if (scene->recording != NULL) {
        pli_recording_write_filter(scene->recording, a, b, passes);
    }
    return passes;
}

#endif
