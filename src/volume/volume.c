#include "volume/volume.h"

#include "base/error.h"
#include "base/float_env.h"
#include "base/sort.h"

#include <string.h>

enum { LEAST_MEMORY_LIMIT = 1 << 16 };

PLIANT_DEFINE_DEFAULT(pliant_volume_def)
{
    pliant_volume_def def = {.memory_limit = (uint64_t)1 << 30, .tag = PLI_TAG(pliant_volume_def)};
    return def;
}

PLIANT_DEFINE_DEFAULT(pliant_volume_options)
{
    pliant_volume_options options = {
        .resolution = 128,
        .max_resolution = 1024,
        .error_bound = true,
        .cull = true,
        .tag = PLI_TAG(pliant_volume_options),
    };
    return options;
}

pliant_result pliant_volume_create(pliant_context *context, const pliant_volume_def *def,
                                   pliant_volume **volume)
{
    pliant_volume_def defaults = pliant_volume_def_default();
    if (def == NULL) {
        def = &defaults;
    }
    PLI_REQUIRE(context);
    PLI_REQUIRE(volume);
    PLI_REQUIRE_TAG(def, pliant_volume_def);
    if (def->memory_limit < LEAST_MEMORY_LIMIT) {
        return pli_fail(PLIANT_ERROR_RANGE, "memory_limit is %llu; it must be at least %u",
                        (unsigned long long)def->memory_limit, (unsigned)LEAST_MEMORY_LIMIT);
    }
    pliant_result result = pli_backend_join(def->backend);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_volume *created = pli_allocate(context, sizeof *created);
    if (created == NULL) {
        pli_backend_leave(def->backend);
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_context_join(context, PLI_OBJECT_VOLUME);
    *created = (pliant_volume){
        .context = context,
        .backend = def->backend,
        .memory_limit = def->memory_limit,
        .kernels = pli_context_kernels(context)->raster,
    };
    if (!PLI_CREATE(context, &created->workers, pliant_context_get_worker_count(context))) {
        pliant_volume_destroy(created);
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *volume = created;
    return PLIANT_OK;
}

void pliant_volume_destroy(pliant_volume *volume)
{
    if (volume == NULL) {
        return;
    }
    PLI_ASSERT_UNUSED(!pli_use_is_busy(&volume->use),
                      "pliant_volume_destroy: the volume is used by a call under way");
    if (pli_use_postpones(&volume->use)) {
        return;
    }
    pliant_context *context = volume->context;
    for (uint32_t i = 0; i < PLI_IMAGES; i++) {
        pli_image_release(context, &volume->images[i]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        pli_image_release(context, &volume->finer[i]);
        pli_image_release(context, &volume->band[i]);
    }
    for (size_t w = 0; w < volume->workers.count; w++) {
        pli_arrays_release(context, volume->workers.data[w].arrays, PLI_RASTER_ARRAYS);
    }
    pli_arrays_release(context, volume->arrays, PLI_VOLUME_ARRAYS);
    pli_backend_leave(volume->backend);
    pli_release(context, volume, sizeof *volume);
    pli_context_leave(context, PLI_OBJECT_VOLUME);
}

const pliant_volume_stats *pliant_volume_get_stats(const pliant_volume *volume)
{
    return volume != NULL ? &volume->stats : NULL;
}

uint64_t pliant_volume_get_memory(const pliant_volume *volume)
{
    if (volume == NULL) {
        return 0;
    }
    uint64_t bytes = sizeof *volume + pli_arrays_bytes(volume->arrays, PLI_VOLUME_ARRAYS);
    for (uint32_t i = 0; i < PLI_IMAGES; i++) {
        bytes += pli_image_memory(&volume->images[i]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        bytes += pli_image_memory(&volume->finer[i]) + pli_image_memory(&volume->band[i]);
    }
    for (size_t w = 0; w < volume->workers.count; w++) {
        bytes += pli_arrays_bytes(volume->workers.data[w].arrays, PLI_RASTER_ARRAYS);
    }
    return bytes;
}

pliant_result pli_volume_options_check(const pliant_volume_options *options)
{
    if (options == NULL) {
        return PLIANT_OK;
    }
    PLI_REQUIRE_TAG(options, pliant_volume_options);
    const uint32_t sizes[2] = {options->resolution, options->max_resolution};
    for (int i = 0; i < 2; i++) {
        if (sizes[i] < 1 || sizes[i] > PLIANT_VOLUME_MAX_RESOLUTION) {
            return pli_fail(PLIANT_ERROR_RANGE, "%s is %u; it must be 1 to %u",
                            i == 0 ? "resolution" : "max_resolution", sizes[i],
                            (unsigned)PLIANT_VOLUME_MAX_RESOLUTION);
        }
    }
    if (!(options->tolerance >= 0.0)) {
        return pli_fail(PLIANT_ERROR_RANGE, "tolerance is %f; it must be at least 0",
                        options->tolerance);
    }
    if (options->tolerance > 0.0 && !options->error_bound) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "a tolerance needs the error bound");
    }
    return PLIANT_OK;
}

/*
 * Reads a number of every cache line of the positions, in the order of memory. The tree reads them
 * in an order of its own, in which the processor cannot guess what comes next: three times slower
 * where they come from main memory. Where they are in a cache already this adds a tenth; small
 * bodies usually are.
 */
static void read_ahead(const pliant_body *body)
{
    enum { LINE = 64, SMALL = 1 << 18 };
    size_t count = body->shape->vertex_count, stride = body->positions.stride;
    size_t step = stride < LINE ? LINE / stride : 1;
    for (size_t i = 0; count * stride >= SMALL && i < count; i += step) {
        (void)*(const volatile float *)pli_position(body->positions, i);
    }
}

pliant_result pli_volume_prepare(pliant_body *body)
{
    if (!body->ready && body->valid && body->by_positions && !body->shape->in_tree_order) {
        read_ahead(body);
    }
    return pli_body_prepare(body);
}

pliant_box pli_volume_body_box(const pliant_body *body)
{
    pliant_box box;
    pli_boxes whole;
    pli_body_state_box(body, &whole);
    for (int k = 0; k < 3; k++) {
        box.lower[k] = whole.side[k][0];
        box.upper[k] = whole.side[3 + k][0];
    }
    return box;
}

/* ----------------------------------------------------------- closedness */

/* Names one edge that keeps a mesh open: edges as keys, lower vertex first, sorted. */
static pliant_result name_open_edge(const pliant_shape *shape, uint64_t *keys, uint64_t *values,
                                    size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t end = i;
        int64_t balance = 0;
        for (; end < count && keys[end] == keys[i]; end++) {
            balance += values[end] & 1 ? 1 : -1;
        }
        if (balance != 0) {
            return pli_fail(PLIANT_ERROR_ARGUMENT,
                            "the body is open: the edge from vertex %u to vertex %u, of triangle "
                            "%u, is not used equally in both directions",
                            (uint32_t)(keys[i] >> 32), (uint32_t)keys[i],
                            (uint32_t)(values[i] >> 1));
        }
        i = end;
    }
    for (uint32_t t = 0; t < shape->triangle_count; t++) {
        const uint32_t *corner = shape->triangles + 3 * (size_t)t;
        if (!pli_shape_has_triangle(shape, t)) {
            continue;
        }
        uint32_t a = shape->welded[corner[0]], b = shape->welded[corner[1]];
        uint32_t c = shape->welded[corner[2]];
        if (a == b || b == c || c == a) {
            return pli_fail(PLIANT_ERROR_ARGUMENT,
                            "the body is not closed: triangle %u uses one vertex twice", t);
        }
    }
    return pli_fail(PLIANT_ERROR_ARGUMENT, "the body is not closed");
}

static pliant_result refuse_open(const pliant_shape *shape)
{
    size_t count = 3 * (size_t)shape->triangle_count, bytes = 4 * count * sizeof(uint64_t);
    uint64_t *keys = pli_allocate(shape->context, bytes);
    if (keys == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    uint64_t *values = keys + count;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (shape->triangles[i] == PLI_NO_NUMBER) {
            continue; /* removed */
        }
        uint32_t a = shape->welded[shape->triangles[i]];
        uint32_t b = shape->welded[shape->triangles[i % 3 == 2 ? i - 2 : i + 1]];
        if (a != b) {
            keys[used] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
            values[used++] = (uint64_t)(i / 3) << 1 | (a < b ? 1 : 0);
        }
    }
    pli_sort_keys(keys, values + count, values, values + 2 * count, used);
    pliant_result result = name_open_edge(shape, keys, values, used);
    pli_release(shape->context, keys, bytes);
    return result;
}

pliant_result pli_volume_check_closed(const pliant_shape *shape,
                                      const pliant_volume_options *options)
{
    return options->allow_open || shape->block->is_closed ? PLIANT_OK : refuse_open(shape);
}

/* --------------------------------------------------------------- calls */

static PLI_NOINLINE pliant_result ask_body(pliant_volume *volume, pliant_body *body,
                                           const pliant_volume_options *options,
                                           pli_sweep_kind kind, pliant_volume_measure *measure)
{
    return pli_volume_measure(volume, body, options, kind, measure);
}

static PLI_NOINLINE pliant_result ask_pair(pliant_volume *volume, pliant_body *a, pliant_body *b,
                                           const pliant_volume_options *options,
                                           pliant_volume_measure *measure)
{
    return pli_volume_intersect(volume, a, b, options, measure);
}

pliant_result pliant_volume_intersect(pliant_volume *volume, pliant_body *a, pliant_body *b,
                                      const pliant_volume_options *options,
                                      pliant_volume_measure *measure)
{
    PLI_REQUIRE(volume);
    PLI_REQUIRE_IDLE(volume, "the volume");
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    PLI_REQUIRE(measure);
    if (a == b) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "the two bodies are the same one; see pliant_volume_measure_body() and "
                        "pliant_volume_intersect_self()");
    }
    pliant_volume_options defaults = pliant_volume_options_default();
    pliant_result result = pli_volume_options_check(options);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_float_env env = pli_float_env_enter();
    result = ask_pair(volume, a, b, options != NULL ? options : &defaults, measure);
    pli_float_env_leave(env);
    return result;
}

