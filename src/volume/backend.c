/* Backends, and images whose crossings they find (pliant/backend.h). */
#include "volume/volume.h"

#include "base/atomic.h"

#include <stdio.h>

struct pliant_volume_backend {
    pliant_context *context;
    const char *name;
    void *user;
    pliant_result (*cross)(void *user, const pliant_backend_triangles *triangles,
                           pliant_backend_crossings *crossings);
    void (*release)(void *user);
    PLI_ATOMIC(uint64_t) users; /* volumes, and the caller until it destroys the backend */
};

PLIANT_DEFINE_DEFAULT(pliant_volume_backend_def)
{
    return (pliant_volume_backend_def){.tag = PLI_TAG(pliant_volume_backend_def)};
}

pliant_result pliant_volume_backend_create(pliant_context *context,
                                           const pliant_volume_backend_def *def,
                                           pliant_volume_backend **backend)
{
    PLI_REQUIRE(context);
    PLI_REQUIRE(def);
    PLI_REQUIRE(backend);
    PLI_REQUIRE_TAG(def, pliant_volume_backend_def);
    PLI_REQUIRE(def->name);
    PLI_REQUIRE(def->cross);
    pliant_result result = pli_context_check_home(context);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_volume_backend *created = pli_allocate(context, sizeof *created);
    if (created == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_context_join(context, PLI_OBJECT_BACKEND);
    *created = (pliant_volume_backend){.context = context,
                                       .name = def->name,
                                       .user = def->user,
                                       .cross = def->cross,
                                       .release = def->release,
                                       .users = 1};
    *backend = created;
    return PLIANT_OK;
}

pliant_result pli_backend_join(const pliant_volume_backend *backend)
{
    if (backend == NULL) {
        return PLIANT_OK;
    }
    pliant_result result = pli_context_check_home(backend->context);
    if (result == PLIANT_OK) {
        atomic_fetch_add_explicit(&((pliant_volume_backend *)backend)->users, 1,
                                  memory_order_relaxed);
    }
    return result;
}

void pli_backend_leave(const pliant_volume_backend *backend)
{
    pliant_volume_backend *left = (pliant_volume_backend *)backend;
    if (left == NULL || atomic_fetch_sub(&left->users, 1) != 1) {
        return;
    }
    if (left->release != NULL) {
        left->release(left->user);
    }
    pliant_context *context = left->context;
    pli_release(context, left, sizeof *left);
    pli_context_leave(context, PLI_OBJECT_BACKEND);
}

void pliant_volume_backend_destroy(pliant_volume_backend *backend)
{
    pli_backend_leave(backend);
}

void *pliant_volume_backend_get_user(const pliant_volume_backend *backend)
{
    return backend != NULL ? backend->user : NULL;
}

/* ------------------------------------------------------------------------------- images */

/* Appends the triangles of a part, snapped as for our own rasteriser. */
static bool add_triangles(pliant_volume *volume, const pliant_shape *shape, const pli_image *image,
                          const pli_image_part *part)
{
    const pli_cluster *cluster = &shape->clusters[part->cluster];
    pli_snapped *snapped = &volume->workers.data[0].snapped;
    size_t count = volume->other_numbers.count;
    if (!PLI_RESERVE(volume->context, &volume->other_corners, 9 * (count + PLI_CLUSTER_SLOTS)) ||
        !PLI_RESERVE(volume->context, &volume->other_numbers, count + PLI_CLUSTER_SLOTS)) {
        return false;
    }
    volume->kernels->snap(&image->grid, part->record, cluster->vertex_count, snapped);
    const uint8_t *corners = shape->slot_corners + 3 * (size_t)cluster->first_slot;
    for (uint64_t live = cluster->live; live != 0; live &= live - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(live);
        float *to = volume->other_corners.data + 9 * count;
        for (uint32_t c = 0; c < 3; c++) {
            uint32_t vertex = corners[c * cluster->slot_count + slot];
            for (uint32_t k = 0; k < 2; k++) {
                int32_t first = (int32_t)image->window.first[k] * PLI_PIXEL_STEPS;
                to[3 * c + k] = (float)(snapped->side[k][vertex] - first) / PLI_PIXEL_STEPS;
            }
            to[3 * c + 2] = snapped->depth[vertex];
        }
        volume->other_numbers.data[count++] = shape->slot_triangles[cluster->first_slot + slot];
    }
    volume->other_numbers.count = count;
    return true;
}

/* Puts another's crossings in the place of ours. */
static bool adopt_crossings(pliant_volume *volume, const pliant_backend_crossings *found,
                            size_t pixels)
{
    pli_raster_target *target = &volume->workers.data[0].target;
    if (!pli_raster_reserve(volume->context, &volume->workers.data[0], found->count)) {
        return false;
    }
    target->count = 0;
    for (size_t i = 0; i < found->count; i++) {
        uint32_t triangle = found->triangle[i] >> 1;
        if (found->pixel[i] >= pixels || triangle >= volume->other_numbers.count) {
            continue; /* no driver does that; none may make us write elsewhere */
        }
        float depth = found->depth[i] > 0.0f ? found->depth[i] : 0.0f;
        depth = depth < 1.0f ? depth : 1.0f;
        target->pixel[target->count] = found->pixel[i];
        target->word[target->count] =
            (uint32_t)(depth * (float)PLI_DEPTH_STEPS) << 1 | (found->triangle[i] & 1);
        target->triangle[target->count++] = volume->other_numbers.data[triangle];
    }
    return true;
}

pliant_result pli_volume_cross_elsewhere(pliant_volume *volume, const pliant_body *body,
                                         const pli_image *image, pli_band_filler *filler)
{
    bool done = pli_band_begin(filler, 0);
    volume->other_numbers.count = 0;
    for (size_t i = 0; i < volume->parts.count && done; i++) {
        if (image->with_intervals) {
            done = pli_band_add(filler, &volume->parts.data[i]);
        }
        done = done && add_triangles(volume, body->shape, image, &volume->parts.data[i]);
    }
    if (!done) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_backend_triangles triangles = {.columns = image->columns,
                                          .rows = image->rows,
                                          .corners = volume->other_corners.data,
                                          .count = (uint32_t)volume->other_numbers.count};
    pliant_backend_crossings found = {.count = 0};
    if (triangles.count > 0) {
        const pliant_volume_backend *backend = volume->backend;
        pliant_result result = backend->cross(backend->user, &triangles, &found);
        if (result != PLIANT_OK) {
            char sentence[200];
            snprintf(sentence, sizeof sentence, "%s", pliant_last_error());
            return pli_fail(result, "%.40s: %s", backend->name, sentence);
        }
    }
    done = pli_band_hold(filler, found.count, 0, 0) &&
           adopt_crossings(volume, &found, filler->pixels) && pli_band_finish(filler);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}
