/* JSON under suspicion: a look at the text before it is parsed, and members of checked kinds. */
#include "gltf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_LEVELS 64

/* What jansson takes for each kind of value, rounded up (measured on 64-bit glibc). */
#define OBJECT_COST 320
#define ARRAY_COST  160
#define STRING_COST 48
#define VALUE_COST  64 /* per comma and per colon */

pliant_result pli_gltf_scan_json(const pli_reader *reader, const uint8_t *text, size_t size,
                                 uint64_t *memory)
{
    uint64_t cost = 0;
    unsigned level = 0;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        uint8_t c = text[i];
        if (in_string) {
            i += c == '\\' ? 1 : 0;
            in_string = c != '"';
            cost++;
            continue;
        }
        in_string = c == '"';
        cost += in_string ? STRING_COST : 0;
        if (c == '{' || c == '[') {
            cost += c == '{' ? OBJECT_COST : ARRAY_COST;
            level++;
        } else if (c == '}' || c == ']') {
            level -= level > 0 ? 1 : 0;
        } else if (c == ',' || c == ':') {
            cost += VALUE_COST;
        }
        if (level > MOST_LEVELS) {
            return pli_read_fail(reader, "its JSON nests deeper than %d levels", MOST_LEVELS);
        }
    }
    *memory = cost;
    return PLIANT_OK;
}

pliant_result pli_gltf_fail(const gltf_doc *doc, const char *kind, size_t index, const char *format,
                            ...)
{
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return pli_read_fail(doc->reader, "%s %zu: %s", kind, index, sentence);
}

/* A whole number below 2^53; some writers give it a point and zeros. */
static bool to_count(const json_t *number, uint64_t *value)
{
    if (!json_is_number(number)) {
        return false;
    }
    if (json_is_integer(number)) {
        json_int_t integer = json_integer_value(number);
        *value = (uint64_t)integer;
        return integer >= 0 && integer <= INT64_C(1) << 53;
    }
    double real = json_real_value(number);
    bool whole = real >= 0.0 && real <= 0x1p53 && real == floor(real);
    *value = whole ? (uint64_t)real : 0;
    return whole;
}

pliant_result pli_gltf_get_count(const gltf_doc *doc, const char *kind, size_t index,
                                 const json_t *object, const char *key, uint64_t otherwise,
                                 uint64_t *value)
{
    const json_t *member = json_object_get(object, key);
    *value = otherwise;
    if (member == NULL || to_count(member, value)) {
        return PLIANT_OK;
    }
    return pli_gltf_fail(doc, kind, index, "%s is not a whole number from 0 on", key);
}

pliant_result pli_gltf_to_index(const gltf_doc *doc, const char *kind, size_t index,
                                const json_t *number, const char *key, const json_t *list,
                                uint32_t *value)
{
    uint64_t count = 0;
    if (!to_count(number, &count)) {
        return pli_gltf_fail(doc, kind, index, "%s is not an index", key);
    }
    if (count >= json_array_size(list)) {
        return pli_gltf_fail(doc, kind, index, "%s is %llu of %zu", key, (unsigned long long)count,
                             json_array_size(list));
    }
    *value = (uint32_t)count;
    return PLIANT_OK;
}

pliant_result pli_gltf_get_index(const gltf_doc *doc, const char *kind, size_t index,
                                 const json_t *object, const char *key, const json_t *list,
                                 uint32_t *value)
{
    const json_t *member = json_object_get(object, key);
    *value = PLI_NONE;
    return member == NULL ? PLIANT_OK
                          : pli_gltf_to_index(doc, kind, index, member, key, list, value);
}

pliant_result pli_gltf_get_floats(const gltf_doc *doc, const char *kind, size_t index,
                                  const json_t *object, const char *key, size_t count,
                                  float *values, bool *found)
{
    const json_t *member = json_object_get(object, key);
    *found = member != NULL;
    if (member == NULL) {
        return PLIANT_OK;
    }
    if (!json_is_array(member) || json_array_size(member) != count) {
        return pli_gltf_fail(doc, kind, index, "%s is not a list of %zu numbers", key, count);
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *number = json_array_get(member, i);
        double value = json_number_value(number);
        if (!json_is_number(number) || !(fabs(value) <= 0x1.fffffep127)) {
            return pli_gltf_fail(doc, kind, index, "%s[%zu] is not a number that float32 can hold",
                                 key, i);
        }
        values[i] = (float)value;
    }
    return PLIANT_OK;
}

pliant_result pli_gltf_get_list(const gltf_doc *doc, const char *kind, size_t index,
                                const json_t *object, const char *key, const json_t **value)
{
    *value = json_object_get(object, key);
    return *value == NULL || json_is_array(*value)
               ? PLIANT_OK
               : pli_gltf_fail(doc, kind, index, "%s is not a list", key);
}

pliant_result pli_gltf_get_object(const gltf_doc *doc, const char *kind, size_t index,
                                  const json_t *object, const char *key, const json_t **value)
{
    *value = json_object_get(object, key);
    return *value == NULL || json_is_object(*value)
               ? PLIANT_OK
               : pli_gltf_fail(doc, kind, index, "%s is not an object", key);
}

const char *pli_gltf_name(const gltf_doc *doc, const json_t *object, const char *kind, size_t index)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    char made[64];
    if (name == NULL || name[0] == '\0') {
        snprintf(made, sizeof made, "%s %zu", kind, index);
        name = made;
    }
    return pli_memory_text(doc->memory, name, strlen(name));
}
