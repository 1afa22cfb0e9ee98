/*
 * Pliant: recordings. A scene's bodies, their states and the questions it is asked, written as they
 * come, so that they can be asked again somewhere else: a bug report in one file. `pliant replay
 * FILE` plays a recording and says whether the answers are the same.
 *
 * A recording has all that answers depend on: shapes as their blocks, positions that are only
 * borrowed, what filters said. It has none of your pointers. It may begin at any time.
 */
#ifndef PLIANT_RECORDING_H
#define PLIANT_RECORDING_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Takes the next bytes of a recording; return false if they could not be kept. A query of the scene
 * calls it several times, from the thread of the query. Other queries of the scene, and calls that
 * change the scene or its bodies, fail with PLIANT_ERROR_STATE until the query ends.
 */
typedef bool (*pliant_recording_callback)(void *user, const void *bytes, uint64_t size);

typedef struct pliant_recording_options {
    uint32_t tag;                    /* set by pliant_recording_options_default() */
    pliant_recording_callback write; /* must be set */
    void *write_user;
} pliant_recording_options;

PLIANT_DEFAULT(pliant_recording_options)

/*
 * Begins to record a scene, until pliant_scene_stop_recording() or the scene's end. A query of the
 * scene then writes the changes since the last query and its own arguments before it runs. So the
 * last query of a program that crashes is in the file. After it runs it writes a summary of its
 * result. Results and counts are the same as without a recording. A recording holds up to 128 bytes
 * per slot, 32 per shape and 8 KiB, however long it is. One recording of a scene at a time.
 *
 * If `write` returns false, or memory runs out, the recording ends: the scene still works and has
 * the same results, the library logs a warning, and pliant_scene_stop_recording() fails.
 */
PLIANT_API pliant_result pliant_scene_record(pliant_scene *scene,
                                             const pliant_recording_options *options);

/* Ends a recording. Fails, with the reason, if it ended before: what was written up to there is a
   recording without its end. A scene that is not being recorded is PLIANT_ERROR_STATE. */
PLIANT_API pliant_result pliant_scene_stop_recording(pliant_scene *scene);

/* Whether questions are being recorded: false once a recording has ended by itself. */
PLIANT_API bool pliant_scene_is_recording(const pliant_scene *scene);

/*
 * The format, for programs that read recordings; docs/recording.md has the fields. A recording is
 * the 8 bytes "pliantrc", a version (4 bytes), the number 0x01020304 (4 bytes) in the byte order of
 * the machine, and chunks. A chunk is its kind (4 bytes), 0 (4 bytes), the size of its content (8
 * bytes), the content and a checksum of all of these (8 bytes).
 */
#define PLIANT_RECORDING_VERSION 2

typedef enum pliant_recording_chunk {
    PLIANT_CHUNK_SCENE = 1, /* once, first: how the scene was made */
    PLIANT_CHUNK_SHAPE,     /* a block of pliant_shape_write(), once for equal ones */
    PLIANT_CHUNK_REMOVAL,   /* a body has left its slot */
    PLIANT_CHUNK_MEMBER,    /* a body is in a slot, and how */
    PLIANT_CHUNK_STATE,     /* the state of the body in a slot */
    PLIANT_CHUNK_QUESTION,  /* a query and its arguments */
    PLIANT_CHUNK_FILTER,    /* decisions of the filter; any number of these chunks */
    PLIANT_CHUNK_ANSWER,    /* a pliant_recorded_answer as it is in memory, and checksums */
    PLIANT_CHUNK_END,       /* once, last */
    PLIANT_CHUNK_STEP       /* the body in a slot begins a step, or its step ends */
} pliant_recording_chunk;

typedef enum pliant_recorded_question {
    PLIANT_RECORDED_COLLIDE = 1,
    PLIANT_RECORDED_COLLIDE_PROXIES,
    PLIANT_RECORDED_FIND_WITHIN,
    PLIANT_RECORDED_FIND_FEATURES,
    PLIANT_RECORDED_INTERSECT_VOLUMES,
    PLIANT_RECORDED_RAYCAST,
    PLIANT_RECORDED_RAYCAST_ANY,
    PLIANT_RECORDED_RAYCAST_ALL,
    PLIANT_RECORDED_FIND_CLOSEST_POINTS,
    PLIANT_RECORDED_MEASURE_DISTANCES,
    PLIANT_RECORDED_OVERLAP_BOX,
    PLIANT_RECORDED_FIND_MEETINGS,
    PLIANT_RECORDED_FIND_FREE_TIME
} pliant_recorded_question;

/* Content of a chunk about a state: bits. */
typedef enum pliant_recorded_state {
    PLIANT_STATE_POSITIONS = 1,   /* three numbers per vertex */
    PLIANT_STATE_BORROWED = 2,    /* the positions were shared, not set: they may not be finite */
    PLIANT_STATE_COORDINATES = 4, /* one number per mode */
    PLIANT_STATE_TRANSFORMS = 8,  /* twelve numbers per joint */
    PLIANT_STATE_WORLD = 32,      /* twelve numbers: the world transform */
    PLIANT_STATE_NO_WORLD = 64,   /* there is none any more */
    PLIANT_STATE_INVALID = 16     /* a position that is not finite had been met */
} pliant_recorded_state;

/* Content of a chunk about a step: bits. */
typedef enum pliant_recorded_step {
    PLIANT_STEP_BEGINS = 1, /* in the state that the body has been given so far; else it ends */
    PLIANT_STEP_INVALID = 2 /* a position at its start that is not finite had been met */
} pliant_recorded_step;

/* How a body takes part: bits of a chunk about a member. */
typedef enum pliant_recorded_member {
    PLIANT_MEMBER_SELF = 1,
    PLIANT_MEMBER_PROXIES = 2,
    PLIANT_MEMBER_LOOSE_BOX = 4,
    PLIANT_MEMBER_COHERENT = 8, /* the body is coherent */
    PLIANT_MEMBER_STATIC = 32,
    PLIANT_MEMBER_REBUILD = 64, /* its tree may be rebuilt */
    PLIANT_MEMBER_NEW = 16      /* it is a new body, in the rest state of its shape */
} pliant_recorded_member;

/* A summary of the result of a query. In a recording one checksum per field of the result follows;
   docs/recording.md lists the fields. */
typedef struct pliant_recorded_answer {
    uint32_t result;     /* a pliant_result */
    uint32_t comparable; /* 1: the same query has the same result. 0: it may depend on time, on
                            memory or on earlier calls */
    uint64_t counts[2];  /* pairs of bodies, bodies, rays or points; contacts, hits or triangles */
    uint64_t checksum;   /* of the checksums of all fields */
    double seconds;      /* of the call */
    char sentence[160];  /* the message of a failure; otherwise 0 */
} pliant_recorded_answer;

#ifdef __cplusplus
}
#endif

#endif