static pliant_result body_call(pliant_volume *volume, pliant_body *body,
                               const pliant_volume_options *options, pli_sweep_kind kind,
                               pliant_volume_measure *measure)
{
    PLI_REQUIRE(volume);
    PLI_REQUIRE_IDLE(volume, "the volume");
    PLI_REQUIRE(body);
    PLI_REQUIRE(measure);
    pliant_volume_options defaults = pliant_volume_options_default();
    pliant_result result = pli_volume_options_check(options);
    if (result == PLIANT_OK && kind == PLI_SWEEP_SELF && options != NULL && options->gradients) {
        result = pli_fail(PLIANT_ERROR_ARGUMENT, "self-overlap has no gradients");
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pli_float_env env = pli_float_env_enter();
    result = ask_body(volume, body, options != NULL ? options : &defaults, kind, measure);
    pli_float_env_leave(env);
    return result;
}

pliant_result pliant_volume_intersect_self(pliant_volume *volume, pliant_body *body,
                                           const pliant_volume_options *options,
                                           pliant_volume_measure *measure)
{
    return body_call(volume, body, options, PLI_SWEEP_SELF, measure);
}

pliant_result pliant_volume_measure_body(pliant_volume *volume, pliant_body *body,
                                         const pliant_volume_options *options,
                                         pliant_volume_measure *measure)
{
    return body_call(volume, body, options, PLI_SWEEP_BODY, measure);
}
