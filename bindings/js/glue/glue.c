/*
 * What JavaScript cannot do by calling the library itself: memory, and functions of the page that
 * the library calls while it works.
 *
 * The page's functions are imports of the module. They never throw into the library: src/module.js
 * keeps an exception until the call that led to it has returned.
 */
#include "pliant/pliant.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name
#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))

extern const uint32_t pliant_js_layout[]; /* layout.c, generated */

IMPORT(filter_bodies)
bool pliant_js_on_filter_bodies(uint32_t a, uint32_t a_generation, uint32_t b,
                                uint32_t b_generation);
IMPORT(filter_body) bool pliant_js_on_filter_body(uint32_t index, uint32_t generation);
IMPORT(visit_bound) bool pliant_js_on_visit_bound(const pliant_bound *bound);
IMPORT(log) void pliant_js_on_log(uint32_t level, const char *sentence, size_t length);
IMPORT(record) bool pliant_js_on_record(const void *bytes, size_t size);

/* Sizes of structs and offsets of their fields, in the order of layout.js. */
const uint32_t *EXPORT(pliant_js_get_layout)(void)
{
    return pliant_js_layout;
}

/* Memory for arrays of the page, at multiples of 64 bytes; NULL if there is none. JavaScript passes
   an integer of 32 bits without its upper bits, so the size is a double. */
void *EXPORT(pliant_js_allocate)(double size)
{
    if (!(size >= 0 && size <= (double)(SIZE_MAX - 63))) {
        return NULL;
    }
    return aligned_alloc(64, ((size_t)size + 63) / 64 * 64);
}

void EXPORT(pliant_js_release)(void *memory)
{
    free(memory);
}

static void log_sentence(void *user, pliant_log_level level, const char *sentence)
{
    (void)user;
    pliant_js_on_log((uint32_t)level, sentence, strlen(sentence));
}

/* Creates a context of at most this instruction set, which tells its log to the page if `logs`. */
pliant_result EXPORT(pliant_js_create_context)(pliant_isa isa, bool logs, pliant_context **context)
{
    pliant_context_def def = pliant_context_def_default();
    def.isa = isa;
    def.logger.log = logs ? log_sentence : NULL;
    return pliant_context_create(&def, context);
}

/* Bytes that a body holds: its copy of the positions, and all else. */
void EXPORT(pliant_js_get_body_memory)(const pliant_body *body, double bytes[2])
{
    const pliant_body_memory memory = pliant_body_get_memory(body);
    bytes[0] = (double)memory.positions;
    bytes[1] = (double)memory.bounds;
}

static bool filter_bodies(void *user, pliant_body_id a, pliant_body_id b)
{
    (void)user;
    return pliant_js_on_filter_bodies(a.index, a.generation, b.index, b.generation);
}

static bool filter_body(void *user, pliant_body_id body)
{
    (void)user;
    return pliant_js_on_filter_body(body.index, body.generation);
}

static bool visit_bound(void *user, const pliant_bound *bound)
{
    (void)user;
    return pliant_js_on_visit_bound(bound);
}

static bool record(void *user, const void *bytes, uint64_t size)
{
    (void)user;
    return pliant_js_on_record(bytes, (size_t)size);
}

/* Functions for the fields of settings that take one, as numbers of the module's table. */
pliant_scene_filter EXPORT(pliant_js_get_filter)(void)
{
    return filter_bodies;
}

pliant_body_filter EXPORT(pliant_js_get_body_filter)(void)
{
    return filter_body;
}

pliant_bound_callback EXPORT(pliant_js_get_bound_callback)(void)
{
    return visit_bound;
}

pliant_recording_callback EXPORT(pliant_js_get_recording_callback)(void)
{
    return record;
}
