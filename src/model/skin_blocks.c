/* Skin blocks: what the vertices of a cluster are evaluated from, side by side. */
#include "builder.h"

static bool collect(pli_model_builder *builder, const pli_entries *entries, uint32_t *slot,
                    const uint32_t *vertices, size_t count, pli_indices *out)
{
    uint32_t *mark = builder->mark.data;
    size_t first = out->count;
    builder->stamp++;
    for (size_t i = 0; i < count && entries->start != NULL; i++) {
        for (uint32_t e = entries->start[vertices[i]]; e < entries->start[vertices[i] + 1]; e++) {
            uint32_t number = entries->number[e];
            if (mark[number] == builder->stamp) {
                continue;
            }
            mark[number] = builder->stamp;
            if (!PLI_PUSH(builder->context, out, number)) {
                return false;
            }
            uint32_t *list = out->data + first; /* insertion keeps it ascending */
            size_t at = out->count - first - 1;
            for (; at > 0 && list[at - 1] > number; at--) {
                list[at] = list[at - 1];
            }
            list[at] = number;
        }
    }
    for (size_t i = first; i < out->count; i++) {
        slot[out->data[i]] = (uint32_t)(i - first);
    }
    return true;
}

bool pli_collect_modes(pli_model_builder *builder, const uint32_t *vertices, size_t count,
                       pli_indices *out)
{
    return collect(builder, &builder->mesh->fields, builder->mode_slot.data, vertices, count, out);
}

bool pli_collect_joints(pli_model_builder *builder, const uint32_t *vertices, size_t count,
                        pli_indices *out)
{
    return collect(builder, &builder->mesh->influences, builder->joint_slot.data, vertices, count,
                   out);
}

/* The values of one entry list, `width` numbers per entry, at their places in a skin block. */
static void put_entries(const pli_entries *entries, const uint32_t *slot, uint32_t vertex,
                        size_t width, float *values, size_t stride)
{
    for (uint32_t e = entries->start[vertex]; e < entries->start[vertex + 1]; e++) {
        size_t column = width * slot[entries->number[e]];
        for (size_t k = 0; k < width; k++) {
            values[(column + k) * stride] = entries->value[width * e + k];
        }
    }
}

/* One skin block; `vertices` is padded to pli_padded_count(vertex_count) entries. */
static bool add_skin_block(pli_model_builder *builder, const uint32_t *vertices,
                           uint32_t vertex_count, uint32_t own_count, uint32_t first_place)
{
    const pli_mesh *mesh = builder->mesh;
    size_t stride = pli_padded_count(vertex_count);
    pli_skin_block skin_block = {.first_value = builder->skin_block_values.count,
                                 .first_mode = (uint32_t)builder->skin_block_modes.count,
                                 .first_joint = (uint32_t)builder->skin_block_joints.count,
                                 .first_place = first_place,
                                 .own_count = (uint16_t)own_count,
                                 .vertex_count = (uint16_t)vertex_count};
    if (!pli_collect_modes(builder, vertices, vertex_count, &builder->skin_block_modes) ||
        !pli_collect_joints(builder, vertices, vertex_count, &builder->skin_block_joints)) {
        return false;
    }
    skin_block.joint_count = (uint32_t)builder->skin_block_joints.count - skin_block.first_joint;
    skin_block.mode_count = (uint32_t)builder->skin_block_modes.count - skin_block.first_mode;
    size_t columns = 3 + 3 * (size_t)skin_block.mode_count;
    float *rest = PLI_EXTEND(builder->context, &builder->skin_block_values,
                             stride * (columns + (size_t)skin_block.joint_count));
    pli_skin_block *added = PLI_EXTEND(builder->context, &builder->skin_blocks, 1);
    if (rest == NULL || added == NULL) {
        return false;
    }
    for (size_t i = 0; i < stride; i++) {
        for (size_t k = 0; k < 3; k++) {
            rest[k * stride + i] = mesh->positions[3 * (size_t)vertices[i] + k];
        }
        if (mesh->fields.start != NULL) {
            put_entries(&mesh->fields, builder->mode_slot.data, vertices[i], 3,
                        rest + 3 * stride + i, stride);
        }
        if (mesh->influences.start != NULL) {
            put_entries(&mesh->influences, builder->joint_slot.data, vertices[i], 1,
                        rest + columns * stride + i, stride);
        }
    }
    *added = skin_block;
    return true;
}

pliant_result pli_build_skin_blocks(pli_model_builder *builder)
{
    const pli_tree *tree = &builder->tree;
    uint32_t place = 0;
    for (uint32_t c = 0; c < tree->cluster_count; c++) {
        const pli_cluster *cluster = &tree->clusters[c];
        if (!add_skin_block(builder, tree->cluster_vertices + cluster->first_vertex,
                            cluster->vertex_count, cluster->owned_count, cluster->first_owned)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        place = cluster->first_owned + cluster->owned_count;
    }
    while (place < builder->mesh->vertex_count) { /* vertices that no triangle uses */
        uint32_t padded[PLI_SKIN_BLOCK_VERTICES], left = builder->mesh->vertex_count - place;
        uint32_t count = left < PLI_SKIN_BLOCK_VERTICES ? left : PLI_SKIN_BLOCK_VERTICES;
        for (uint32_t i = 0; i < PLI_SKIN_BLOCK_VERTICES; i++) {
            padded[i] = tree->vertex_order[place + (i < count ? i : count - 1)];
        }
        if (!add_skin_block(builder, padded, count, count, place)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        place += count;
    }
    if (builder->skin_block_modes.count > UINT32_MAX ||
        builder->skin_block_joints.count > UINT32_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "too many modes and influences of clusters");
    }
    return PLIANT_OK;
}
