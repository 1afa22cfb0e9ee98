/* A shape of the mesh of another one, with a tree that is cut at other positions. */
#include "shape.h"

#include "base/error.h"
#include "tree/builder.h"

#include <string.h>

/* Values of a vertex in a skin block: `width` columns from `first` on for each number listed. */
typedef struct skin_columns {
    const uint32_t *numbers;
    const float *values; /* of the block's first vertex */
    size_t count, width, stride;
} skin_columns;

/* Counts, and lists unless `entries` has no capacity, the numbers that do something to vertex i of
   a skin block. */
static uint32_t list_entries(const skin_columns *columns, size_t i, pli_entries *entries,
                             uint32_t at)
{
    uint32_t count = 0;
    for (size_t n = 0; n < columns->count; n++) {
        const float *value = columns->values + columns->width * n * columns->stride + i;
        bool zero = true;
        for (size_t k = 0; k < columns->width; k++) {
            zero = zero && value[k * columns->stride] == 0.0f;
        }
        for (size_t k = 0; k < columns->width && !zero && entries->value != NULL; k++) {
            entries->value[columns->width * (at + count) + k] = value[k * columns->stride];
        }
        if (!zero && entries->number != NULL) {
            entries->number[at + count] = columns->numbers[n];
        }
        count += !zero;
    }
    return count;
}

/* The modes or the joints of a skin block. */
static skin_columns columns_of(const pliant_shape *shape, const pli_skin_block *skin_block,
                               bool joints)
{
    size_t stride = pli_padded_count(skin_block->vertex_count);
    const float *values = shape->skin_block_values + skin_block->first_value + 3 * stride;
    if (!joints) {
        return (skin_columns){shape->skin_block_modes + skin_block->first_mode, values,
                              skin_block->mode_count, 3, stride};
    }
    values += 3 * (size_t)skin_block->mode_count * stride;
    return (skin_columns){shape->skin_block_joints + skin_block->first_joint, values,
                          skin_block->joint_count, 1, stride};
}

/* Goes through the vertices by their owners; with memory it lists entries, without it counts them
   into `start`, one place further on. */
static void read_skin_blocks(const pliant_shape *shape, bool joints, pli_entries *entries)
{
    for (uint64_t b = 0; b < shape->block->count[PLI_SECTION_SKIN_BLOCKS]; b++) {
        const pli_skin_block *skin_block = &shape->skin_blocks[b];
        skin_columns columns = columns_of(shape, skin_block, joints);
        for (uint32_t i = 0; i < skin_block->own_count; i++) {
            uint32_t v = shape->vertex_order[skin_block->first_place + i];
            bool counts = entries->value == NULL;
            uint32_t count = list_entries(&columns, i, entries, counts ? 0 : entries->start[v]);
            if (counts) {
                entries->start[v + 1] = count;
            }
        }
    }
}

/* The fields or the influences of all vertices, as they were when the shape was made. */
static pliant_result copy_entries(const pliant_shape *shape, bool joints, pli_mesh *mesh)
{
    pli_entries *entries = joints ? &mesh->influences : &mesh->fields;
    size_t words = (size_t)mesh->vertex_count + 1, total = 0;
    uint32_t *start = pli_allocate(mesh->context, words * sizeof *start);
    if (start == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(start, 0, words * sizeof *start);
    read_skin_blocks(shape, joints, &(pli_entries){.start = start});
    for (size_t v = 1; v < words; v++) {
        total += start[v];
        start[v] = (uint32_t)total;
    }
    pliant_result result = pli_mesh_allocate_entries(mesh, entries, total, joints ? 1 : 3);
    if (result == PLIANT_OK) {
        memcpy(entries->start, start, words * sizeof *start);
        read_skin_blocks(shape, joints, entries);
    }
    pli_release(mesh->context, start, words * sizeof *start);
    return result;
}

static pliant_result copy_model(const pliant_shape *shape, pli_mesh *mesh)
{
    pliant_result result = PLIANT_OK;
    if (mesh->model.mode_count > 0) {
        result = copy_entries(shape, false, mesh);
    }
    if (result == PLIANT_OK && mesh->model.has_influences) {
        result = copy_entries(shape, true, mesh);
    }
    return result;
}

/* Which features are whose, from where the tree keeps them; triangles that were removed have none.
 */
static void read_owned(const pliant_shape *shape, uint8_t *owned)
{
    memset(owned, 0, shape->triangle_count);
    for (uint32_t c = 0; c < shape->cluster_count; c++) {
        const pli_cluster *cluster = &shape->clusters[c];
        for (uint64_t live = cluster->live; live != 0; live &= live - 1) {
            uint32_t slot = cluster->first_slot + (uint32_t)__builtin_ctzll(live);
            owned[shape->slot_triangles[slot]] = shape->slot_features[slot];
        }
    }
}

static uint32_t count_removed(const pliant_shape *shape)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < shape->triangle_count; t++) {
        count += !pli_shape_has_triangle(shape, t);
    }
    return count;
}

/* The mesh of a shape, whose arrays stay the shape's: nothing that is made of it writes to them. A
   worker may be at it while others wait for its scene, so that it asks no workers. */
static pli_mesh view_mesh(const pliant_shape *shape, const float *positions)
{
    pli_mesh mesh = {.context = shape->context,
                     .alone = true,
                     .vertex_count = shape->vertex_count,
                     .triangle_count = shape->triangle_count,
                     .removed_count = count_removed(shape),
                     .positions = (float *)(uintptr_t)shape->positions,
                     .at = positions,
                     .triangles = (uint32_t *)(uintptr_t)shape->triangles,
                     .groups = (uint16_t *)(uintptr_t)shape->groups,
                     .welded = (uint32_t *)(uintptr_t)shape->welded,
                     .is_closed = shape->block->is_closed != 0,
                     .model = shape->block->model,
                     .facts = shape->block->quality};
    if (shape->tearing != NULL && mesh.facts.component_count == 1) {
        mesh.facts.component_count = 2; /* it may have been torn apart: islands are looked for */
    }
    return mesh;
}

pliant_result pli_shape_derive(const pliant_shape *shape, const float *positions,
                               pliant_shape **derived)
{
    const pli_block_header *block = shape->block;
    pli_tree_settings settings = {(pliant_partition)block->partition, block->arity,
                                  block->leaf_size, (pliant_islands)block->islands};
    if (settings.partition == PLIANT_PARTITION_CONNECTIVITY) {
        settings.partition = PLIANT_PARTITION_BALANCED;
    }
    uint8_t *owned = pli_allocate(shape->context, shape->triangle_count);
    if (owned == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    read_owned(shape, owned);
    pli_mesh mesh = view_mesh(shape, positions);
    mesh.owned = owned;
    pliant_result result = copy_model(shape, &mesh);
    if (result == PLIANT_OK) {
        result = pli_shape_build(&mesh, &settings, derived);
    }
    pli_mesh_release_model(&mesh);
    pli_release(shape->context, owned, shape->triangle_count);
#ifdef PLI_DEBUG
    if (result == PLIANT_OK && mesh.removed_count == 0) { /* blocks know no removed triangles */
        pli_block_seal((*derived)->block);
        pliant_result sound = pliant_shape_validate(*derived);
        PLI_ASSERT(sound == PLIANT_OK || sound == PLIANT_ERROR_OUT_OF_MEMORY);
        (void)sound;
    }
#endif
    return result;
}
