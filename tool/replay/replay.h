/*
 * Playing a recording of a scene (pliant/recording.h) again, without a command: bytes in, a verdict
 * per question out. The bytes are not trusted: whatever they are, playing ends, with a sentence
 * where they are no recording.
 */
#ifndef TOOL_REPLAY_REPLAY_H
#define TOOL_REPLAY_REPLAY_H

#include "pliant/pliant.h"

/* How an answer compares with the recorded one. */
typedef enum replay_verdict {
    REPLAY_SAME,
    REPLAY_DIFFERS,
    REPLAY_NOT_COMPARED, /* the recorded one depended on time, memory or what was asked before */
    REPLAY_UNANSWERED    /* the recording ends with the question */
} replay_verdict;

const char *replay_verdict_name(replay_verdict verdict);

typedef struct replay_question {
    uint64_t number;  /* from 1 on */
    const char *name; /* "collide" for example */
    uint32_t body_count;
    pliant_recorded_answer recorded, played; /* the first is empty if the result is missing */
    replay_verdict verdict;
    const char *field; /* REPLAY_DIFFERS: the first field that differs, "pairs.a" for example */
} replay_question;

typedef struct replay_settings {
    uint32_t threads; /* workers; 1 to 256 */
    pliant_isa isa;
    uint64_t from, to; /* only these questions are asked, of the others only the states are set */
    void (*tell)(void *user, const replay_question *question); /* after each that was asked */
    void *user;
} replay_settings;

/* All queries, one thread, the best instruction set, no function to call. */
replay_settings replay_settings_default(void);

typedef struct replay_summary {
    uint32_t recorded_version, recorded_threads; /* PLIANT_VERSION and workers of the recording */
    pliant_isa recorded_isa;                     /* instruction set of the recording */
    uint32_t shape_count;
    uint64_t question_count, asked_count;
    uint64_t differing_count, first_differing; /* the latter 0: none */
    uint64_t not_compared_count;
    bool out_of_memory; /* the reason of an error that is not the file's */
    char error[320];    /* "": the recording was played to its end */
} replay_summary;

void replay_play(const void *data, uint64_t size, const replay_settings *settings,
                 replay_summary *summary);

/* Makes the checksums of all chunks fit, as far as there are chunks: for tests of what lies behind
   them. */
void replay_seal(void *data, uint64_t size);

#endif
