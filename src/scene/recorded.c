/* Queries of a recording: their arguments, and what their results are compared by. Both follow the
   generated tables. */
#include "recording.h"

#include "base/error.h"

#include <stddef.h>
#include <string.h>

#include "recorded.inl"

/* ---------------------------------------------------------------- arguments */

/* Returns true if a byte of a field is set. */
static bool is_set(const pli_recorded_field *field, const char *from)
{
    for (uint32_t i = 0; i < field->size; i++) {
        if (from[field->offset + i] != 0) {
            return true;
        }
    }
    return false;
}

/* Returns the bytes that a recording has of an argument. */
static uint64_t argument_size(const pli_recorded_argument *argument, const pli_recorded_call *call,
                              const void *from)
{
    if (argument->how == PLI_ARGUMENT_ITEMS) {
        return sizeof call->count + call->count * argument->size;
    }
    uint64_t size = 0;
    for (uint32_t i = 0; from != NULL && i < argument->field_count; i++) {
        const pli_recorded_field *field = &argument->fields[i];
        size += field->keeps == PLI_KEEPS_FLAG ? 1u : field->size;
    }
    return size + (argument->how == PLI_ARGUMENT_OPTIONS);
}

static void put_items(pli_recording_stream *stream, const pli_recorded_argument *argument,
                      const pli_recorded_call *call, const char *from)
{
    size_t stride = call->stride != 0 ? call->stride : argument->size;
    pli_stream_put(stream, &call->count, sizeof call->count);
    for (uint64_t i = 0; i < call->count; i++) {
        pli_stream_put(stream, from + i * stride, argument->size);
    }
}

static void put_argument(pli_recording_stream *stream, const pli_recorded_argument *argument,
                         const pli_recorded_call *call, const char *from)
{
    if (argument->how == PLI_ARGUMENT_ITEMS) {
        put_items(stream, argument, call, from);
        return;
    }
    if (argument->how == PLI_ARGUMENT_OPTIONS) {
        uint8_t given = from != NULL;
        pli_stream_put(stream, &given, sizeof given);
    }
    for (uint32_t i = 0; from != NULL && i < argument->field_count; i++) {
        const pli_recorded_field *field = &argument->fields[i];
        uint8_t flag = is_set(field, from);
        bool is_flag = field->keeps == PLI_KEEPS_FLAG;
        pli_stream_put(stream, is_flag ? (const void *)&flag : from + field->offset,
                       is_flag ? sizeof flag : field->size);
    }
}

void pli_recording_write_arguments(pli_recording_stream *stream, const pli_recorded_call *call)
{
    const pli_recorded_query *query = &recorded_queries[call->query];
    uint64_t size = 0;
    for (uint32_t i = 0; i < query->argument_count; i++) {
        size += argument_size(&query->arguments[i], call, call->arguments[i]);
    }
    pli_fields fields = {.size = 0};
    pli_fields_add_32(&fields, (uint32_t)call->query);
    pli_fields_add_32(&fields, query->signature);
    pli_stream_put_fields(stream, PLIANT_CHUNK_QUESTION, &fields, size);
    for (uint32_t i = 0; i < query->argument_count; i++) {
        put_argument(stream, &query->arguments[i], call, call->arguments[i]);
    }
}

/* ------------------------------------------------------------------ results */

/* Elements of a result in memory. */
typedef struct element_range {
    const char *first;
    uint64_t count;
} element_range;

static uint64_t read_number(const char *from, size_t size)
{
    uint32_t small = 0;
    uint64_t large = 0;
    memcpy(size == sizeof small ? (void *)&small : (void *)&large, from, size);
    return size == sizeof small ? small : large;
}

/* Returns the elements of one list of a result; a list that was not requested is empty. */
static element_range find_elements(const pli_recorded_elements *elements,
                                   const pli_recorded_call *call, const char *result)
{
    if (elements->how == PLI_ELEMENTS_ITSELF || elements->how == PLI_ELEMENTS_ITEMS) {
        return (element_range){result, elements->how == PLI_ELEMENTS_ITSELF ? 1 : call->count};
    }
    element_range range = {NULL, call->count + 1};
    memcpy(&range.first, result + elements->pointer, sizeof range.first);
    if (elements->how == PLI_ELEMENTS_LIST) {
        range.count = read_number(result + elements->count, elements->count_size);
    }
    range.count = range.first != NULL ? range.count : 0;
    return range;
}

static uint32_t name_body(const char *from)
{
    pliant_body_id body;
    memcpy(&body, from, sizeof body);
    return body.generation != 0 ? body.index + 1 : 0;
}

/* Copies a field of `count` elements side by side. */
static void gather(const pli_recorded_field *field, const char *from, size_t count, size_t stride,
                   char *to)
{
    size_t size = field->size;
    for (size_t i = 0; i < count; i++, from += stride) {
        if (field->keeps == PLI_KEEPS_BODY) {
            uint32_t body = name_body(from);
            memcpy(to + i * sizeof body, &body, sizeof body);
        } else if (size == sizeof(uint32_t)) { /* of a constant size: one instruction */
            memcpy(to + i * sizeof(uint32_t), from, sizeof(uint32_t));
        } else if (size == sizeof(uint64_t)) {
            memcpy(to + i * sizeof(uint64_t), from, sizeof(uint64_t));
        } else {
            memcpy(to + i * size, from, size);
        }
    }
}

