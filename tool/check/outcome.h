/*
 * What the check of one file, or of files in one world, came to: a copy of what reports for other
 * machines are made of, so that the check itself can go. Of a check that failed it is the sentence.
 */
#ifndef TOOL_CHECK_OUTCOME_H
#define TOOL_CHECK_OUTCOME_H

#include "check.h"

/* A finding, with the names of what it is about. */
typedef struct outcome_finding {
    check_finding found; /* its `place` is NULL: the next ones have it */
    char *clip, *a, *b, *place;
    double time; /* of the deepest frame, seconds */
} outcome_finding;

typedef struct check_outcome {
    char *path;                /* as it was given; of several files the first */
    char *error;               /* NULL, or why it was not checked */
    outcome_finding *findings; /* in the order of the check's */
    char **clips, **notes;
    uint32_t finding_count, failing_count, clip_count, note_count;
    check_compared compared;
    check_result result; /* CHECK_DONE: it was checked */
    bool fails;
} check_outcome;

/* Copies what a check came to; `result` is that of check_fill(). False without memory. */
bool check_outcome_take(check_outcome *outcome, const check *state, const char *path,
                        check_result result);
void check_outcome_free(check_outcome *outcome);

/* The exit status that goes with it: 0 nothing fails, 1 something does, 2 bad input, 3 anything
   else. */
int check_outcome_status(const check_outcome *outcome);

/* The largest of all of them. */
int check_outcomes_status(const check_outcome *outcomes, uint32_t count);

/* How much of what there is in many outcomes. */
typedef struct outcome_totals {
    uint32_t good, failing, broken; /* files */
    uint32_t failing_findings;
    check_compared compared;
} outcome_totals;

outcome_totals check_outcomes_total(const check_outcome *outcomes, uint32_t count);

/* "body + suit", or "body with itself", or "eye inside head". */
void check_outcome_bodies(const outcome_finding *finding, char *text, size_t capacity);

/* One sentence about a finding, without its clip: what, where, how deep, in which frames. */
void check_outcome_sentence(const outcome_finding *finding, char *text, size_t capacity);

/* One line about a file: what fails first of all, or what was compared. */
void check_outcome_line(const check_outcome *outcome, char *text, size_t capacity);

/* Writers for other programs, of one file or many. Write errors stay in the stream. */
void check_write_failure_json(const check_outcome *outcome, FILE *stream); /* of one that failed */
void check_write_outcomes_json(const check_outcome *outcomes, uint32_t count, FILE *stream);
void check_write_junit(const check_outcome *outcomes, uint32_t count, FILE *stream);
void check_write_markdown(const check_outcome *outcomes, uint32_t count, FILE *stream);
void check_write_annotations(const check_outcome *outcomes, uint32_t count, FILE *stream);

#endif
