#include "gltf_write.h"
#include "number_locale.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pliant/base.h"

void pli_sink_bytes(pli_sink *sink, const void *bytes, uint64_t count)
{
    if (sink->buffer != NULL && sink->size <= sink->capacity &&
        count <= sink->capacity - sink->size) {
        memcpy(sink->buffer + sink->size, bytes, (size_t)count);
    }
    sink->size += count;
}

void pli_sink_text(pli_sink *sink, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pli_sink_bytes(sink, text, length < (int)sizeof text ? (uint64_t)length : sizeof text - 1);
}

/* The length of the UTF-8 character at `text`; 0 if there is none. */
static size_t character_size(const uint8_t *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = text[0] < 0x80             ? 1
                  : (text[0] & 0xe0) == 0xc0 ? 2
                  : (text[0] & 0xf0) == 0xe0 ? 3
                  : (text[0] & 0xf8) == 0xf0 ? 4
                                             : 0;
    if (size < 2) {
        return size;
    }
    uint32_t code = text[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (text[i] & 0x3fu);
    }
    bool good = code >= least[size] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return good ? size : 0;
}

void pli_sink_string(pli_sink *sink, const char *text)
{
    pli_sink_bytes(sink, "\"", 1);
    for (const uint8_t *c = (const uint8_t *)text; *c != 0;) {
        size_t size = character_size(c);
        if (size == 0) {
            pli_sink_bytes(sink, "?", 1);
            size = 1;
        } else if (*c == '"' || *c == '\\') {
            pli_sink_text(sink, "\\%c", *c);
        } else if (*c < 0x20) {
            pli_sink_text(sink, "\\u%04x", *c);
        } else {
            pli_sink_bytes(sink, c, size);
        }
        c += size;
    }
    pli_sink_bytes(sink, "\"", 1);
}

static float float_at(const pli_glb_accessor *accessor, uint64_t i)
{
    return accessor->data != NULL ? ((const float *)accessor->data)[i]
                                  : (float)((double)i / accessor->rate);
}

static void write_bounds(pli_sink *sink, const pli_glb_accessor *accessor)
{
    for (int upper = 0; upper < 2; upper++) {
        pli_sink_text(sink, ",\"%s\":[", upper ? "max" : "min");
        for (uint32_t k = 0; k < accessor->components; k++) {
            float bound = float_at(accessor, k);
            for (uint64_t i = 1; i < accessor->count; i++) {
                float value = float_at(accessor, i * accessor->components + k);
                bound = upper ? (value > bound ? value : bound) : (value < bound ? value : bound);
            }
            pli_sink_text(sink, "%s%.9g", k > 0 ? "," : "", (double)bound);
        }
        pli_sink_text(sink, "]");
    }
}

static uint64_t byte_size(const pli_glb_accessor *accessor)
{
    return accessor->count * accessor->components * (accessor->use == PLI_GLB_JOINTS ? 2 : 4);
}

static void write_accessor(pli_sink *sink, const pli_glb_accessor *accessor, uint32_t view)
{
    static const int types[] = {5126, 5125, 5126, 5123};
    const char *type = accessor->components == 1   ? "SCALAR"
                       : accessor->components == 3 ? "VEC3"
                       : accessor->components == 4 ? "VEC4"
                                                   : "MAT4";
    pli_sink_text(sink, "%s{\"bufferView\":%u,\"componentType\":%d,\"count\":%llu,\"type\":\"%s\"",
                  view > 0 ? "," : "", view, types[accessor->use],
                  (unsigned long long)accessor->count, type);
    if (accessor->bounds) {
        write_bounds(sink, accessor);
    }
    pli_sink_text(sink, "}");
}

static void write_view(pli_sink *sink, const pli_glb_accessor *accessor, uint32_t view,
                       uint64_t offset)
{
    static const char *const targets[] = {",\"target\":34962", ",\"target\":34963", "",
                                          ",\"target\":34962"};
    pli_sink_text(sink, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu%s}",
                  view > 0 ? "," : "", (unsigned long long)offset,
                  (unsigned long long)byte_size(accessor), targets[accessor->use]);
}

