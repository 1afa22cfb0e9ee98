#include "file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The checksum of a chunk: words of eight bytes, the last filled up with zeros. */
static uint64_t checksum(const uint8_t *bytes, uint64_t size)
{
    uint64_t sum = 0;
    for (uint64_t at = 0; at < size; at += 8) {
        uint64_t word = 0, rest = size - at;
        memcpy(&word, bytes + at, rest < 8 ? (size_t)rest : 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    }
    return sum;
}

void replay_take(replay_fields *fields, void *to, uint64_t size)
{
    if (size > fields->left) {
        memset(to, 0, (size_t)size);
        fields->failed = true;
        return;
    }
    memcpy(to, fields->next, (size_t)size);
    fields->next += size;
    fields->left -= size;
}

uint32_t replay_take_32(replay_fields *fields)
{
    uint32_t value = 0;
    replay_take(fields, &value, sizeof value);
    return value;
}

uint64_t replay_take_64(replay_fields *fields)
{
    uint64_t value = 0;
    replay_take(fields, &value, sizeof value);
    return value;
}

bool replay_take_flag(replay_fields *fields)
{
    uint8_t flag = 0;
    replay_take(fields, &flag, sizeof flag);
    return flag != 0;
}

bool replay_open(replay_file *file, const void *data, uint64_t size, char error[320])
{
    *file = (replay_file){.data = data, .size = size, .at = 16};
    uint32_t numbers[2] = {0, 0};
    if (size < 16 || memcmp(data, "pliantrc", 8) != 0) {
        snprintf(error, 320, "this is not a recording of a scene");
        return false;
    }
    memcpy(numbers, file->data + 8, sizeof numbers);
    if (numbers[1] != 0x01020304u) {
        snprintf(error, 320, "the recording is of the other byte order");
    } else if (numbers[0] != PLIANT_RECORDING_VERSION) {
        snprintf(error, 320,
                 "the recording has format %" PRIu32
                 ", this program reads format %d: replay it with the version of Pliant that "
                 "recorded it, or record it again with this one",
                 numbers[0], PLIANT_RECORDING_VERSION);
    } else {
        return true;
    }
    return false;
}

/* Returns true if there are kinds of chunks of this number. `head` is that of a chunk. */
static bool is_known(const uint8_t *head, uint32_t *kind)
{
    memcpy(kind, head, sizeof *kind);
    return *kind >= PLIANT_CHUNK_SCENE && *kind <= PLIANT_CHUNK_STEP;
}

/* Returns true if all of the next chunk is in the file; *size is the size of its content. */
static bool is_whole(const replay_file *file, uint64_t *size)
{
    uint64_t left = file->size - file->at;
    if (left < REPLAY_CHUNK_HEAD + REPLAY_CHUNK_TAIL) {
        return false;
    }
    memcpy(size, file->data + file->at + 8, sizeof *size);
    return *size <= left - REPLAY_CHUNK_HEAD - REPLAY_CHUNK_TAIL;
}

bool replay_next(replay_file *file, replay_chunk *chunk, char error[320])
{
    uint64_t size = 0, sum = 0;
    if (file->at == file->size) {
        snprintf(error, 320, "it ends without an end: the file was cut, or its program crashed");
        return false;
    }
    const uint8_t *head = file->data + file->at;
    if (file->size - file->at >= REPLAY_CHUNK_HEAD && !is_known(head, &chunk->kind)) {
        snprintf(error, 320, "the chunk at byte %" PRIu64 " is of no kind that is known: %" PRIu32,
                 file->at, chunk->kind);
        return false;
    }
    if (!is_whole(file, &size)) {
        snprintf(error, 320,
                 "the chunk at byte %" PRIu64 " is longer than the file of %" PRIu64 " bytes",
                 file->at, file->size);
        return false;
    }
    memcpy(&sum, head + REPLAY_CHUNK_HEAD + size, sizeof sum);
    if (sum != checksum(head, REPLAY_CHUNK_HEAD + size)) {
        snprintf(error, 320, "the chunk at byte %" PRIu64 " does not match its checksum", file->at);
        return false;
    }
    chunk->fields = (replay_fields){.next = head + REPLAY_CHUNK_HEAD, .left = size};
    file->at += REPLAY_CHUNK_HEAD + size + REPLAY_CHUNK_TAIL;
    return true;
}

bool replay_has_enough(const void *data, uint64_t size, uint64_t *at)
{
    replay_file file;
    char error[320];
    if (!replay_open(&file, data, size, error)) {
        return true;
    }
    uint32_t kind = 0;
    uint64_t content = 0;
    for (file.at = *at > file.at ? *at : file.at; size - file.at >= REPLAY_CHUNK_HEAD;) {
        *at = file.at;
        if (!is_known(file.data + file.at, &kind)) {
            return true;
        }
        if (!is_whole(&file, &content)) {
            return false;
        }
        file.at += REPLAY_CHUNK_HEAD + content + REPLAY_CHUNK_TAIL;
        if (kind == PLIANT_CHUNK_END) {
            return file.at < size;
        }
    }
    return false;
}

void replay_seal(void *data, uint64_t size)
{
    replay_file file = {.data = data, .size = size, .at = 16};
    uint64_t content = 0;
    while (file.at < size && is_whole(&file, &content)) {
        uint8_t *head = (uint8_t *)data + file.at;
        uint64_t sum = checksum(head, REPLAY_CHUNK_HEAD + content);
        memcpy(head + REPLAY_CHUNK_HEAD + content, &sum, sizeof sum);
        file.at += REPLAY_CHUNK_HEAD + content + REPLAY_CHUNK_TAIL;
    }
}
