#include "queries.h"

#include "assert_ok.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS(struct_, name_, number_, count_)                                                   \
    {                                                                                              \
        .name = #name_, .offset = offsetof(struct_, name_), .number = QUERY_##number_,             \
        .size = sizeof(((struct_ *)0)->name_) / (count_), .count = (count_)                        \
    }
#define NUMBER(type_, number_)                                                                     \
    {                                                                                              \
        .name = "", .number = QUERY_##number_, .size = sizeof(type_), .count = 1                   \
    }
#define ARRAY(struct_, name_, number_, size_, width_, length_, offset_, bytes_, optional_, type_)  \
    {                                                                                              \
        .name = #name_, .offset = offsetof(struct_, name_), .number = QUERY_##number_,             \
        .size = (size_), .count = (width_), .is_array = true, .optional = (optional_),             \
        .length = (length_), .length_offset = (offset_), .length_size = (bytes_),                  \
        .elements = (type_)                                                                        \
    }
#define TYPE(struct_, fields_)                                                                     \
    {                                                                                              \
#struct_, sizeof(struct_), fields_, sizeof fields_ / sizeof fields_[0]                     \
    }

#include "queries.inl"

const uint32_t query_row_count = sizeof query_rows / sizeof query_rows[0];

const query_row *query_find(const char *name)
{
    for (uint32_t i = 0; i < query_row_count; i++) {
        if (strcmp(query_rows[i].name, name) == 0) {
            return &query_rows[i];
        }
    }
    fail_msg("no query %s", name);
    return NULL;
}

/* -------------------------------------------------------------------- copy */

/* A result that is being copied, and the place in it. */
typedef struct reader {
    query_copy *copy;
    const query_place *place;
    uint64_t rays;
    query_value at;
    uint32_t depth; /* of arrays */
} reader;

static uint64_t hash_of(const query_copy *copy, uint64_t begin, uint64_t end)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint64_t i = begin; i < end; i++) {
        hash = (hash ^ copy->values[i].bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static void put(reader *r, uint64_t bits, bool is_length)
{
    query_copy *copy = r->copy;
    if (copy->count == copy->capacity) {
        copy->capacity = 2 * copy->capacity + 64;
        copy->values = realloc(copy->values, (size_t)copy->capacity * sizeof *copy->values);
        assert_non_null(copy->values);
    }
    r->at.bits = bits;
    r->at.is_length = is_length;
    copy->values[copy->count++] = r->at;
}

static uint64_t read_number(const void *from, size_t size)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 1:
        memcpy(&one, from, 1);
        return one;
    case 2:
        memcpy(&two, from, 2);
        return two;
    case 4:
        memcpy(&four, from, 4);
        return four;
    default:
        memcpy(&eight, from, 8);
        return eight;
    }
}

static void read_struct(reader *r, const query_type *type, const void *from);

static void read_numbers(reader *r, const query_field *field, const char *from)
{
    for (r->at.number = 0; r->at.number < field->count; r->at.number++) {
        put(r, read_number(from + r->at.number * field->size, field->size), false);
    }
    r->at.number = 0;
}

static uint64_t length_of(const reader *r, const query_field *field, const char *from)
{
    if (field->length == QUERY_BY_FIELD) {
        return read_number(from + field->length_offset, field->length_size);
    }
    if (field->length == QUERY_RAYS_AND_ONE) {
        return r->rays + 1;
    }
    const pliant_shape *shape = pliant_body_get_shape(r->place->body[field->length_offset]);
    return field->length == QUERY_VERTICES ? pliant_shape_get_vertex_count(shape)
                                           : pliant_shape_get_triangle_count(shape);
}

static void read_array(reader *r, const query_field *field, const char *from)
{
    const char *elements = NULL;
    memcpy(&elements, from + field->offset, sizeof elements);
    uint64_t length = length_of(r, field, from);
    if (field->optional && elements == NULL && length > 0) {
        put(r, UINT64_MAX, true);
        return;
    }
    size_t stride = field->elements != NULL ? field->elements->size : field->count * field->size;
    if (field->length != QUERY_BY_FIELD || field->optional) {
        put(r, length, true);
    }
    uint32_t depth = r->depth++;
    for (uint64_t i = 0; i < length; i++) {
        r->at.element[depth] = (uint32_t)i;
        if (field->elements != NULL) {
            read_struct(r, field->elements, elements + i * stride);
        } else {
            r->at.field[depth + 1] = field;
            read_numbers(r, field, elements + i * stride);
            r->at.field[depth + 1] = NULL;
        }
    }
    r->at.element[depth] = 0;
    r->depth = depth;
}

