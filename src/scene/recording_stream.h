/*
 * The bytes of a recording: chunks through a small buffer to the caller's function. Once a write
 * has failed all others do nothing, so that only the end has to look.
 */
#ifndef PLI_SCENE_RECORDING_STREAM_H
#define PLI_SCENE_RECORDING_STREAM_H

#include "pliant/recording.h"

#include "base/context.h"

/* A checksum of bytes in the order in which they come, however they are cut into pieces. */
typedef struct pli_sum {
    uint64_t sum, word; /* the bytes that do not fill a word yet */
    unsigned bytes;     /* of that word */
} pli_sum;

void pli_sum_add(pli_sum *sum, const void *bytes, size_t size);
uint64_t pli_sum_end(const pli_sum *sum);

typedef struct pli_recording_stream {
    pliant_context *context;
    pliant_recording_options options;
    pliant_result result; /* why it ended by itself; PLIANT_OK: it goes on */
    char sentence[160];
    uint64_t written; /* bytes that the caller has taken */
    pli_sum sum;      /* of the chunk under way, */
    uint64_t left;    /* of which so many bytes are to come */
    uint32_t buffered;
    uint8_t buffer[4096];
} pli_recording_stream;

/* Ends the stream by itself, for a reason, and tells the log. */
void pli_stream_fail(pli_recording_stream *stream, pliant_result result, const char *sentence);

/* Bytes outside of chunks, and what the buffer holds. */
void pli_stream_put_raw(pli_recording_stream *stream, const void *bytes, size_t size);
void pli_stream_flush(pli_recording_stream *stream);

/* A chunk with exactly `size` bytes in it; it ends with the last of them. */
void pli_stream_begin(pli_recording_stream *stream, pliant_recording_chunk kind, uint64_t size);
void pli_stream_put(pli_recording_stream *stream, const void *bytes, size_t size);

/* The fields of a chunk, side by side. */
typedef struct pli_fields {
    uint32_t size;
    uint8_t bytes[120];
} pli_fields;

void pli_fields_add(pli_fields *fields, const void *bytes, size_t size);
static inline void pli_fields_add_32(pli_fields *fields, uint32_t value)
{
    pli_fields_add(fields, &value, sizeof value);
}
static inline void pli_fields_add_64(pli_fields *fields, uint64_t value)
{
    pli_fields_add(fields, &value, sizeof value);
}

/* A chunk of fields, and more bytes that follow them; the caller puts these. */
void pli_stream_put_fields(pli_recording_stream *stream, pliant_recording_chunk kind,
                           const pli_fields *fields, uint64_t more);

#endif
