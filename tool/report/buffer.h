/* Bytes that grow, and how arrays are put into them so that they compress well. */
#ifndef TOOL_REPORT_BUFFER_H
#define TOOL_REPORT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/cli.h"

typedef struct report_buffer {
    unsigned char *bytes;
    size_t size, capacity;
    bool failed; /* there was no memory: what is in it is void */
} report_buffer;

void report_buffer_free(report_buffer *buffer);

/* Room for `size` more bytes, which count as written; NULL without memory. */
unsigned char *report_buffer_extend(report_buffer *buffer, size_t size);

void report_put_bytes(report_buffer *buffer, const void *bytes, size_t size);
void report_put_text(report_buffer *buffer, const char *format, ...) CLI_PRINTF(2, 3);

/* A JSON string with its quotes, for people: what they would not see, and bytes that are no UTF-8,
   become '?' (text/characters.h); '<' is escaped. */
void report_put_string(report_buffer *buffer, const char *text);

/* A number of 7 bits per byte, the lowest first; the top bit says that more follow. */
void report_put_varint(report_buffer *buffer, uint64_t number);

/*
 * Numbers as four planes: all lowest bytes first. Words are stored as differences to the word
 * before, folded so that small negative ones are small too.
 */
void report_put_words(report_buffer *buffer, const uint32_t *words, size_t count);
void report_put_floats(report_buffer *buffer, const float *numbers, size_t count);

/*
 * Arrays of `width` numbers, frame after frame, rounded to whole multiples of a step and stored as
 * differences to what the frames before suggest. Slow motion then takes a byte or two per number.
 */
typedef struct report_track {
    report_buffer coded;
    uint32_t width;
    float *steps;                 /* per number */
    int32_t *last, *last_but_one; /* multiples in the frames before */
    uint32_t frame_count;
} report_track;

/* False without memory. The steps are the caller's to fill in before the first frame. */
bool report_track_create(report_track *series, uint32_t width);
void report_track_free(report_track *series);
void report_track_add(report_track *series, const float *numbers);

#endif