static void read_struct(reader *r, const query_type *type, const void *from)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const query_field *field = &type->fields[i];
        r->at.field[r->depth] = field;
        if (field->is_array) {
            read_array(r, field, from);
        } else {
            read_numbers(r, field, (const char *)from + field->offset);
        }
    }
    r->at.field[r->depth] = NULL;
}

void query_copy_struct(query_copy *copy, const query_type *type, const void *from)
{
    reader r = {.copy = copy};
    read_struct(&r, type, from);
}

static void read_statistics(reader *r, query_owner owner)
{
    const query_place *place = r->place;
    switch (owner) {
    case QUERY_OF_QUERY:
        read_struct(r, &stats_type, pliant_query_get_stats(place->query));
        break;
    case QUERY_OF_SCENE:
        read_struct(r, &scene_stats_type, pliant_scene_get_stats(place->scene));
        break;
    case QUERY_OF_VOLUME:
        read_struct(r, &volume_stats_type, pliant_volume_get_stats(place->volume));
        break;
    case QUERY_OF_CONTOURS:
        read_struct(r, &contour_stats_type, pliant_contours_get_stats(place->contours));
        break;
    }
}

static void read_events(reader *r)
{
    uint32_t count = 0;
    const pliant_scene_event *events = pliant_scene_get_events(r->place->scene, &count);
    for (uint32_t i = 0; i < count; i++) {
        r->at.element[0] = i;
        read_struct(r, &scene_event_type, &events[i]);
    }
    r->at.element[0] = 0;
}

void query_run(const query_row *row, query_form form, const query_place *place,
               const query_arguments *arguments, query_copy *copy)
{
    const query_call *call = &row->forms[form];
    reader r = {.copy = copy, .place = place, .rays = arguments->ray_count};
    uint64_t length = call->length == QUERY_RAYS     ? arguments->ray_count
                      : call->length == QUERY_POINTS ? arguments->point_count
                                                     : 1;
    char *result = calloc((size_t)length + 1, call->result->size);
    assert_non_null(result);
    copy->call = call;
    copy->count = 0;
    copy->error[0] = '\0';
    copy->result = call->call(place, arguments, result);
    if (copy->result == PLIANT_OK) {
        for (uint64_t i = 0; i < length; i++) {
            r.at.element[1] = (uint32_t)i; /* an element of no array */
            read_struct(&r, call->result, result + i * call->result->size);
        }
        r.at.element[1] = 0;
        if (form == FORM_SCENE && row->recorded == PLIANT_RECORDED_COLLIDE &&
            arguments->scene_options.events) {
            read_events(&r);
        }
    } else {
        snprintf(copy->error, sizeof copy->error, "%s", pliant_last_error());
    }
    copy->statistics = copy->count;
    copy->hash = hash_of(copy, 0, copy->count) + (uint64_t)copy->result;
    for (const char *text = copy->error; *text != '\0'; text++) {
        copy->hash = copy->hash * 31 + (uint8_t)*text;
    }
    if (copy->result == PLIANT_OK) {
        read_statistics(&r, call->owner);
    }
    copy->cost = hash_of(copy, copy->statistics, copy->count);
    free(result);
}

void query_copy_free(query_copy *copy)
{
    free(copy->values);
    *copy = (query_copy){.values = NULL};
}

/* ----------------------------------------------------------------- compare */

static const query_field *last_field(const query_value *value)
{
    int k = value->field[1] == NULL ? 0 : value->field[2] == NULL ? 1 : 2;
    return value->field[k];
}

