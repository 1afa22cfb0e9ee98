/*
 * Recording a scene. A query is written in three steps: changes since the last query and the query
 * itself (pli_recording_ask()), decisions of filters (pli_recording_note_filter()), the result
 * (pli_recording_answer()). Without a recording each is one branch.
 *
 * The tables of what a query's arguments and result consist of are generated: recorded.inl. A new
 * query is recorded by its number in interface/queries.toml and the two calls.
 */
#ifndef PLI_SCENE_RECORDING_H
#define PLI_SCENE_RECORDING_H

#include "pliant/recording.h"
#include "pliant/scene_query.h"
#include "pliant/volume.h"

#include "recording_stream.h"
#include "scene.h"

/* The part of a field that a recording keeps. */
typedef enum pli_recorded_kind {
    PLI_KEEPS_NUMBERS, /* its bytes */
    PLI_KEEPS_FLAG,    /* one byte: 1 if a byte of it is set, for truth values and functions */
    PLI_KEEPS_BODY     /* the slot of a pliant_body_id plus 1; 0 without a body */
} pli_recorded_kind;

/* Effects on the comparison of results if an option is set: */
enum {
    PLI_UNREPEATABLE = 1, /* results depend on time or earlier calls, or go to a callback */
    PLI_ONLY_FIRST        /* only some fields of results are repeatable */
};

typedef struct pli_recorded_field {
    uint16_t offset, size; /* in bytes, in its struct */
    uint8_t keeps;         /* a pli_recorded_kind */
    uint8_t effect;        /* of an option: 0 or one of the above */
} pli_recorded_field;

typedef struct pli_recorded_argument {
    enum {
        PLI_ARGUMENT_VALUE,   /* a number or a struct */
        PLI_ARGUMENT_OPTIONS, /* the same, or NULL */
        PLI_ARGUMENT_ITEMS    /* an array, which is one of the results' too */
    } how;
    uint32_t size; /* of the struct in bytes */
    const pli_recorded_field *fields;
    uint32_t field_count;
} pli_recorded_argument;

/* The elements of one array of a result, and their fields; each field has a checksum. */
typedef struct pli_recorded_elements {
    enum {
        PLI_ELEMENTS_ITSELF, /* the result is the only element */
        PLI_ELEMENTS_ITEMS,  /* the result is an array, one element per item */
        PLI_ELEMENTS_LIST,   /* the result has a pointer to them, and their number */
        PLI_ELEMENTS_STARTS  /* the result has a pointer to them; one per item and one more */
    } how;
    uint16_t pointer, count, count_size; /* where both are in the result, in bytes */
    uint32_t size;                       /* of an element in bytes */
    const pli_recorded_field *fields;
    uint32_t field_count;
} pli_recorded_elements;

/* A number that sums up a result for readers. */
typedef struct pli_recorded_count {
    enum {
        PLI_COUNT_FIELD, /* a field of the result */
        PLI_COUNT_ITEMS, /* the items */
        PLI_COUNT_FOUND  /* elements with a body, or that are true */
    } how;
    uint16_t offset, size; /* of the field, in the result or an element */
} pli_recorded_count;

/* How a query is recorded. */
typedef struct pli_recorded_query {
    uint32_t signature; /* differs if another version records other fields */
    const pli_recorded_argument *arguments;
    uint32_t argument_count;
    const pli_recorded_elements *elements;
    uint32_t element_count;
    uint32_t field_count;    /* of all elements */
    uint64_t compared_first; /* those that are comparable with PLI_ONLY_FIRST: bits */
    pli_recorded_count bodies, found;
} pli_recorded_query;

enum { PLI_RECORDED_ARGUMENTS = 4 };

/* A call that is recorded: its arguments in the order of the C function's. */
typedef struct pli_recorded_call {
    pliant_recorded_question query;
    const void *arguments[PLI_RECORDED_ARGUMENTS]; /* without objects, count and stride */
    uint64_t count;                                /* of items */
    size_t stride;                                 /* of items in bytes; 0: side by side */
    bool unrepeatable;                             /* its result is not to be compared */
} pli_recorded_call;

/* Equal shapes are written once. */
typedef struct pli_recorded_shape {
    uint64_t checksum, size;
} pli_recorded_shape;

enum { PLI_STATE_PARTS = 4, PLI_FILTERS_AT_ONCE = 256 };

/* The state of a slot when it was last written. */
typedef struct pli_recorded_member {
    uint32_t generation;  /* 0: the slot is empty */
    uint32_t start;       /* the id of the body's start; 0: it has begun no step */
    uint64_t how;         /* checksum of how it takes part */
    uint64_t state;       /* state number of the body */
    uint64_t start_state; /* state number of its start */
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

/* recorded.c: writes the arguments of a query; its result, of which `summary` has the rest. */
void pli_recording_write_arguments(pli_recording_stream *stream, const pli_recorded_call *call);
void pli_recording_write_result(const pliant_scene *scene, const pli_recorded_call *call,
                                const void *result, pliant_recorded_answer *summary);

/* recording_members.c: writes what has changed since the last question. */
void pli_recording_write_changes(pliant_scene *scene);

/* recording.c: */
void pli_recording_write_ask(pliant_scene *scene, const pli_recorded_call *call);
void pli_recording_write_answer(pliant_scene *scene, const pli_recorded_call *call,
                                pliant_result result, const void *answer);
void pli_recording_write_filter(pli_recording *recording, uint32_t a, uint32_t b, bool passes);

/* The scene ends, and with it its recording, if it has one. */
void pli_recording_end(pliant_scene *scene);

/* Before a query runs, within its call. */
static inline void pli_recording_ask(pliant_scene *scene, const pli_recorded_call *call)
{
    if (scene->recording != NULL) {
        pli_recording_write_ask(scene, call);
    }
}

/* After it, still within its call; returns `result`. `answer` is the struct or array that the query
   returns; it is read only if `result` is PLIANT_OK. */
static inline pliant_result pli_recording_answer(pliant_scene *scene, const pli_recorded_call *call,
                                                 pliant_result result, const void *answer)
{
    if (scene->recording != NULL) {
        pli_recording_write_answer(scene, call, result, answer);
    }
    return result;
}

/* Notes and returns the decision of a filter about two members, or about one (a == b). */
static inline bool pli_recording_note_filter(const pliant_scene *scene, uint32_t a, uint32_t b,
                                             bool passes)
{
    if (scene->recording != NULL) {
        pli_recording_write_filter(scene->recording, a, b, passes);
    }
    return passes;
}

#endif