/* Returns the checksum of the number of elements, followed by a field of each. */
static uint64_t sum_field(const pli_recorded_field *field, element_range range, size_t stride)
{
    enum { PORTION = 64 };
    char values[PORTION * LARGEST_FIELD];
    size_t size = field->keeps == PLI_KEEPS_BODY ? sizeof(uint32_t) : field->size;
    pli_sum sum = {.sum = 0};
    PLI_ASSERT(size <= LARGEST_FIELD);
    pli_sum_add(&sum, &range.count, sizeof range.count);
    for (uint64_t i = 0; i < range.count; i += PORTION) {
        size_t count = range.count - i < PORTION ? (size_t)(range.count - i) : PORTION;
        gather(field, range.first + i * stride + field->offset, count, stride, values);
        pli_sum_add(&sum, values, count * size);
    }
    return pli_sum_end(&sum);
}

static uint64_t read_count(const pli_recorded_count *count, const pli_recorded_query *query,
                           const pli_recorded_call *call, const char *result)
{
    if (count->how == PLI_COUNT_FIELD) {
        return read_number(result + count->offset, count->size);
    }
    if (count->how == PLI_COUNT_ITEMS) {
        return call->count;
    }
    element_range range = find_elements(&query->elements[0], call, result);
    uint64_t found = 0;
    for (uint64_t i = 0; i < range.count; i++) {
        const char *at = range.first + i * query->elements[0].size + count->offset;
        found += count->size == sizeof(pliant_body_id) ? name_body(at) != 0 : *at != 0;
    }
    return found;
}

/* Returns true if an option that is set has an effect on the fields that are comparable. */
static bool has_effect(const pli_recorded_query *query, const pli_recorded_call *call,
                       uint8_t effect)
{
    for (uint32_t i = 0; i < query->argument_count; i++) {
        const pli_recorded_argument *argument = &query->arguments[i];
        bool given = argument->how == PLI_ARGUMENT_OPTIONS && call->arguments[i] != NULL;
        for (uint32_t k = 0; given && k < argument->field_count; k++) {
            if (argument->fields[k].effect == effect &&
                is_set(&argument->fields[k], call->arguments[i])) {
                return true;
            }
        }
    }
    return false;
}

/* Returns true if the box that the broad phase has of a body follows from its state alone. */
static bool box_is_comparable(const pliant_body *body)
{
    if (pli_body_is_blended(body) || body->update == PLIANT_UPDATE_BOTTOM_UP) {
        return true;
    }
    return pli_body_has_coefficients(body) ? !body->coherent && body->update != PLIANT_UPDATE_FRONT
                                           : !body->pose.moved;
}

/*
 * Returns true if contacts of proxies do not depend on earlier queries. Spheres do not, unless a
 * body is coherent. Bodies given by positions do not either. The size of boxes that follow from
 * transforms depends on which of them were refreshed before. Spheres reach out of boxes, so the
 * boxes of all members decide which pairs are compared.
 */
static bool proxies_are_comparable(const pliant_scene *scene)
{
    for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
        const pli_member *member = &scene->members.data[slot];
        if (member->body == NULL) {
            continue;
        }
        bool same = !member->def.proxies ||
                    (pli_body_has_spheres(member->body) && !member->body->coherent) ||
                    (member->body->by_positions && !member->body->pose.moved);
        if (!same || !box_is_comparable(member->body)) {
            return false;
        }
    }
    return true;
}

/* Returns true if the same call gives the same result whenever the state is the same. */
static bool is_comparable(const pliant_scene *scene, const pli_recorded_call *call)
{
    return !call->unrepeatable &&
           !has_effect(&recorded_queries[call->query], call, PLI_UNREPEATABLE) &&
           (call->query != PLIANT_RECORDED_COLLIDE_PROXIES || proxies_are_comparable(scene));
}

/* Computes the checksums of all fields; those that are not comparable are 0. */
static void sum_up(const pli_recorded_query *query, const pli_recorded_call *call,
                   const char *result, uint64_t *sums)
{
    bool only_first = has_effect(query, call, PLI_ONLY_FIRST);
    uint32_t at = 0;
    for (uint32_t i = 0; i < query->element_count; i++) {
        const pli_recorded_elements *elements = &query->elements[i];
        element_range range = find_elements(elements, call, result);
        for (uint32_t k = 0; k < elements->field_count; k++, at++) {
            if (!only_first || query->compared_first >> at & 1) {
                sums[at] = sum_field(&elements->fields[k], range, elements->size);
            }
        }
    }
}

void pli_recording_write_result(const pliant_scene *scene, const pli_recorded_call *call,
                                const void *result, pliant_recorded_answer *summary)
{
    const pli_recorded_query *query = &recorded_queries[call->query];
    pli_recording_stream *stream = &scene->recording->stream;
    uint64_t sums[MOST_FIELDS] = {0};
    size_t size = query->field_count * sizeof *sums;
    if (summary->result == PLIANT_OK) {
        summary->counts[0] = read_count(&query->bodies, query, call, result);
        summary->counts[1] = read_count(&query->found, query, call, result);
        summary->comparable = is_comparable(scene, call);
    }
    if (summary->result == PLIANT_OK && summary->comparable) {
        sum_up(query, call, result, sums);
    }
    pli_sum sum = {.sum = (uint64_t)call->query};
    pli_sum_add(&sum, sums, size);
    summary->checksum = pli_sum_end(&sum);
    pli_stream_begin(stream, PLIANT_CHUNK_ANSWER, sizeof *summary + size);
    pli_stream_put(stream, summary, sizeof *summary);
    pli_stream_put(stream, sums, size);
}
