/*
 * One page for many: a table, and behind each of its rows a report of its own, which the page
 * unpacks when it is looked at.
 */
#ifndef TOOL_REPORT_BATCH_H
#define TOOL_REPORT_BATCH_H

#include "page.h"

/* The data of one report as it stands in a page, compressed. */
typedef struct report_block {
    unsigned char *bytes;
    size_t size;
} report_block;

/* Packs a report. False: there was no memory. */
bool report_pack(report *page, report_block *block);
void report_block_free(report_block *block);

/* A row of the table. Texts are read when it is added, blocks when the page is written. */
typedef struct report_batch_row {
    const char *name, *line; /* the file, and what there is to say about it */
    int status;              /* 0: nothing fails, 1: something does, above: it was not checked */
    uint32_t failing, known; /* findings */
    uint32_t frames;
    double depth, percent;     /* of the deepest that fails; 0: none */
    const report_block *block; /* NULL: there is nothing to look at */
} report_batch_row;

typedef struct report_batch report_batch;

/* NULL without memory. */
report_batch *report_batch_create(const char *title, const char *description);
void report_batch_destroy(report_batch *page);
void report_batch_add(report_batch *page, const report_batch_row *row);

/* Writes the page. Write errors stay in the stream; false: there was no memory. */
bool report_batch_write(report_batch *page, FILE *stream);

#endif
