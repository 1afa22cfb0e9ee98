/*
 * PLY (Stanford polygon files), ascii and binary of both byte orders: the elements `vertex` with
 * x, y and z, `face` with vertex_indices or vertex_index, and `tristrips`. Everything else is
 * passed over.
 */
#include "bytes.h"
#include "mesh_builder.h"
#include "text.h"

#include <math.h>
#include <string.h>

#define MOST_ELEMENTS   32
#define MOST_PROPERTIES 256

typedef enum ply_type {
    PLY_I8,
    PLY_U8,
    PLY_I16,
    PLY_U16,
    PLY_I32,
    PLY_U32,
    PLY_F32,
    PLY_F64
} ply_type;

static const struct ply_type_name {
    const char *name, *other;
    uint8_t size;
} type_names[] = {
    {"char", "int8", 1}, {"uchar", "uint8", 1}, {"short", "int16", 2},   {"ushort", "uint16", 2},
    {"int", "int32", 4}, {"uint", "uint32", 4}, {"float", "float32", 4}, {"double", "float64", 8},
};

/* What a property is for. */
typedef enum ply_use { PLY_UNUSED, PLY_X, PLY_Y, PLY_Z, PLY_INDICES } ply_use;

typedef struct ply_property {
    ply_type type;
    bool is_list;
    ply_type count_type; /* of a list */
    ply_use use;
} ply_property;

typedef enum ply_kind { PLY_OTHER, PLY_VERTEX, PLY_FACE, PLY_STRIPS } ply_kind;

typedef struct ply_element {
    ply_kind kind;
    uint64_t count;
    uint32_t first_property, property_count;
} ply_element;

typedef struct ply_parser {
    pli_reader *reader;
    pli_text text;     /* the header, and the body of an ascii file */
    const uint8_t *at; /* the body of a binary file */
    const uint8_t *end;
    bool is_ascii, is_big_endian;
    ply_element elements[MOST_ELEMENTS];
    ply_property properties[MOST_PROPERTIES];
    uint32_t element_count, property_count;
    uint64_t vertex_total; /* what the header promises */
    uint64_t rounded;      /* coordinates that are not float32 */
    pli_mesh_builder builder;
} ply_parser;

static bool read_type(pli_word word, ply_type *type)
{
    for (int i = PLY_I8; i <= PLY_F64; i++) {
        if (pli_word_is(word, type_names[i].name) || pli_word_is(word, type_names[i].other)) {
            *type = (ply_type)i;
            return true;
        }
    }
    return false;
}

static pliant_result fail_header(const ply_parser *ply, const char *what)
{
    return pli_read_fail(ply->reader, "line %u: %s", ply->text.line, what);
}

static pliant_result read_format(ply_parser *ply)
{
    pli_word word;
    pli_text_word(&ply->text, &word);
    ply->is_ascii = pli_word_is(word, "ascii");
    ply->is_big_endian = pli_word_is(word, "binary_big_endian");
    if (!ply->is_ascii && !ply->is_big_endian && !pli_word_is(word, "binary_little_endian")) {
        return fail_header(ply, "the format is neither ascii nor binary_little_endian nor "
                                "binary_big_endian");
    }
    return PLIANT_OK;
}

static pliant_result read_element(ply_parser *ply)
{
    pli_word name, count;
    ply_element *element = &ply->elements[ply->element_count];
    if (ply->element_count == MOST_ELEMENTS) {
        return fail_header(ply, "more than 32 elements");
    }
    if (!pli_text_word(&ply->text, &name) || !pli_text_word(&ply->text, &count) ||
        !pli_word_count(count, &element->count)) {
        return fail_header(ply, "an element without a name and a count");
    }
    ply->element_count++;
    element->first_property = ply->property_count;
    if (pli_word_is(name, "vertex")) {
        element->kind = PLY_VERTEX;
        ply->vertex_total += element->count;
    } else if (pli_word_is(name, "face")) {
        element->kind = PLY_FACE;
    } else if (pli_word_is(name, "tristrips")) {
        element->kind = PLY_STRIPS;
    }
    return PLIANT_OK;
}

static ply_use find_use(const ply_element *element, const ply_property *property, pli_word name)
{
    static const char *const axes[3] = {"x", "y", "z"};
    if (property->is_list) {
        bool indices = pli_word_is(name, "vertex_indices") || pli_word_is(name, "vertex_index");
        return indices && (element->kind == PLY_FACE || element->kind == PLY_STRIPS) ? PLY_INDICES
                                                                                     : PLY_UNUSED;
    }
    for (int k = 0; k < 3; k++) {
        if (element->kind == PLY_VERTEX && pli_word_is(name, axes[k])) {
            return (ply_use)(PLY_X + k);
        }
    }
    return PLY_UNUSED;
}

