/* The template of the page, and how data gets into it. */
#ifndef TOOL_REPORT_FILE_H
#define TOOL_REPORT_FILE_H

#include "batch.h"

#define REPORT_DATA_VERSION 1

/* Compresses bytes, as they stand in a page. False: there was no memory. */
bool report_compress(const void *data, size_t size, report_block *block);

/*
 * Writes the template with its title, its data, compressed, and readable JSON members. Write errors
 * stay in the stream; false: there was no memory.
 */
bool report_fill_template(FILE *stream, const char *title, const void *data, size_t size,
                          const char *extra);

/* The same for data that is compressed, with more blocks of data behind it. */
void report_fill_blocks(FILE *stream, const char *title, const char *extra, const report_block *own,
                        const report_block *const *more, uint32_t count);

#endif
