/*
 * OFF (Geomview object files), the ascii ones with three coordinates: OFF, COFF, NOFF, STOFF and
 * their combinations. What stands behind the coordinates of a vertex or the corners of a face,
 * normals and colours, is passed over.
 */
#include "mesh_builder.h"
#include "text.h"

#include <string.h>

typedef struct off_parser {
    pli_reader *reader;
    pli_text text;
    uint64_t vertices, faces;
    pli_mesh_builder builder;
} off_parser;

/* Takes a word, passing over comments and empty lines. */
static bool take_word(off_parser *off, pli_word *word)
{
    while (pli_text_any_word(&off->text, word)) {
        if (word->at[0] != '#') {
            return true;
        }
        if (!pli_text_next_line(&off->text)) {
            return false;
        }
    }
    return false;
}

static pliant_result take_count(off_parser *off, uint64_t *count)
{
    pli_word word;
    if (!take_word(off, &word)) {
        return pli_read_fail(off->reader, "line %u: the file ends too early", off->text.line);
    }
    return pli_word_count(word, count) ? PLIANT_OK
                                       : pli_read_fail(off->reader, "line %u: '%s' is not a count",
                                                       off->text.line, PLI_SHOW_WORD(word));
}

/* "OFF" with letters before it; '4' and 'n' stand for other dimensions. */
static pliant_result read_keyword(off_parser *off)
{
    pli_word word;
    bool found = take_word(off, &word) && word.size >= 3 && word.size <= 7 &&
                 memcmp(word.at + word.size - 3, "OFF", 3) == 0;
    if (!found) {
        return pli_read_fail(off->reader, "it does not begin with 'OFF'");
    }
    for (size_t i = 0; i + 3 < word.size; i++) {
        if (strchr("STCN", word.at[i]) == NULL) {
            return pli_read_fail(off->reader, "'%s' is not read: only three dimensions are",
                                 PLI_SHOW_WORD(word));
        }
    }
    pli_text ahead = off->text;
    if (pli_text_word(&ahead, &word) && pli_word_is(word, "BINARY")) {
        return pli_read_fail(off->reader, "binary OFF is not read; save it as text, or as PLY");
    }
    return PLIANT_OK;
}

static pliant_result read_counts(off_parser *off)
{
    uint64_t edges = 0;
    pliant_result result = take_count(off, &off->vertices);
    result = result == PLIANT_OK ? take_count(off, &off->faces) : result;
    result = result == PLIANT_OK ? take_count(off, &edges) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    /* A vertex takes 6 bytes at least and a face 8; the last line may lack its end. */
    uint64_t left = (uint64_t)(off->text.end - off->text.at) + 1;
    if (off->vertices > left / 6 || off->faces > (left - 6 * off->vertices) / 8) {
        return pli_read_fail(off->reader,
                             "it promises %llu vertices and %llu faces, and ends after %llu bytes",
                             (unsigned long long)off->vertices, (unsigned long long)off->faces,
                             (unsigned long long)left);
    }
    return PLIANT_OK;
}

static pliant_result read_vertex(off_parser *off)
{
    float position[3];
    for (int k = 0; k < 3; k++) {
        pli_word word;
        if (!take_word(off, &word)) {
            return pli_read_fail(off->reader, "line %u: the file ends at vertex %zu of %llu",
                                 off->text.line, off->builder.vertex_count,
                                 (unsigned long long)off->vertices);
        }
        if (!pli_word_float(word, &position[k])) {
            return pli_read_fail(off->reader, "line %u: '%s' is not a number", off->text.line,
                                 PLI_SHOW_WORD(word));
        }
    }
    uint32_t line = off->text.line;
    pli_text_rest(&off->text); /* a normal or a colour */
    return pli_build_vertex(&off->builder, position, line);
}

static pliant_result read_face(off_parser *off)
{
    uint64_t corners = 0;
    pliant_result result = take_count(off, &corners);
    if (result == PLIANT_OK && corners < 3) {
        return pli_read_fail(off->reader, "line %u: a face with %llu corners", off->text.line,
                             (unsigned long long)corners);
    }
    pli_build_begin_face(&off->builder);
    for (uint64_t i = 0; result == PLIANT_OK && i < corners; i++) {
        uint64_t vertex = 0;
        result = take_count(off, &vertex);
        if (result == PLIANT_OK && vertex >= off->vertices) {
            return pli_read_fail_with(
                off->reader, PLIANT_ERROR_RANGE, "line %u: a face uses vertex %llu of %llu",
                off->text.line, (unsigned long long)vertex, (unsigned long long)off->vertices);
        }
        result = result == PLIANT_OK ? pli_build_corner(&off->builder, (uint32_t)vertex) : result;
    }
    pli_text_rest(&off->text); /* a colour */
    return result == PLIANT_OK ? pli_build_end_face(&off->builder) : result;
}

pliant_result pli_read_off(pli_reader *reader)
{
    off_parser off = {.reader = reader, .text = pli_text_of(reader), .builder = {.reader = reader}};
    pliant_result result = read_keyword(&off);
    result = result == PLIANT_OK ? read_counts(&off) : result;
    for (uint64_t i = 0; result == PLIANT_OK && i < off.vertices; i++) {
        result = read_vertex(&off);
    }
    for (uint64_t i = 0; result == PLIANT_OK && i < off.faces; i++) {
        result = read_face(&off);
    }
    return result == PLIANT_OK ? pli_build_finish(&off.builder) : result;
}
