/*
 * Many files, each checked by itself, several at the same time within one process. Outcomes come in
 * the order of the files, whatever the order in which they end; a file that cannot be checked does
 * not stop the others.
 */
#ifndef TOOL_CHECK_BATCH_H
#define TOOL_CHECK_BATCH_H

#include "outcome.h"
#include "tool/report/batch.h"

/* One file: settings in, outcome out. */
typedef struct batch_file {
    check_settings settings; /* with `files` and `threads` set */
    const char *error;       /* NULL, or why there is nothing to check: a folder that is closed */
    check_outcome outcome;
    report_block page; /* its part of a page; empty unless pages are kept */
} batch_file;

typedef struct check_batch {
    batch_file *files;
    uint32_t count;
    uint32_t jobs; /* at most so many at the same time; 0 counts as 1 */
    bool keep_pages;
    /* Called for every file in order, from one thread at a time, as soon as it and all before it
       are done; may be NULL. */
    void (*done)(void *user, const batch_file *file, uint32_t index);
    void *user;
} check_batch;

/* Checks all files. False: there was no memory for an outcome. */
bool check_batch_run(check_batch *batch);

/* Frees outcomes and pages; the list itself is the caller's. */
void check_batch_free(check_batch *batch);

/* One page for all of them, with a table of files. Write errors stay in the stream; false: there
   was no memory. */
bool check_batch_write_page(const check_batch *batch, const char *title, FILE *stream);

#endif
