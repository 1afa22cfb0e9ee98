/* The block of a shape: allocated, written, read back and checked. */
#include "shape/shape.h"

#include "base/error.h"
#include "base/float_env.h"

#include <math.h>
#include <string.h>

static const char block_magic[8] = "PLIANTS";

/* 32-bit machines put 8-byte numbers at multiples of 4: nothing may depend on where padding is. */
_Static_assert(offsetof(pli_block_header, quality) == 56 &&
                   offsetof(pli_block_header, model) == 120 &&
                   offsetof(pli_block_header, count) == 168 && sizeof(pli_node) == 64 &&
                   sizeof(pli_cluster) == 32 && sizeof(pli_skin_block) == 32 &&
                   sizeof(pli_coefficients) == 32,
               "a block is the same on all machines of one byte order");

enum { BLOCK_VERSION = 8, BLOCK_BYTE_ORDER = 0x01020304 };

size_t pli_section_element_size(pli_section section)
{
    switch (section) {
    case PLI_SECTION_POSITIONS:
    case PLI_SECTION_TRIANGLES:
    case PLI_SECTION_WELDED:
    case PLI_SECTION_VERTEX_ORDER:
    case PLI_SECTION_NODE_EXTRAS:
    case PLI_SECTION_CLUSTER_VERTICES:
    case PLI_SECTION_SLOT_TRIANGLES:
    case PLI_SECTION_SKIN_BLOCK_MODES:
    case PLI_SECTION_SKIN_BLOCK_JOINTS:
    case PLI_SECTION_SKIN_BLOCK_VALUES:
    case PLI_SECTION_VERTEX_PLACE:
    case PLI_SECTION_COEFFICIENT_MODES:
    case PLI_SECTION_COEFFICIENT_JOINTS:
    case PLI_SECTION_COEFFICIENT_VALUES:
    case PLI_SECTION_REACH:
        return 4;
    case PLI_SECTION_SKIN_BLOCKS:
        return sizeof(pli_skin_block);
    case PLI_SECTION_COEFFICIENTS:
        return sizeof(pli_coefficients);
    case PLI_SECTION_GROUPS:
        return 2;
    case PLI_SECTION_SLOT_CORNERS:
    case PLI_SECTION_SLOT_FEATURES:
        return 1;
    case PLI_SECTION_NODES:
        return sizeof(pli_node);
    case PLI_SECTION_CLUSTERS:
        return sizeof(pli_cluster);
    case PLI_SECTION_COUNT:
        break;
    }
    return 0;
}

/* Where each section lies, given the counts; false if the sizes overflow. */
static bool place_sections(const uint64_t count[PLI_SECTION_COUNT],
                           uint64_t offset[PLI_SECTION_COUNT], size_t *size)
{
    *size = sizeof(pli_block_header);
    for (int s = 0; s < PLI_SECTION_COUNT; s++) {
        if (!pli_size_align(size, PLI_ALIGNMENT) || count[s] > SIZE_MAX) {
            return false;
        }
        offset[s] = *size;
        if (!pli_size_add_array(size, (size_t)count[s], pli_section_element_size((pli_section)s))) {
            return false;
        }
    }
    return pli_size_add_array(size, 1, PLI_BLOCK_SLACK) && pli_size_align(size, PLI_ALIGNMENT) &&
           *size <= PTRDIFF_MAX;
}

pliant_result pli_block_allocate(pliant_context *context, const uint64_t count[PLI_SECTION_COUNT],
                                 pli_block_header **block)
{
    pli_block_header header = {.version = BLOCK_VERSION, .byte_order = BLOCK_BYTE_ORDER};
    memcpy(header.magic, block_magic, sizeof header.magic);
    memcpy(header.count, count, sizeof header.count);
    size_t size = 0;
    if (!place_sections(count, header.offset, &size)) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "the shape's block passes the address space");
    }
    header.size = size;
    pli_block_header *allocated = pli_allocate(context, size);
    if (allocated == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(allocated, 0, size); /* padding too: the same input gives the same bytes */
    memcpy(allocated, &header, sizeof header);
    *block = allocated;
    return PLIANT_OK;
}

void *pli_block_section(pli_block_header *block, pli_section section)
{
    return (char *)block + block->offset[section];
}

enum { LANES = 8 }; /* sums side by side, none of which waits for another */

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 32;
}

/* A 64-bit mixing sum over the words behind the checksum field; sizes are multiples of 64. */
static uint64_t block_checksum(const pli_block_header *block)
{
    size_t at = offsetof(pli_block_header, checksum) + sizeof block->checksum;
    uint64_t sum[LANES], word[LANES];
    for (uint64_t i = 0; i < LANES; i++) {
        sum[i] = block->size + i;
    }
    for (; at + sizeof word <= block->size; at += sizeof word) {
        memcpy(word, (const char *)block + at, sizeof word);
        for (int i = 0; i < LANES; i++) {
            sum[i] = mix(sum[i], word[i]);
        }
    }
    for (; at < block->size; at += sizeof *word) {
        memcpy(word, (const char *)block + at, sizeof *word);
        sum[0] = mix(sum[0], word[0]);
    }
    for (int i = 1; i < LANES; i++) {
        sum[0] = mix(sum[0], sum[i]);
    }
    return sum[0];
}