/* Returns a name without the structs that it is within. */
static const char *last_name(const query_value *value)
{
    const char *name = last_field(value)->name, *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

static int print_bits(char *text, size_t size, const query_value *value)
{
    const query_field *field = last_field(value);
    if (!value->is_length && field->number == QUERY_FLOAT) {
        double number;
        float small;
        uint32_t half = (uint32_t)value->bits;
        memcpy(&small, &half, sizeof small);
        memcpy(&number, &value->bits, sizeof number);
        return snprintf(text, size, "%a", field->size == 4 ? (double)small : number);
    }
    return field->number == QUERY_SIGNED ? snprintf(text, size, "%" PRId32, (int32_t)value->bits)
                                         : snprintf(text, size, "%" PRIu64, value->bits);
}

/* Writes a name such as "pairs[3].gap.distance". */
static void print_name(char *text, size_t size, const query_value *value)
{
    int length = 0;
    for (int k = 0; k < 3 && value->field[k] != NULL && (size_t)length < size; k++) {
        bool within = k > 0 && value->field[k] == value->field[k - 1];
        if (!within) {
            length += snprintf(text + length, size - (size_t)length, "%s%s", k > 0 ? "." : "",
                               value->field[k]->name);
        }
        if (k < 2 && value->field[k + 1] != NULL && (size_t)length < size) {
            length += snprintf(text + length, size - (size_t)length, "[%u]", value->element[k]);
        }
    }
    bool rows = !value->is_length && last_field(value)->count > 1;
    if (rows && (size_t)length < size) {
        length += snprintf(text + length, size - (size_t)length, "[%u]", value->number);
    }
    if (value->field[1] == NULL && value->element[1] > 0 && (size_t)length < size) {
        snprintf(text + length, size - (size_t)length, " of result %u", value->element[1]);
    }
}

static bool same_place(const query_value *a, const query_value *b)
{
    return strcmp(last_name(a), last_name(b)) == 0 && a->number == b->number &&
           a->element[0] == b->element[0] && a->element[1] == b->element[1];
}

static bool values_equal(const query_copy *expected, uint64_t i, uint64_t i_end,
                         const query_copy *found, uint64_t j, uint64_t j_end, char text[256])
{
    char name[96], have[32] = "missing", want[32] = "absent";
    for (; i < i_end && j < j_end; i++, j++) {
        const query_value *a = &expected->values[i], *b = &found->values[j];
        if (a->bits != b->bits || !same_place(a, b)) {
            print_name(name, sizeof name, b);
            print_bits(have, sizeof have, b);
            print_bits(want, sizeof want, a);
            snprintf(text, 256, "%s is %s instead of %s", name, have, want);
            return false;
        }
    }
    if (i < i_end || j < j_end) {
        print_name(name, sizeof name, i < i_end ? &expected->values[i] : &found->values[j]);
        snprintf(text, 256, "%s is %s", name, i < i_end ? "missing" : "too much");
        return false;
    }
    return true;
}

bool query_copies_equal(const query_copy *expected, const query_copy *found, bool statistics,
                        char text[256])
{
    if (expected->result != found->result || strcmp(expected->error, found->error) != 0) {
        snprintf(text, 256, "the call returns %d (%.80s) instead of %d (%.80s)", found->result,
                 found->error, expected->result, expected->error);
        return false;
    }
    return values_equal(expected, 0, expected->statistics, found, 0, found->statistics, text) &&
           (!statistics || values_equal(expected, expected->statistics, expected->count, found,
                                        found->statistics, found->count, text));
}

/* ------------------------------------------------------------------- parts */

void query_copy_slice(const query_copy *copy, uint64_t first, uint64_t count, query_copy *slice)
{
    reader r = {.copy = slice};
    slice->call = copy->call;
    slice->result = copy->result;
    slice->error[0] = '\0';
    slice->count = 0;
    for (uint64_t i = 0; i < copy->statistics; i++) {
        const query_value *value = &copy->values[i];
        const char *array = value->field[0]->name;
        bool in = value->field[1] != NULL && value->element[0] >= first &&
                  value->element[0] - first < count && strstr(array, "bodies") == NULL &&
                  strstr(array, "undecided") == NULL && strncmp(array, "crossings", 9) != 0;
        if (in) {
            r.at = *value;
            r.at.element[0] -= (uint32_t)first;
            put(&r, value->bits, value->is_length);
        }
    }
    slice->statistics = slice->count;
    slice->hash = hash_of(slice, 0, slice->count);
    slice->cost = 0;
}

uint64_t query_copy_number(const query_copy *copy, const char *array, uint32_t element,
                           const char *name)
{
    for (uint64_t i = 0; i < copy->statistics; i++) {
        const query_value *value = &copy->values[i];
        bool inside = value->field[1] != NULL;
        const query_field *field = inside ? value->field[1] : value->field[0];
        if (inside == (array != NULL) && strcmp(field->name, name) == 0 &&
            (!inside ||
             (value->element[0] == element && strcmp(value->field[0]->name, array) == 0))) {
            return value->bits;
        }
    }
    fail_msg("%s has no %s", copy->call->name, name);
    return 0;
}
