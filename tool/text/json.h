/* Writes JSON to a stream: objects, arrays, strings, numbers. Commas and indents come by
 * themselves. */
#ifndef TOOL_TEXT_JSON_H
#define TOOL_TEXT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json_writer {
    FILE *stream;
    uint32_t depth;
    bool first; /* nothing written yet in the innermost object or array */
} json_writer;

json_writer json_begin(FILE *stream);

/* Ends the text with a newline. Write errors stay in the stream: see ferror(). */
void json_end(json_writer *json);

/* In objects every value has a key; in arrays, and at the top, `key` is NULL. */
void json_open_object(json_writer *json, const char *key);
void json_close_object(json_writer *json);
void json_open_array(json_writer *json, const char *key);
void json_close_array(json_writer *json);
void json_put_string(json_writer *json, const char *key, const char *text);
void json_put_integer(json_writer *json, const char *key, uint64_t value);

/* Whole numbers as such, others with six significant digits, null unless finite. */
void json_number(json_writer *json, const char *key, double value);

/* An array of numbers on one line. */
void json_numbers(json_writer *json, const char *key, const double *values, uint64_t count);

#endif