void pli_block_seal(pli_block_header *block)
{
    block->checksum = block_checksum(block);
}

/* The start of a section, or NULL if it is empty. */
static void *section_or_null(pli_block_header *block, pli_section section)
{
    return block->count[section] > 0 ? pli_block_section(block, section) : NULL;
}

/* What a block from outside says is checked later: children are only counted here. */
static void count_islands(pliant_shape *shape)
{
    uint64_t children = 0;
    for (uint32_t n = 0; n < shape->node_count; n++) {
        if (shape->nodes[n].is_top != 0) {
            shape->top_count++;
            children += shape->nodes[n].child_count;
        }
    }
    /* All but the root are themselves children of top nodes. */
    shape->island_count = shape->top_count > 0 ? (uint32_t)(children - (shape->top_count - 1)) : 0;
}

pliant_result pli_shape_from_block(pliant_context *context, pli_block_header *block, bool borrows,
                                   pliant_shape **shape)
{
    pliant_shape *created = pli_allocate(context, sizeof *created);
    if (created == NULL) {
        if (!borrows) {
            pli_release(context, block, (size_t)block->size);
        }
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_context_join(context, PLI_OBJECT_SHAPE);
    *created = (pliant_shape){
        .context = context,
        .users = 1,
        .block = block,
        .borrows = borrows,
        .vertex_count = (uint32_t)(block->count[PLI_SECTION_POSITIONS] / 3),
        .triangle_count = (uint32_t)(block->count[PLI_SECTION_TRIANGLES] / 3),
        .node_count = (uint32_t)block->count[PLI_SECTION_NODES],
        .cluster_count = (uint32_t)block->count[PLI_SECTION_CLUSTERS],
        .positions = pli_block_section(block, PLI_SECTION_POSITIONS),
        .triangles = pli_block_section(block, PLI_SECTION_TRIANGLES),
        .groups = section_or_null(block, PLI_SECTION_GROUPS),
        .welded = pli_block_section(block, PLI_SECTION_WELDED),
        .nodes = pli_block_section(block, PLI_SECTION_NODES),
        .clusters = pli_block_section(block, PLI_SECTION_CLUSTERS),
        .vertex_order = pli_block_section(block, PLI_SECTION_VERTEX_ORDER),
        .node_extras = pli_block_section(block, PLI_SECTION_NODE_EXTRAS),
        .cluster_vertices = pli_block_section(block, PLI_SECTION_CLUSTER_VERTICES),
        .slot_triangles = pli_block_section(block, PLI_SECTION_SLOT_TRIANGLES),
        .slot_corners = pli_block_section(block, PLI_SECTION_SLOT_CORNERS),
        .slot_features = pli_block_section(block, PLI_SECTION_SLOT_FEATURES),
        .skin_blocks = section_or_null(block, PLI_SECTION_SKIN_BLOCKS),
        .skin_block_modes = section_or_null(block, PLI_SECTION_SKIN_BLOCK_MODES),
        .skin_block_joints = section_or_null(block, PLI_SECTION_SKIN_BLOCK_JOINTS),
        .skin_block_values = section_or_null(block, PLI_SECTION_SKIN_BLOCK_VALUES),
        .vertex_place = section_or_null(block, PLI_SECTION_VERTEX_PLACE),
        .coefficients = section_or_null(block, PLI_SECTION_COEFFICIENTS),
        .coefficient_modes = section_or_null(block, PLI_SECTION_COEFFICIENT_MODES),
        .coefficient_joints = section_or_null(block, PLI_SECTION_COEFFICIENT_JOINTS),
        .coefficient_values = section_or_null(block, PLI_SECTION_COEFFICIENT_VALUES),
        .reach = section_or_null(block, PLI_SECTION_REACH),
    };
    count_islands(created);
    created->in_tree_order = true;
    for (uint32_t i = 0; i < created->vertex_count && created->in_tree_order; i++) {
        created->in_tree_order = created->vertex_order[i] == i;
    }
    *shape = created;
    return PLIANT_OK;
}

static pliant_result refuse_torn(const char *call)
{
    return pli_fail(PLIANT_ERROR_STATE,
                    "%s: the shape is a torn body's own, which has no block; make one anew of its "
                    "triangles",
                    call);
}

pliant_result pliant_shape_write(const pliant_shape *shape, void *buffer, uint64_t capacity,
                                 uint64_t *size)
{
    PLI_REQUIRE(shape);
    PLI_REQUIRE(size);
    if (shape->tearing != NULL) {
        return refuse_torn(__func__);
    }
    if (buffer != NULL) {
        if (capacity < shape->block->size) {
            return pli_fail(PLIANT_ERROR_RANGE, "the block has %llu bytes, the buffer %llu",
                            (unsigned long long)shape->block->size, (unsigned long long)capacity);
        }
        memcpy(buffer, shape->block, (size_t)shape->block->size);
    }
    *size = shape->block->size;
    return PLIANT_OK;
}

/* Checks what can be checked of a header before anything behind it is read. */
static pliant_result check_header(const pli_block_header *header, uint64_t size)
{
    if (memcmp(header->magic, block_magic, sizeof block_magic) != 0) {
        return pli_fail(PLIANT_ERROR_DATA, "this is not a shape block");
    }
    if (header->byte_order != BLOCK_BYTE_ORDER) {
        return pli_fail(PLIANT_ERROR_DATA, "the shape block is of the other byte order");
    }
    if (header->version != BLOCK_VERSION) {
        return pli_fail(PLIANT_ERROR_DATA, "the shape block has version %u; this library reads %u",
                        header->version, (unsigned)BLOCK_VERSION);
    }
    if (header->size != size) {
        return pli_fail(PLIANT_ERROR_DATA, "the shape block says %llu bytes; %llu are given",
                        (unsigned long long)header->size, (unsigned long long)size);
    }
    uint64_t offset[PLI_SECTION_COUNT];
    size_t needed = 0;
    if (!place_sections(header->count, offset, &needed) || needed != size ||
        memcmp(offset, header->offset, sizeof offset) != 0) {
        return pli_fail(PLIANT_ERROR_DATA, "the sections of the shape block do not fit its size");
    }
    return pli_block_check_counts(header);
}

/* Checks what lies at the front of a block from outside. */
static pliant_result check_front(const void *data, uint64_t size)
{
    pli_block_header header;
    if (size < sizeof header) {
        return pli_fail(PLIANT_ERROR_DATA, "a shape block has at least %zu bytes; %llu are given",
                        sizeof header, (unsigned long long)size);
    }
    memcpy(&header, data, sizeof header);
    return check_header(&header, size);
}

/* Makes a shape of a block whose front is checked. */
static pliant_result adopt_block(pliant_context *context, pli_block_header *block, bool borrows,
                                 pliant_shape **shape)
{
    pliant_shape *read = NULL;
    pliant_result result = pli_shape_from_block(context, block, borrows, &read);
    if (result != PLIANT_OK) {
        return result;
    }
    result = pliant_shape_validate(read);
    if (result == PLIANT_OK) {
        result = pli_shape_measure_cut(read, read->positions);
    }
    if (result != PLIANT_OK) {
        pliant_shape_destroy(read);
        return result;
    }
    *shape = read;
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result read_block(pliant_context *context, const void *data,
                                             uint64_t size, pliant_shape **shape)
{
    pliant_result result = check_front(data, size);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_block_header *block = pli_allocate(context, (size_t)size);
    if (block == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memcpy(block, data, (size_t)size);
    return adopt_block(context, block, false, shape);
}

/* Nothing is written to the block: what a shape is made of is const from here on. */
static PLI_NOINLINE pliant_result borrow_block(pliant_context *context, const void *data,
                                               uint64_t size, pliant_shape **shape)
{
    uintptr_t past = (uintptr_t)data % PLI_ALIGNMENT;
    if (past != 0) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "the block begins %u bytes past a multiple of %u; to be borrowed it must "
                        "begin at one",
                        (unsigned)past, (unsigned)PLI_ALIGNMENT);
    }
    pliant_result result = check_front(data, size);
    return result == PLIANT_OK
               ? adopt_block(context, (pli_block_header *)(uintptr_t)data, true, shape)
               : result;
}

pliant_result pliant_shape_read(pliant_context *context, const void *data, uint64_t size,
                                pliant_shape **shape)
{
    PLI_REQUIRE(context);
    PLI_REQUIRE(data);
    PLI_REQUIRE(shape);
    pli_float_env env = pli_float_env_enter();
    pliant_result result = read_block(context, data, size, shape);
    pli_float_env_leave(env);
    return result;
}

pliant_result pliant_shape_borrow(pliant_context *context, const void *data, uint64_t size,
                                  pliant_block_release release, void *release_user,
                                  pliant_shape **shape)
{
    PLI_REQUIRE(context);
    PLI_REQUIRE(data);
    PLI_REQUIRE(shape);
    pli_float_env env = pli_float_env_enter();
    pliant_result result = borrow_block(context, data, size, shape);
    pli_float_env_leave(env);
    if (result == PLIANT_OK) {
        (*shape)->release = release;
        (*shape)->release_user = release_user;
    }
    return result;
}

pliant_result pliant_shape_validate(const pliant_shape *shape)
{
    PLI_REQUIRE(shape);
    if (shape->tearing != NULL) {
        return refuse_torn(__func__);
    }
    if (block_checksum(shape->block) != shape->block->checksum) {
        return pli_fail(PLIANT_ERROR_DATA, "the shape block does not match its checksum");
    }
    pli_float_env env = pli_float_env_enter();
    pliant_result result = pli_shape_check(shape);
    pli_float_env_leave(env);
    return result;
}
