#include "volume/volume.h"

enum { IMAGES_AT_ONCE = 4 };

uint64_t pli_volume_room(const pliant_volume *volume)
{
    return volume->memory_limit / IMAGES_AT_ONCE;
}

/* Bytes of images and of the lists that they are made in, without those per pixel of a band. */
static uint64_t bytes_in_use(const pliant_volume *volume)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < PLI_IMAGES; i++) {
        bytes += pli_image_memory(&volume->images[i]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        bytes += pli_image_memory(&volume->finer[i]) + pli_image_memory(&volume->band[i]);
    }
    for (size_t w = 0; w < volume->workers.count; w++) {
        const pli_raster_worker *worker = &volume->workers.data[w];
        bytes += pli_arrays_bytes(worker->arrays, PLI_RASTER_ARRAYS) -
                 pli_arrays_bytes(&worker->cells.array, 1) -
                 pli_arrays_bytes(&worker->more.array, 1);
    }
    return bytes;
}

static bool is_crowded(const pliant_volume *volume)
{
    return bytes_in_use(volume) > volume->memory_limit - pli_volume_room(volume);
}

void pli_volume_make_room(pliant_volume *volume)
{
    if (!is_crowded(volume)) {
        return;
    }
    for (size_t w = 0; w < volume->workers.count; w++) {
        pli_arrays_release(volume->context, volume->workers.data[w].arrays, PLI_RASTER_ARRAYS);
    }
    for (uint32_t i = 0; i < PLI_IMAGES && is_crowded(volume); i++) {
        pli_image *image = &volume->images[i];
        if (image->body == 0 || image->used <= volume->call_began) {
            pli_image_release(volume->context, image);
            image->body = 0;
        }
    }
}

static pliant_result fail_for_row(const pliant_volume *volume)
{
    return pli_fail(PLIANT_ERROR_TOO_LARGE,
                    "the surfaces that one row of rays crosses take more than %llu bytes, a "
                    "quarter of the volume's memory_limit; raise it or lower the resolution",
                    (unsigned long long)pli_volume_room(volume));
}

pliant_result pli_volume_in_bands(pliant_volume *volume, uint32_t first, uint32_t last,
                                  pli_band_step step, void *user)
{
    uint32_t rows = last - first + 1;
    pliant_result result = PLIANT_OK;
    while (first <= last && result == PLIANT_OK) {
        uint32_t count = last - first + 1 < rows ? last - first + 1 : rows;
        volume->lacks_room = false;
        volume->most_held = 0;
        result = step(user, first, first + count - 1);
        if (result == PLIANT_OK) {
            first += count;
            rows = volume->most_held < pli_volume_room(volume) / 4 ? 2 * rows : rows;
        } else if (volume->lacks_room && count > 1) {
            rows = (count + 1) / 2;
            result = PLIANT_OK;
        } else if (volume->lacks_room) {
            result = fail_for_row(volume);
        }
    }
    return result;
}
