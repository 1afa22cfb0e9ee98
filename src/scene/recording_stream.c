#include "recording_stream.h"

#include "base/error.h"
#include "base/context.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- checksums */

static void add_word(pli_sum *sum, uint64_t word)
{
    sum->sum = (sum->sum ^ word) * 0x9e3779b97f4a7c15u;
    sum->sum ^= sum->sum >> 32;
}

/* Adds at most as many bytes as the word under way has room for; returns how many. */
static size_t fill_word(pli_sum *sum, const uint8_t *bytes, size_t size)
{
    size_t room = sizeof sum->word - sum->bytes, count = size < room ? size : room;
    memcpy((uint8_t *)&sum->word + sum->bytes, bytes, count);
    sum->bytes += (unsigned)count;
    if (sum->bytes == sizeof sum->word) {
        add_word(sum, sum->word);
        sum->word = sum->bytes = 0;
    }
    return count;
}

void pli_sum_add(pli_sum *sum, const void *bytes, size_t size)
{
    const uint8_t *next = bytes;
    if (size > 0 && sum->bytes > 0) {
        size_t count = fill_word(sum, next, size);
        next += count;
        size -= count;
    }
    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), next += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, next, sizeof word);
        add_word(sum, word);
    }
    if (size > 0) {
        fill_word(sum, next, size);
    }
}

uint64_t pli_sum_end(const pli_sum *sum)
{
    pli_sum ended = *sum;
    if (ended.bytes > 0) {
        add_word(&ended, ended.word); /* filled up with zeros */
    }
    return ended.sum;
}

/* -------------------------------------------------------------------- bytes */

void pli_stream_fail(pli_recording_stream *stream, pliant_result result, const char *sentence)
{
    if (stream->result == PLIANT_OK) {
        stream->result = result;
        snprintf(stream->sentence, sizeof stream->sentence, "%s", sentence);
        pli_log(stream->context, PLIANT_LOG_WARNING, "recording ended: %s", sentence);
    }
}

static void hand_over(pli_recording_stream *stream, const void *bytes, size_t size)
{
    if (stream->result != PLIANT_OK || size == 0) {
        return;
    }
    if (stream->options.write(stream->options.write_user, bytes, size)) {
        stream->written += size;
        return;
    }
    char sentence[sizeof stream->sentence];
    snprintf(sentence, sizeof sentence, "after %llu bytes, write took no more",
             (unsigned long long)stream->written);
    pli_stream_fail(stream, PLIANT_ERROR_STATE, sentence);
}

void pli_stream_flush(pli_recording_stream *stream)
{
    hand_over(stream, stream->buffer, stream->buffered);
    stream->buffered = 0;
}

void pli_stream_put_raw(pli_recording_stream *stream, const void *bytes, size_t size)
{
    if (size > sizeof stream->buffer - stream->buffered) {
        pli_stream_flush(stream);
    }
    if (size > sizeof stream->buffer) {
        hand_over(stream, bytes, size);
        return;
    }
    memcpy(stream->buffer + stream->buffered, bytes, size);
    stream->buffered += (uint32_t)size;
}

/* ------------------------------------------------------------------- chunks */

static void end_if_complete(pli_recording_stream *stream)
{
    if (stream->left == 0) {
        uint64_t sum = pli_sum_end(&stream->sum);
        pli_stream_put_raw(stream, &sum, sizeof sum);
    }
}

void pli_stream_begin(pli_recording_stream *stream, pliant_recording_chunk kind, uint64_t size)
{
    PLI_ASSERT(stream->left == 0 && size > 0);
    pli_fields head = {.size = 0};
    pli_fields_add_32(&head, (uint32_t)kind);
    pli_fields_add_32(&head, 0);
    pli_fields_add_64(&head, size);
    stream->sum = (pli_sum){0};
    pli_sum_add(&stream->sum, head.bytes, head.size);
    pli_stream_put_raw(stream, head.bytes, head.size);
    stream->left = size;
}

void pli_stream_put(pli_recording_stream *stream, const void *bytes, size_t size)
{
    PLI_ASSERT(size <= stream->left);
    if (size > 0) {
        pli_sum_add(&stream->sum, bytes, size);
        pli_stream_put_raw(stream, bytes, size);
        stream->left -= size;
        end_if_complete(stream);
    }
}

void pli_fields_add(pli_fields *fields, const void *bytes, size_t size)
{
    PLI_ASSERT(size <= sizeof fields->bytes - fields->size);
    memcpy(fields->bytes + fields->size, bytes, size);
    fields->size += (uint32_t)size;
}

void pli_stream_put_fields(pli_recording_stream *stream, pliant_recording_chunk kind,
                           const pli_fields *fields, uint64_t more)
{
    pli_stream_begin(stream, kind, fields->size + more);
    pli_stream_put(stream, fields->bytes, fields->size);
}
