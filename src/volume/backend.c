/* Images whose crossings another library finds: see backend.h. */
#include "by_backend.h"

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
static bool adopt_crossings(pliant_volume *volume, const pli_backend_crossings *found,
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
    pli_backend_triangles triangles = {.columns = image->columns,
                                       .rows = image->rows,
                                       .corners = volume->other_corners.data,
                                       .count = (uint32_t)volume->other_numbers.count};
    pli_backend_crossings found = {.count = 0};
    pli_backend_error error = {""};
    if (triangles.count > 0) {
        const pliant_volume_backend *backend = volume->backend;
        pliant_result result = backend->cross(backend->user, &triangles, &found, &error);
        if (result != PLIANT_OK) {
            return pli_fail(result, "%s: %s", backend->name, error.text);
        }
    }
    done = adopt_crossings(volume, &found, filler->pixels) && pli_band_finish(filler);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}
