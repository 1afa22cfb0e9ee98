/* Shapes by their keys, and how they get to ranks that need them. */
#include "scene.h"

#include <stdio.h>
#include <string.h>

/* Writes a shape's block to scene->block. */
static pliant_result write_block(pliant_mpi_scene *scene, const pliant_shape *shape, uint64_t *size)
{
    *size = 0;
    pliant_result result = pliant_shape_write(shape, NULL, 0, size);
    if (result == PLIANT_OK &&
        pli_mpi_resize(scene->context, &scene->block, pli_mpi_bytes_of(*size, 1)) == NULL) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return result == PLIANT_OK ? pliant_shape_write(shape, scene->block.data, *size, size) : result;
}

/* Lists a shape whose block has that hash; one that was received is the scene's. */
static pliant_result list_shape(pliant_mpi_scene *scene, uint64_t key, const pliant_shape *shape,
                                pliant_shape *received, uint64_t hash, uint64_t size)
{
    pliant_context *context = scene->context;
    uint32_t number = (uint32_t)(scene->shapes.count / sizeof(pli_mpi_shape));
    pliant_body *keeper = NULL;
    if (!pli_mpi_map_reserve(context, &scene->shape_of, 1) ||
        !pli_mpi_reserve(context, &scene->shapes, scene->shapes.count + sizeof(pli_mpi_shape))) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = pliant_body_create(shape, NULL, &keeper);
    if (result == PLIANT_OK) {
        scene->shapes.count += sizeof(pli_mpi_shape);
        *pli_mpi_shape_at(scene, number) =
            (pli_mpi_shape){key, hash, size, shape, received, keeper};
        pli_mpi_map_put(&scene->shape_of, key, number);
    }
    return result;
}

pliant_result pliant_mpi_scene_add_shape(pliant_mpi_scene *scene, uint64_t key,
                                         const pliant_shape *shape)
{
    if (scene == NULL || shape == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT,
                           scene == NULL ? "pliant_mpi_scene_add_shape: scene is NULL"
                                         : "pliant_mpi_scene_add_shape: shape is NULL");
    }
    if (pliant_mpi_scene_get_shape(scene, key) != NULL) {
        char sentence[96];
        snprintf(sentence, sizeof sentence, "shape %llu is on this rank already",
                 (unsigned long long)key);
        return pliant_fail(PLIANT_ERROR_ARGUMENT, sentence);
    }
    uint64_t size = 0;
    pliant_result result = write_block(scene, shape, &size);
    if (result != PLIANT_OK) {
        return result;
    }
    uint64_t hash = pli_mpi_hash(0, scene->block.data, (size_t)size);
    result = list_shape(scene, key, shape, NULL, hash, size);
    scene->flags |= result == PLIANT_OK ? PLI_MPI_NEW_SHAPES : 0u;
    return result;
}

const pliant_shape *pliant_mpi_scene_get_shape(const pliant_mpi_scene *scene, uint64_t key)
{
    uint32_t number =
        scene != NULL ? pli_mpi_map_find(&scene->shape_of, key) : (uint32_t)PLI_MPI_ABSENT;
    return number != PLI_MPI_ABSENT ? pli_mpi_shape_at(scene, number)->shape : NULL;
}

/* ----------------------------------------------------------------- fetching */

bool pli_mpi_want_shape(pliant_mpi_scene *scene, uint64_t key, int from)
{
    const pli_mpi_want *wanted = (const pli_mpi_want *)(void *)scene->wanted.data;
    if (pliant_mpi_scene_get_shape(scene, key) != NULL) {
        return true;
    }
    for (size_t i = 0; i < scene->wanted.count / sizeof *wanted; i++) {
        if (wanted[i].key == key) {
            return true;
        }
    }
    pli_mpi_want *want = pli_mpi_extend(scene->context, &scene->wanted, sizeof *want);
    if (want != NULL) {
        *want = (pli_mpi_want){key, from};
    }
    return want != NULL;
}

