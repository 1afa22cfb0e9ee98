/* Chunks of a recording and fields in them. Nothing is read beyond the end of the bytes. */
#ifndef TOOL_REPLAY_FILE_H
#define TOOL_REPLAY_FILE_H

#include "replay.h"

/* The bytes around what is in a chunk: kind, zero, size; checksum. */
enum { REPLAY_CHUNK_HEAD = 16, REPLAY_CHUNK_TAIL = 8 };

typedef struct replay_fields {
    const uint8_t *next;
    uint64_t left;
    bool failed; /* more was read than there is */
} replay_fields;

typedef struct replay_chunk {
    uint32_t kind; /* a pliant_recording_chunk */
    replay_fields fields;
} replay_chunk;

typedef struct replay_file {
    const uint8_t *data;
    uint64_t size, at;
} replay_file;

/* Reads the beginning of a recording, or a chunk; false with a sentence in `error`. */
bool replay_open(replay_file *file, const void *data, uint64_t size, char error[320]);
bool replay_next(replay_file *file, replay_chunk *chunk, char error[320]);

/*
 * For a program that reads a file bit by bit: advances *at, 0 at first, over the chunks of which
 * all is there in the first `size` bytes. Returns true if what follows them cannot matter: the
 * bytes are no recording, it has ended before the last byte, or the next chunk is of no known kind.
 */
bool replay_has_enough(const void *data, uint64_t size, uint64_t *at);

/* The next field; 0 where nothing is left. */
void replay_take(replay_fields *fields, void *to, uint64_t size);
uint32_t replay_take_32(replay_fields *fields);
uint64_t replay_take_64(replay_fields *fields);

/* Returns true if the next byte is not 0. */
bool replay_take_flag(replay_fields *fields);

#endif