static pliant_result read_property(ply_parser *ply)
{
    if (ply->element_count == 0) {
        return fail_header(ply, "a property before the first element");
    }
    if (ply->property_count == MOST_PROPERTIES) {
        return fail_header(ply, "more than 256 properties");
    }
    ply_element *element = &ply->elements[ply->element_count - 1];
    ply_property property = {0};
    pli_word word;
    pli_text_word(&ply->text, &word);
    property.is_list = pli_word_is(word, "list");
    if (property.is_list) {
        pli_text_word(&ply->text, &word);
        if (!read_type(word, &property.count_type) || property.count_type >= PLY_F32) {
            return fail_header(ply, "a list whose length is not a whole number");
        }
        pli_text_word(&ply->text, &word);
    }
    if (!read_type(word, &property.type)) {
        return fail_header(ply, "a property of no known type");
    }
    if (!pli_text_word(&ply->text, &word)) {
        return fail_header(ply, "a property without a name");
    }
    property.use = find_use(element, &property, word);
    ply->properties[ply->property_count++] = property;
    element->property_count++;
    return PLIANT_OK;
}

static pliant_result read_header(ply_parser *ply)
{
    pli_word word;
    bool has_format = false;
    if (!pli_text_word(&ply->text, &word) || !pli_word_is(word, "ply")) {
        return pli_read_fail(ply->reader, "it does not begin with 'ply'");
    }
    while (pli_text_next_line(&ply->text)) {
        pliant_result result = PLIANT_OK;
        if (!pli_text_word(&ply->text, &word)) {
            continue;
        }
        if (pli_word_is(word, "format")) {
            result = read_format(ply);
            has_format = true;
        } else if (pli_word_is(word, "element")) {
            result = read_element(ply);
        } else if (pli_word_is(word, "property")) {
            result = read_property(ply);
        } else if (pli_word_is(word, "end_header")) {
            if (!has_format) {
                return fail_header(ply, "the header has no format");
            }
            pli_text_next_line(&ply->text);
            return PLIANT_OK;
        } else if (!pli_word_is(word, "comment") && !pli_word_is(word, "obj_info")) {
            pli_note(ply->reader, "line %u of its header is none that is known", ply->text.line);
        }
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return pli_read_fail(ply->reader, "its header does not end");
}

static pliant_result fail_short(const ply_parser *ply)
{
    return ply->is_ascii
               ? pli_read_fail(ply->reader, "line %u: the file ends too early", ply->text.line)
               : pli_read_fail(ply->reader, "the file ends too early");
}

static pliant_result read_number(ply_parser *ply, ply_type type, double *value)
{
    if (ply->is_ascii) {
        pli_word word;
        if (!pli_text_any_word(&ply->text, &word)) {
            return fail_short(ply);
        }
        float single = 0.0f;
        /* A float32 is rounded once, straight from the text. */
        bool good = type == PLY_F32 ? pli_word_float(word, &single) : pli_word_double(word, value);
        *value = type == PLY_F32 ? (double)single : *value;
        return good ? PLIANT_OK
                    : pli_read_fail(ply->reader, "line %u: '%s' is not a number", ply->text.line,
                                    PLI_SHOW_WORD(word));
    }
    if ((size_t)(ply->end - ply->at) < type_names[type].size) {
        return fail_short(ply);
    }
    const uint8_t *at = ply->at;
    bool big = ply->is_big_endian;
    ply->at += type_names[type].size;
    switch (type) {
    case PLY_I8:
        *value = (int8_t)at[0];
        break;
    case PLY_U8:
        *value = at[0];
        break;
    case PLY_I16:
        *value = (int16_t)pli_bytes_u16(at, big);
        break;
    case PLY_U16:
        *value = pli_bytes_u16(at, big);
        break;
    case PLY_I32:
        *value = (int32_t)pli_bytes_u32(at, big);
        break;
    case PLY_U32:
        *value = pli_bytes_u32(at, big);
        break;
    case PLY_F32:
        *value = (double)pli_bytes_f32(at, big);
        break;
    case PLY_F64:
        *value = pli_bytes_f64(at, big);
        break;
    }
    return PLIANT_OK;
}

/* The length of a list; no longer than what is left of the file can hold. */
static pliant_result read_list_length(ply_parser *ply, const ply_property *property,
                                      uint64_t *length)
{
    double value = 0.0;
    pliant_result result = read_number(ply, property->count_type, &value);
    if (result != PLIANT_OK) {
        return result;
    }
    uint64_t left = ply->is_ascii
                        ? (uint64_t)(ply->text.end - ply->text.at)
                        : (uint64_t)(ply->end - ply->at) / type_names[property->type].size;
    if (!(value >= 0.0 && value <= (double)left) || value != floor(value)) {
        return pli_read_fail(ply->reader, "a list promises %.17g numbers, and the file ends first",
                             value);
    }
    *length = (uint64_t)value;
    return PLIANT_OK;
}

static pliant_result check_index(const ply_parser *ply, double value, uint32_t *vertex)
{
    bool below = value >= 0.0 && value < (double)ply->vertex_total && value <= (double)INT32_MAX;
    if (!below || value != floor(value)) {
        return pli_read_fail_with(
            ply->reader, PLIANT_ERROR_RANGE, "triangle %zu uses vertex %.17g of %llu",
            ply->builder.triangle_count, value, (unsigned long long)ply->vertex_total);
    }
    *vertex = (uint32_t)value;
    return PLIANT_OK;
}

static pliant_result read_face(ply_parser *ply, ply_type type, uint64_t length)
{
    pli_build_begin_face(&ply->builder);
    for (uint64_t i = 0; i < length; i++) {
        double value = 0.0;
        uint32_t vertex = 0;
        pliant_result result = read_number(ply, type, &value);
        result = result == PLIANT_OK ? check_index(ply, value, &vertex) : result;
        result = result == PLIANT_OK ? pli_build_corner(&ply->builder, vertex) : result;
        if (result != PLIANT_OK) {
            return result;
        }
    }
    if (length < 3) {
        return pli_read_fail(ply->reader, "behind triangle %zu a face has %llu corners",
                             ply->builder.triangle_count, (unsigned long long)length);
    }
    return pli_build_end_face(&ply->builder);
}

/* Strips of triangles, one behind the other, with -1 between them. */
static pliant_result read_strips(ply_parser *ply, ply_type type, uint64_t length)
{
    uint32_t last[2] = {0};
    uint64_t in_strip = 0;
    for (uint64_t i = 0; i < length; i++) {
        double value = 0.0;
        uint32_t vertex = 0;
        pliant_result result = read_number(ply, type, &value);
        if (result == PLIANT_OK && value == -1.0) {
            in_strip = 0;
            continue;
        }
        result = result == PLIANT_OK ? check_index(ply, value, &vertex) : result;
        if (result == PLIANT_OK && in_strip >= 2) {
            bool even = in_strip % 2 == 0;
            result =
                pli_build_triangle(&ply->builder, last[even ? 0 : 1], last[even ? 1 : 0], vertex);
        }
        if (result != PLIANT_OK) {
            return result;
        }
        last[0] = last[1];
        last[1] = vertex;
        in_strip++;
    }
    return PLIANT_OK;
}

static pliant_result read_list(ply_parser *ply, const ply_element *element,
                               const ply_property *property)
{
    uint64_t length = 0;
    pliant_result result = read_list_length(ply, property, &length);
    if (result != PLIANT_OK || property->use == PLY_INDICES) {
        return result != PLIANT_OK         ? result
               : element->kind == PLY_FACE ? read_face(ply, property->type, length)
                                           : read_strips(ply, property->type, length);
    }
    double value = 0.0;
    for (uint64_t i = 0; result == PLIANT_OK && i < length; i++) {
        result = read_number(ply, property->type, &value);
    }
    return result;
}

static pliant_result read_item(ply_parser *ply, const ply_element *element)
{
    float position[3] = {0};
    for (uint32_t i = 0; i < element->property_count; i++) {
        const ply_property *property = &ply->properties[element->first_property + i];
        double value = 0.0;
        pliant_result result = property->is_list ? read_list(ply, element, property)
                                                 : read_number(ply, property->type, &value);
        if (result != PLIANT_OK) {
            return result;
        }
        if (property->use >= PLY_X && property->use <= PLY_Z) {
            /* Casting a double beyond float32 is undefined, so it becomes infinity here. */
            bool fits = fabs(value) <= 0x1.fffffep127;
            float rounded = fits ? (float)value : (float)INFINITY;
            ply->rounded += (double)rounded != value ? 1 : 0;
            position[property->use - PLY_X] = rounded;
        }
    }
    return element->kind == PLY_VERTEX
               ? pli_build_vertex(&ply->builder, position, ply->is_ascii ? ply->text.line : 0)
               : PLIANT_OK;
}

/* An element may not promise more items than what is left of the file can hold. */
static pliant_result check_promise(const ply_parser *ply, const ply_element *element)
{
    uint64_t least = 0; /* bytes per item */
    for (uint32_t i = 0; i < element->property_count; i++) {
        const ply_property *property = &ply->properties[element->first_property + i];
        ply_type type = property->is_list ? property->count_type : property->type;
        least += ply->is_ascii ? 2 : type_names[type].size;
    }
    /* The last word of an ascii file needs no white space behind it. */
    uint64_t left = ply->is_ascii ? (uint64_t)(ply->text.end - ply->text.at) + 1
                                  : (uint64_t)(ply->end - ply->at);
    if (least > 0 && element->count > left / least) {
        return pli_read_fail(ply->reader,
                             "the header promises %llu elements, and the file ends "
                             "after %llu bytes more",
                             (unsigned long long)element->count, (unsigned long long)left);
    }
    return PLIANT_OK;
}

/* Whether the vertices have all three coordinates, each once. */
static bool has_coordinates(const ply_parser *ply, const ply_element *element)
{
    unsigned seen = 0;
    for (uint32_t i = 0; i < element->property_count; i++) {
        seen |= 1u << ply->properties[element->first_property + i].use;
    }
    unsigned wanted = 1u << PLY_X | 1u << PLY_Y | 1u << PLY_Z;
    return (seen & wanted) == wanted;
}

static pliant_result read_items(ply_parser *ply, const ply_element *element)
{
    pliant_result result = check_promise(ply, element);
    if (result == PLIANT_OK && element->kind == PLY_VERTEX && !has_coordinates(ply, element)) {
        return pli_read_fail(ply->reader, "its vertices have no x, y and z");
    }
    if (element->property_count == 0) {
        return result; /* nothing of it is in the file */
    }
    for (uint64_t i = 0; result == PLIANT_OK && i < element->count; i++) {
        result = read_item(ply, element);
    }
    return result;
}

/* Returns the most bytes that an item takes in a binary file, or UINT64_MAX. */
static uint64_t most_bytes_of_item(const ply_parser *ply, const ply_element *element)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < element->property_count; i++) {
        const ply_property *property = &ply->properties[element->first_property + i];
        uint64_t size = type_names[property->type].size;
        if (!property->is_list) {
            most += size;
        } else if (property->count_type <= PLY_U16) {
            uint64_t count_size = type_names[property->count_type].size;
            most += count_size + size * (count_size == 1 ? UINT8_MAX : UINT16_MAX);
        } else {
            return UINT64_MAX;
        }
    }
    return most;
}