/* Keys for the ranks that they are wanted from. */
static pli_mpi_outcome write_wants(pliant_mpi_scene *scene)
{
    const pli_mpi_want *wanted = (const pli_mpi_want *)(void *)scene->wanted.data;
    size_t count = scene->wanted.count / sizeof *wanted;
    uint64_t *keys = pli_mpi_resize(scene->context, &scene->out, count * sizeof *keys);
    if (keys == NULL) {
        return pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
    }
    for (int r = 0; r < scene->size; r++) {
        scene->out_sizes[r] = 0;
        for (size_t i = 0; i < count; i++) {
            if (wanted[i].from == r) {
                *keys++ = wanted[i].key;
                scene->out_sizes[r] += sizeof *keys;
            }
        }
    }
    return PLI_MPI_FINE;
}

/* Blocks for the ranks that asked, each behind its key and its size, and filled up to 64 bytes. */
static pli_mpi_outcome write_blocks(pliant_mpi_scene *scene)
{
    const uint64_t *keys = (const uint64_t *)(void *)scene->in.data;
    scene->out.count = 0;
    for (int r = 0; r < scene->size; r++) {
        size_t before = scene->out.count;
        for (uint64_t i = 0; i < scene->in_sizes[r] / sizeof *keys; i++, keys++) {
            uint32_t number = pli_mpi_map_find(&scene->shape_of, *keys);
            uint64_t size = 0;
            /* Who has a body of a shape has the shape. */
            pliant_result result =
                write_block(scene, pli_mpi_shape_at(scene, number)->shape, &size);
            if (result != PLIANT_OK) {
                return pli_mpi_failure(scene, result, PLI_MPI_NOBODY);
            }
            const uint64_t head[8] = {*keys, size, pli_mpi_shape_at(scene, number)->hash};
            size_t padded = ((size_t)size + 63) / 64 * 64;
            char *to = pli_mpi_extend(scene->context, &scene->out, sizeof head + padded);
            if (to == NULL) {
                return pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
            }
            memcpy(to, head, sizeof head);
            memcpy(to + sizeof head, scene->block.data, (size_t)size);
            memset(to + sizeof head + size, 0, padded - (size_t)size);
        }
        scene->out_sizes[r] = scene->out.count - before;
    }
    return PLI_MPI_FINE;
}

static pli_mpi_outcome read_blocks(pliant_mpi_scene *scene)
{
    for (size_t at = 0; at < scene->in.count;) {
        uint64_t head[8];
        memcpy(head, scene->in.data + at, sizeof head);
        at += sizeof head;
        pliant_shape *shape = NULL;
        pliant_result result =
            pliant_shape_read(scene->context, scene->in.data + at, head[1], &shape);
        if (result == PLIANT_OK) {
            result = list_shape(scene, head[0], shape, shape, head[2], head[1]);
        }
        if (result != PLIANT_OK) {
            pliant_shape_destroy(shape);
            return pli_mpi_failure(scene, result, PLI_MPI_NOBODY);
        }
        at += (size_t)(head[1] + 63) / 64 * 64;
    }
    return PLI_MPI_FINE;
}

pliant_result pli_mpi_fetch_shapes(pliant_mpi_scene *scene)
{
    pliant_result result = pli_mpi_deal(scene, write_wants(scene), &scene->out, &scene->in);
    uint64_t before = scene->stats.bytes_other;
    if (result == PLIANT_OK) {
        result = pli_mpi_deal(scene, write_blocks(scene), &scene->out, &scene->in);
    }
    scene->stats.bytes_shapes += scene->stats.bytes_other - before;
    scene->stats.bytes_other = before;
    if (result == PLIANT_OK) {
        result = pli_mpi_agree(scene, read_blocks(scene), NULL);
    }
    pli_mpi_release(scene->context, &scene->block); /* large, and rarely needed */
    return result;
}
