/* The template of the page, and how data gets into it. */
#ifndef TOOL_REPORT_FILE_H
#define TOOL_REPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Writes the template with its title, its data, compressed, and readable JSON members. Write errors
 * stay in the stream; false: there was no memory.
 */
bool report_fill_template(FILE *stream, const char *title, const void *data, size_t size,
                          const char *extra);

#endif
