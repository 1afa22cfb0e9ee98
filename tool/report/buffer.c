#include "buffer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/text/characters.h"

void report_buffer_free(report_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (report_buffer){0};
}

unsigned char *report_buffer_extend(report_buffer *buffer, size_t size)
{
    if (size > SIZE_MAX / 4 - buffer->size) {
        buffer->failed = true;
    }
    if (!buffer->failed && size > buffer->capacity - buffer->size) {
        size_t capacity = buffer->capacity < 256 ? 256 : buffer->capacity;
        while (capacity - buffer->size < size) {
            capacity *= 2;
        }
        unsigned char *bytes = realloc(buffer->bytes, capacity);
        if (bytes != NULL) {
            buffer->bytes = bytes;
            buffer->capacity = capacity;
        } else {
            buffer->failed = true;
        }
    }
    if (buffer->failed) {
        return NULL;
    }
    unsigned char *place = buffer->bytes + buffer->size;
    buffer->size += size;
    return place;
}

void report_put_bytes(report_buffer *buffer, const void *bytes, size_t size)
{
    unsigned char *place = size > 0 ? report_buffer_extend(buffer, size) : NULL;
    if (place != NULL) {
        memcpy(place, bytes, size);
    }
}

void report_put_text(report_buffer *buffer, const char *format, ...)
{
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report_put_bytes(buffer, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

void report_put_string(report_buffer *buffer, const char *text)
{
    report_put_bytes(buffer, "\"", 1);
    for (uint32_t code; *text != '\0';) {
        size_t size = text_character(text, &code);
        if (size > 0 && (code < 0x20 || code == '"' || code == '\\' || code == '<')) {
            report_put_text(buffer, "\\u%04x", (unsigned)code);
        } else if (size == 0 || !text_is_visible(code)) {
            report_put_bytes(buffer, "?", 1);
        } else {
            report_put_bytes(buffer, text, size);
        }
        text += size > 0 ? size : 1;
    }
    report_put_bytes(buffer, "\"", 1);
}

void report_put_varint(report_buffer *buffer, uint64_t number)
{
    unsigned char bytes[10];
    size_t count = 0;
    for (; number >= 128; number >>= 7) {
        bytes[count++] = (unsigned char)(number | 128);
    }
    bytes[count++] = (unsigned char)number;
    report_put_bytes(buffer, bytes, count);
}

/* 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
static uint32_t fold(uint32_t difference)
{
    return difference << 1 ^ (difference >> 31 != 0 ? UINT32_MAX : 0);
}

static void put_word(unsigned char *planes, size_t count, size_t i, uint32_t word)
{
    for (size_t plane = 0; plane < 4; plane++) {
        planes[plane * count + i] = (unsigned char)(word >> 8 * plane);
    }
}

void report_put_words(report_buffer *buffer, const uint32_t *words, size_t count)
{
    unsigned char *planes = count > 0 ? report_buffer_extend(buffer, 4 * count) : NULL;
    for (size_t i = 0; planes != NULL && i < count; i++) {
        put_word(planes, count, i, fold(words[i] - (i > 0 ? words[i - 1] : 0)));
    }
}

void report_put_floats(report_buffer *buffer, const float *numbers, size_t count)
{
    unsigned char *planes = count > 0 ? report_buffer_extend(buffer, 4 * count) : NULL;
    for (size_t i = 0; planes != NULL && i < count; i++) {
        uint32_t word;
        memcpy(&word, &numbers[i], sizeof word);
        put_word(planes, count, i, word);
    }
}

bool report_track_create(report_track *series, uint32_t width)
{
    *series = (report_track){.width = width};
    size_t count = width > 0 ? width : 1;
    series->steps = calloc(count, sizeof *series->steps);
    series->last = calloc(count, sizeof *series->last);
    series->last_but_one = calloc(count, sizeof *series->last_but_one);
    return series->steps != NULL && series->last != NULL && series->last_but_one != NULL;
}

void report_track_free(report_track *series)
{
    report_buffer_free(&series->coded);
    free(series->steps);
    free(series->last);
    free(series->last_but_one);
    *series = (report_track){0};
}

/* How a frame is stored: as numbers as they are, or as what is left after a prediction. */
enum { SERIES_SAME = 0, SERIES_LINEAR = 1, SERIES_RAW = 2 };

#define SERIES_MOST (1 << 28) /* multiples stay below, so that no difference overflows */

/* Predicts that a number stays as it was, or that it goes on as before. */
static uint32_t residual(const report_track *series, uint32_t i, int32_t now, bool linear)
{
    int64_t guess =
        linear ? 2 * (int64_t)series->last[i] - series->last_but_one[i] : (int64_t)series->last[i];
    return fold((uint32_t)((int64_t)now - guess));
}

static void put_residuals(report_track *series, const int32_t *now, bool linear)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < series->width; i++) {
        all |= residual(series, i, now[i], linear);
    }
    uint32_t planes = 0;
    while (planes < 4 && all >> (8 * planes) != 0) {
        planes++;
    }
    unsigned char head[2] = {linear ? SERIES_LINEAR : SERIES_SAME, (unsigned char)planes};
    report_put_bytes(&series->coded, head, sizeof head);
    unsigned char *bytes =
        planes > 0 ? report_buffer_extend(&series->coded, (size_t)planes * series->width) : NULL;
    for (uint32_t i = 0; bytes != NULL && i < series->width; i++) {
        uint32_t word = residual(series, i, now[i], linear);
        for (uint32_t plane = 0; plane < planes; plane++) {
            bytes[(size_t)plane * series->width + i] = (unsigned char)(word >> 8 * plane);
        }
    }
}

/* Rounds a frame to multiples; false if a number is too large for that. */
static bool round_frame(const report_track *series, const float *numbers, int32_t *now)
{
    for (uint32_t i = 0; i < series->width; i++) {
        double multiple = floor((double)numbers[i] / (double)series->steps[i] + 0.5);
        if (!(fabs(multiple) < SERIES_MOST)) {
            return false;
        }
        now[i] = (int32_t)multiple;
    }
    return true;
}

void report_track_add(report_track *series, const float *numbers)
{
    int32_t *now = calloc(series->width > 0 ? series->width : 1, sizeof *now);
    if (now == NULL) {
        series->coded.failed = true;
        return;
    }
    if (round_frame(series, numbers, now)) {
        double same = 0.0, linear = 0.0;
        for (uint32_t i = 0; i < series->width; i++) {
            same += log2(1.0 + residual(series, i, now[i], false));
            linear += log2(1.0 + residual(series, i, now[i], true));
        }
        put_residuals(series, now, linear < same);
        memcpy(series->last_but_one, series->last, series->width * sizeof *now);
        memcpy(series->last, now, series->width * sizeof *now);
    } else {
        unsigned char head[2] = {SERIES_RAW, 4};
        report_put_bytes(&series->coded, head, sizeof head);
        report_put_floats(&series->coded, numbers, series->width);
        memset(series->last, 0, series->width * sizeof *now);
        memset(series->last_but_one, 0, series->width * sizeof *now);
    }
    series->frame_count++;
    free(now);
}