uint64_t pli_ply_most_bytes(const pli_reader *start)
{
    pli_reader quiet = *start;
    quiet.notes = NULL;
    ply_parser ply = {.reader = &quiet, .text = pli_text_of(&quiet)};
    if (read_header(&ply) != PLIANT_OK || ply.is_ascii || ply.text.at == ply.text.end) {
        return UINT64_MAX;
    }
    uint64_t total = (uint64_t)(ply.text.at - (const char *)start->bytes);
    for (uint32_t i = 0; i < ply.element_count; i++) {
        uint64_t most = most_bytes_of_item(&ply, &ply.elements[i]), all = 0;
        if (__builtin_mul_overflow(most, ply.elements[i].count, &all) ||
            __builtin_add_overflow(total, all, &total)) {
            return UINT64_MAX;
        }
    }
    return total;
}

pliant_result pli_read_ply(pli_reader *reader)
{
    ply_parser ply = {.reader = reader, .text = pli_text_of(reader), .builder = {.reader = reader}};
    pliant_result result = read_header(&ply);
    ply.at = (const uint8_t *)ply.text.at;
    ply.end = reader->bytes + reader->size;
    for (uint32_t i = 0; result == PLIANT_OK && i < ply.element_count; i++) {
        result = read_items(&ply, &ply.elements[i]);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    if (ply.rounded > 0) {
        pli_note(reader, "%llu coordinates were rounded to float32",
                 (unsigned long long)ply.rounded);
    }
    return pli_build_finish(&ply.builder);
}
