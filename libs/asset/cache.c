/*
 * Vertex caches: the positions of all vertices in every frame, without triangles.
 * PC2: little-endian; "POINTCACHE2", version 1, points, first frame, step, samples; then floats.
 * MDD: big-endian; frames, points, the time of each frame in seconds; then floats.
 */
#include "asset.h"
#include "bytes.h"

#include <math.h>

#define PC2_HEADER 32
#define MDD_HEADER 8

/* Of the file only the header is in `reader`; `size` is that of all of it, which memory need not be
   able to hold. Frames are read when they are sampled. */

/* All frames must be in the file. */
static pliant_result check_size(const pli_reader *reader, uint64_t size, const pli_frames *frames)
{
    if (frames->frame_count == 0 || frames->point_count == 0) {
        return pli_read_fail(reader, "a cache of %u frames and %u points", frames->frame_count,
                             frames->point_count);
    }
    uint64_t left = size - frames->data_offset;
    uint64_t frame = (uint64_t)12 * frames->point_count;
    if (frames->frame_count > left / frame) {
        return pli_read_fail(reader, "%u frames of %u points do not fit its %llu bytes",
                             frames->frame_count, frames->point_count, (unsigned long long)size);
    }
    if (left != frame * frames->frame_count) {
        pli_note(reader, "%llu bytes behind the last frame",
                 (unsigned long long)(left - frame * frames->frame_count));
    }
    return PLIANT_OK;
}

pliant_result pli_open_pc2(pliant_asset *asset, const pli_reader *reader, uint64_t size,
                           pli_frames *frames)
{
    (void)asset;
    const uint8_t *bytes = reader->bytes;
    if (size < PC2_HEADER || memcmp(bytes, "POINTCACHE2", 12) != 0) {
        return pli_read_fail(reader, "it does not begin with the header of a PC2 cache");
    }
    uint32_t version = pli_bytes_u32(bytes + 12, false);
    if (version != 1) {
        return pli_read_fail(reader, "version %u of PC2 is not known", version);
    }
    frames->point_count = pli_bytes_u32(bytes + 16, false);
    frames->frame_count = pli_bytes_u32(bytes + 28, false);
    frames->data_offset = PC2_HEADER;
    return check_size(reader, size, frames);
}

static pliant_result read_times(pliant_asset *asset, const pli_reader *reader, pli_frames *frames)
{
    float *times = pli_memory_get(&asset->memory, frames->frame_count, sizeof *times);
    if (times == NULL) {
        return pli_read_fail_memory(reader);
    }
    pliant_result result = pli_file_read_part(&asset->files, frames->paths[0], MDD_HEADER, times,
                                              (uint64_t)4 * frames->frame_count);
    if (result != PLIANT_OK) {
        return result;
    }
    for (uint32_t i = 0; i < frames->frame_count; i++) {
        times[i] = pli_bytes_f32((const uint8_t *)&times[i], true);
        if (!isfinite(times[i]) || (i > 0 && times[i] < times[i - 1])) {
            return pli_read_fail(reader, "the time of frame %u does not follow the one before it",
                                 i);
        }
    }
    frames->times = times;
    return PLIANT_OK;
}

pliant_result pli_open_mdd(pliant_asset *asset, const pli_reader *reader, uint64_t size,
                           pli_frames *frames)
{
    if (size < MDD_HEADER) {
        return pli_read_fail(reader, "it is too short for an MDD cache");
    }
    frames->big_endian = true;
    frames->frame_count = pli_bytes_u32(reader->bytes, true);
    frames->point_count = pli_bytes_u32(reader->bytes + 4, true);
    frames->data_offset = MDD_HEADER + (uint64_t)4 * frames->frame_count;
    if (frames->data_offset > size) {
        return pli_read_fail(reader, "%u frames do not fit its %llu bytes", frames->frame_count,
                             (unsigned long long)size);
    }
    pliant_result result = check_size(reader, size, frames);
    return result == PLIANT_OK ? read_times(asset, reader, frames) : result;
}

pliant_result pli_cache_read(const pliant_asset *asset, const pli_frames *frames, uint32_t frame,
                             float *positions)
{
    uint64_t numbers = (uint64_t)3 * frames->point_count;
    pliant_result result =
        pli_file_read_part(&asset->files, frames->paths[0],
                           frames->data_offset + frame * numbers * 4, positions, numbers * 4);
    if (result != PLIANT_OK) {
        return result;
    }
    for (uint64_t i = 0; i < numbers; i++) {
        positions[i] = pli_bytes_f32((const uint8_t *)&positions[i], frames->big_endian);
        if (!isfinite(positions[i])) {
            return pli_asset_fail(
                PLIANT_ERROR_NOT_FINITE, "%s: frame %u, vertex %llu is not finite",
                PLI_SHOW_FILE(pli_base_name(frames->paths[0])), frame, (unsigned long long)(i / 3));
        }
    }
    return PLIANT_OK;
}