static void write_json(pli_sink *sink, const pli_glb *glb, uint64_t bin_size)
{
    pli_sink_text(sink, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"pliant %s\"}",
                  PLIANT_VERSION_TEXT);
    if (bin_size > 0) {
        pli_sink_text(sink, ",\"buffers\":[{\"byteLength\":%llu}],\"bufferViews\":[",
                      (unsigned long long)bin_size);
        uint64_t offset = 0;
        pli_glb_accessor accessor;
        for (uint32_t i = 0; i < glb->accessor_count; i++) {
            glb->describe(glb->user, i, &accessor);
            write_view(sink, &accessor, i, offset);
            offset += byte_size(&accessor);
        }
        pli_sink_text(sink, "],\"accessors\":[");
        for (uint32_t i = 0; i < glb->accessor_count; i++) {
            glb->describe(glb->user, i, &accessor);
            write_accessor(sink, &accessor, i);
        }
        pli_sink_text(sink, "]");
    }
    glb->members(glb->user, sink);
    pli_sink_text(sink, "}");
}

static void write_word(pli_sink *sink, uint32_t word)
{
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                        (uint8_t)(word >> 24)};
    pli_sink_bytes(sink, bytes, 4);
}

static void write_data(pli_sink *sink, const pli_glb_accessor *accessor)
{
    for (uint64_t i = 0; i < accessor->count * accessor->components; i++) {
        uint32_t word;
        if (accessor->use == PLI_GLB_JOINTS) {
            uint16_t joint = ((const uint16_t *)accessor->data)[i];
            uint8_t bytes[2] = {(uint8_t)joint, (uint8_t)(joint >> 8)};
            pli_sink_bytes(sink, bytes, 2);
            continue;
        }
        if (accessor->use == PLI_GLB_INDICES) {
            word = ((const uint32_t *)accessor->data)[i];
        } else {
            float value = float_at(accessor, i);
            memcpy(&word, &value, sizeof word);
        }
        write_word(sink, word);
    }
}

static void write_file(pli_sink *sink, const pli_glb *glb, uint64_t json_size, uint64_t bin_size)
{
    uint64_t padding = (4 - json_size % 4) % 4;
    uint64_t bin_chunk = bin_size > 0 ? 8 + bin_size : 0;
    pli_sink_text(sink, "glTF");
    write_word(sink, 2);
    write_word(sink, (uint32_t)(20 + json_size + padding + bin_chunk));
    write_word(sink, (uint32_t)(json_size + padding));
    pli_sink_text(sink, "JSON");
    write_json(sink, glb, bin_size);
    pli_sink_bytes(sink, "   ", padding);
    if (bin_size == 0) {
        return;
    }
    write_word(sink, (uint32_t)bin_size);
    pli_sink_bytes(sink, "BIN", 4); /* with its zero byte */
    for (uint32_t i = 0; i < glb->accessor_count; i++) {
        pli_glb_accessor accessor;
        glb->describe(glb->user, i, &accessor);
        write_data(sink, &accessor);
    }
}

pliant_result pli_glb_write(const pli_glb *glb, void *buffer, uint64_t capacity, uint64_t *size)
{
    pli_number_locale locale = pli_number_locale_enter();
    uint64_t bin_size = 0;
    for (uint32_t i = 0; i < glb->accessor_count; i++) {
        pli_glb_accessor accessor;
        glb->describe(glb->user, i, &accessor);
        bin_size += byte_size(&accessor);
    }
    pli_sink counted = {0};
    write_json(&counted, glb, bin_size);
    uint64_t total = 20 + (counted.size + 3) / 4 * 4 + (bin_size > 0 ? 8 + bin_size : 0);
    pliant_result result = PLIANT_OK;
    if (total > UINT32_MAX) {
        result = pli_asset_fail(PLIANT_ERROR_TOO_LARGE, "a GLB file cannot have %llu bytes",
                                (unsigned long long)total);
    } else if (buffer != NULL && capacity < total) {
        result =
            pli_asset_fail(PLIANT_ERROR_ARGUMENT, "a buffer of %llu bytes, and %llu are needed",
                           (unsigned long long)capacity, (unsigned long long)total);
    } else if (buffer != NULL) {
        pli_sink sink = {buffer, capacity, 0};
        write_file(&sink, glb, counted.size, bin_size);
    }
    if (result == PLIANT_OK) {
        *size = total;
    }
    pli_number_locale_leave(locale);
    return result;
}
