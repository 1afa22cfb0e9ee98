#include "pliant/view.h"

#include "base/error.h"
#include "base/float_env.h"
#include "base/context.h"
#include "shape/shape.h"
#include "shape/tearing.h"
#include "tree/builder.h"

#include <string.h>

PLIANT_DEFINE_DEFAULT(pliant_shape_def)
{
    pliant_shape_def def = {
        .weld = true,
        .partition = PLIANT_PARTITION_BALANCED,
        .arity = PLI_WIDTH,
        .leaf_size = PLI_WIDTH,
        .slot_joint_type = PLIANT_NUMBER_UINT16,
        .slot_weight_type = PLIANT_NUMBER_FLOAT32,
        .normalise_weights = true,
        .tag = PLI_TAG(pliant_shape_def),
    };
    return def;
}

static pliant_result check_settings(const pliant_shape_def *def)
{
    if (def->arity != 2 && def->arity != 4 && def->arity != 8) {
        return pli_fail(PLIANT_ERROR_RANGE, "arity is %u; it must be 2, 4 or 8", def->arity);
    }
    if (def->leaf_size < 1 || def->leaf_size > PLI_WIDTH) {
        return pli_fail(PLIANT_ERROR_RANGE, "leaf_size is %u; it must be 1 to 8", def->leaf_size);
    }
    if (def->skinning == PLIANT_SKINNING_DUAL_QUATERNION) {
        return pli_fail(
            PLIANT_ERROR_RANGE,
            "skinning is PLIANT_SKINNING_DUAL_QUATERNION, which bounds cannot follow: "
            "use PLIANT_SKINNING_LINEAR, or evaluate the vertices and set the positions "
            "of a free body");
    }
    if (def->skinning != PLIANT_SKINNING_LINEAR) {
        return pli_fail(PLIANT_ERROR_RANGE, "skinning is %d; there is no such one",
                        (int)def->skinning);
    }
    if ((unsigned)def->islands > PLIANT_ISLANDS_ALWAYS) {
        return pli_fail(PLIANT_ERROR_RANGE, "islands is %d; there is no such choice",
                        (int)def->islands);
    }
    if ((unsigned)def->partition > PLIANT_PARTITION_COVARIANCE) {
        return pli_fail(PLIANT_ERROR_RANGE, "partition is %d; there is no such one",
                        (int)def->partition);
    }
    return PLIANT_OK;
}

/* Replaces a shape without a model by one with the mesh's, if it has one. */
static pliant_result add_model(const pli_mesh *mesh, pliant_shape **shape)
{
    if (mesh->model.mode_count == 0 && mesh->model.joint_count == 0) {
        return PLIANT_OK;
    }
    pli_block_header *block = NULL;
    pliant_shape *extended = NULL;
    pliant_result result = pli_lay_out_model(mesh, *shape, &block);
    if (result == PLIANT_OK) {
        result = pli_shape_from_block(mesh->context, block, false, &extended);
    }
    if (result == PLIANT_OK) {
        pliant_shape_destroy(*shape);
        *shape = extended;
    }
    return result;
}

/* A new shape passes its own check: Debug builds see to it. The check takes memory, and without
   any there is no shape. */
static pliant_result validate_created(pliant_shape *shape)
{
#ifdef PLI_DEBUG
    pliant_result result = pliant_shape_validate(shape);
    PLI_ASSERT(result == PLIANT_OK || result == PLIANT_ERROR_OUT_OF_MEMORY);
    if (result != PLIANT_OK) {
        pliant_shape_destroy(shape);
    }
    return result;
#else
    (void)shape;
    return PLIANT_OK;
#endif
}

/* Stages are those of the call that makes a shape: of a tree that is built anew in passing, perhaps
   by a worker, nobody is told. */
static void begin_stage(const pli_mesh *mesh, pliant_stage stage)
{
    if (mesh->at == NULL) {
        pli_stage_begin(mesh->context, stage);
    }
}

static void end_stage(const pli_mesh *mesh, pliant_stage stage)
{
    if (mesh->at == NULL) {
        pli_stage_end(mesh->context, stage);
    }
}

pliant_result pli_shape_build(const pli_mesh *mesh, const pli_tree_settings *settings,
                              pliant_shape **shape)
{
    pliant_context *context = mesh->context;
    pli_tree_builder tree;
    pli_block_header *block = NULL;
    pliant_shape *created = NULL;
    begin_stage(mesh, PLIANT_STAGE_SHAPE_TREE);
    pliant_result result = pli_tree_build(&tree, context, mesh, settings);
    end_stage(mesh, PLIANT_STAGE_SHAPE_TREE);
    if (result == PLIANT_OK) {
        begin_stage(mesh, PLIANT_STAGE_SHAPE_LAYOUT);
        result = pli_lay_out(mesh, &tree, &block);
        end_stage(mesh, PLIANT_STAGE_SHAPE_LAYOUT);
        pli_tree_release(&tree);
    }
    if (result == PLIANT_OK) {
        result = pli_shape_from_block(context, block, false, &created);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pli_shape_measure_tree(created, &block->quality);
    begin_stage(mesh, PLIANT_STAGE_SHAPE_MODEL);
    result = add_model(mesh, &created);
    end_stage(mesh, PLIANT_STAGE_SHAPE_MODEL);
    if (result == PLIANT_OK) {
        result = pli_shape_measure_cut(created, mesh->at != NULL ? mesh->at : mesh->positions);
    }
    if (result != PLIANT_OK) {
        pliant_shape_destroy(created);
        return result;
    }
    *shape = created;
    return PLIANT_OK;
}

/* The mesh, and of its edges what the tree and the layout still ask for. */
static pliant_result create_mesh(pliant_context *context, const pliant_shape_def *def,
                                 pli_mesh *mesh)
{
    pliant_result result = pli_mesh_create(context, def, mesh);
    if (result != PLIANT_OK) {
        return result;
    }
    result = pli_mesh_own_features(mesh);
    if (result != PLIANT_OK) {
        pli_mesh_release(mesh);
    } else if (def->partition != PLIANT_PARTITION_CONNECTIVITY) {
        pli_mesh_release_edges(mesh);
    }
    return result;
}

static PLI_NOINLINE pliant_result create(pliant_context *context, const pliant_shape_def *def,
                                         pliant_shape **shape)
{
    pli_mesh mesh;
    pliant_shape *created = NULL;
    pli_stage_begin(context, PLIANT_STAGE_SHAPE_MESH);
    pliant_result result = create_mesh(context, def, &mesh);
    pli_stage_end(context, PLIANT_STAGE_SHAPE_MESH);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_tree_settings settings = {def->partition, def->arity, def->leaf_size, def->islands};
    result = pli_shape_build(&mesh, &settings, &created);
    pli_mesh_release(&mesh);
    if (result == PLIANT_OK) {
        created->user = def->user;
        pli_block_seal(created->block);
        result = validate_created(created);
    }
    if (result == PLIANT_OK) {
        *shape = created;
    }
    return result;
}

/* What is legal, but seldom meant. */
static void report_oddities(const pliant_shape *shape)
{
    const pliant_shape_quality *quality = &shape->block->quality;
    if (quality->degenerate_triangle_count > 0 || quality->duplicate_triangle_count > 0) {
        pli_log(shape->context, PLIANT_LOG_WARNING,
                "a shape of %u triangles has %u degenerate and %u duplicate ones",
                shape->triangle_count, quality->degenerate_triangle_count,
                quality->duplicate_triangle_count);
    }
}

pliant_result pliant_shape_create(pliant_context *context, const pliant_shape_def *def,
                                  pliant_shape **shape)
{
    PLI_REQUIRE(context);
    PLI_REQUIRE(def);
    PLI_REQUIRE(shape);
    PLI_REQUIRE_TAG(def, pliant_shape_def);
    PLI_REQUIRE(def->positions);
    if ((def->triangles == NULL) == (def->triangles16 == NULL)) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "%s: one of def->triangles and def->triangles16 is "
                        "needed, and only one",
                        __func__);
    }
    pliant_result result = check_settings(def);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_float_env env = pli_float_env_enter();
    result = create(context, def, shape);
    pli_float_env_leave(env);
    if (result == PLIANT_OK) {
        report_oddities(*shape);
    }
    return result;
}

static void drop_user(pliant_shape *shape)
{
    uint64_t before = atomic_fetch_sub(&shape->users, 1);
    PLI_ASSERT(before > 0);
    if (before == 1) {
        pliant_context *context = shape->context;
        pliant_block_release give_back = shape->release;
        void *user = shape->release_user;
        pli_block_header *block = shape->block;
        uint64_t size = block != NULL ? block->size : 0;
        pli_tearing_release(shape);
        if (!shape->borrows) {
            pli_release(context, block, (size_t)size);
        }
        pli_release(context, shape->cut_sizes, shape->node_count * sizeof *shape->cut_sizes);
        pli_release(context, shape, sizeof *shape);
        pli_context_leave(context, PLI_OBJECT_SHAPE);
        if (give_back != NULL) {
            give_back(user, block, size);
        }
    }
}

void pli_shape_join(const pliant_shape *shape)
{
    atomic_fetch_add_explicit(&((pliant_shape *)shape)->users, 1, memory_order_relaxed);
}

void pli_shape_leave(const pliant_shape *shape)
{
    drop_user((pliant_shape *)shape);
}

void pliant_shape_destroy(pliant_shape *shape)
{
    if (shape != NULL) {
        PLI_ASSERT_UNUSED(shape->users == 1,
                          "pliant_shape_destroy: the shape is used by %llu bodies; destroy them "
                          "first",
                          (unsigned long long)shape->users - 1);
        drop_user(shape);
    }
}

pliant_result pliant_shape_set_user(pliant_shape *shape, void *user)
{
    PLI_REQUIRE(shape);
    shape->user = user;
    return PLIANT_OK;
}

void *pliant_shape_get_user(const pliant_shape *shape)
{
    return shape != NULL ? shape->user : NULL;
}

uint32_t pliant_shape_get_vertex_count(const pliant_shape *shape)
{
    return shape != NULL ? shape->vertex_count : 0;
}

uint32_t pliant_shape_get_triangle_count(const pliant_shape *shape)
{
    return shape != NULL ? shape->triangle_count : 0;
}

uint32_t pliant_shape_get_mode_count(const pliant_shape *shape)
{
    return shape != NULL ? shape->block->model.mode_count : 0;
}

uint32_t pliant_shape_get_joint_count(const pliant_shape *shape)
{
    return shape != NULL ? shape->block->model.joint_count : 0;
}

pliant_bound_kind pliant_shape_get_bound_kind(const pliant_shape *shape)
{
    if (shape == NULL) {
        return (pliant_bound_kind)0;
    }
    switch ((pli_coefficient_kind)shape->block->model.coefficient_kind) {
    case PLI_COEFFICIENTS_SPHERE:
        return PLIANT_BOUND_SPHERE;
    case PLI_COEFFICIENTS_AFFINE:
        return PLIANT_BOUND_AFFINE;
    case PLI_COEFFICIENTS_NONE:
    case PLI_COEFFICIENTS_BOX:
    case PLI_COEFFICIENTS_BLEND:
    case PLI_COEFFICIENTS_JOINTS:
        break;
    }
    return PLIANT_BOUND_BOX;
}

pliant_result pliant_shape_get_triangle(const pliant_shape *shape, uint32_t triangle,
                                        uint32_t vertices[3])
{
    PLI_REQUIRE(shape);
    PLI_REQUIRE(vertices);
    if (triangle >= shape->triangle_count) {
        return pli_fail(PLIANT_ERROR_RANGE, "triangle %u of %u", triangle, shape->triangle_count);
    }
    if (!pli_shape_has_triangle(shape, triangle)) {
        return pli_fail(PLIANT_ERROR_RANGE, "triangle %u was removed", triangle);
    }
    memcpy(vertices, shape->triangles + 3 * (size_t)triangle, 3 * sizeof *vertices);
    return PLIANT_OK;
}

pliant_result pliant_shape_get_group(const pliant_shape *shape, uint32_t triangle, uint16_t *group)
{
    PLI_REQUIRE(shape);
    PLI_REQUIRE(group);
    if (triangle >= shape->triangle_count) {
        return pli_fail(PLIANT_ERROR_RANGE, "triangle %u of %u", triangle, shape->triangle_count);
    }
    *group = shape->groups != NULL ? shape->groups[triangle] : 0;
    return PLIANT_OK;
}

uint64_t pliant_shape_get_memory(const pliant_shape *shape)
{
    if (shape == NULL) {
        return 0;
    }
    uint64_t own = sizeof *shape + shape->node_count * sizeof *shape->cut_sizes +
                   (shape->tearing != NULL ? pli_tearing_bytes(shape->tearing) : 0);
    return shape->borrows ? own : own + shape->block->size;
}

bool pliant_shape_is_closed(const pliant_shape *shape)
{
    return shape != NULL && shape->block->is_closed;
}

pliant_result pliant_shape_get_vertex_order(const pliant_shape *shape, uint32_t *order)
{
    PLI_REQUIRE(shape);
    PLI_REQUIRE(order);
    if (shape->tearing != NULL) {
        return pli_tearing_order_vertices(shape, order);
    }
    memcpy(order, shape->vertex_order, shape->vertex_count * sizeof *order);
    return PLIANT_OK;
}

pliant_result pliant_shape_get_quality(const pliant_shape *shape, pliant_shape_quality *quality)
{
    PLI_REQUIRE(shape);
    PLI_REQUIRE(quality);
    if (shape->tearing != NULL) {
        return pli_tearing_measure(shape, quality);
    }
    *quality = shape->block->quality;
    return PLIANT_OK;
}

/* ------------------------------------------------------------ arrays, for libraries */

static pliant_result check_viewed(const pliant_shape *shape, const char *call)
{
    if (shape->tearing != NULL) {
        return pli_fail(PLIANT_ERROR_STATE, "%s: the shape of a torn body changes with it", call);
    }
    return PLIANT_OK;
}

pliant_result pliant_shape_get_view(const pliant_shape *shape, pliant_shape_view *view)
{
    PLI_REQUIRE(shape);
    PLI_REQUIRE(view);
    pliant_result result = check_viewed(shape, __func__);
    if (result == PLIANT_OK) {
        *view = (pliant_shape_view){
            .vertex_count = shape->vertex_count,
            .triangle_count = shape->triangle_count,
            .cluster_count = shape->cluster_count,
            .mode_count = shape->block->model.mode_count,
            .joint_count = shape->block->model.joint_count,
            .has_influences = shape->block->model.has_influences != 0,
            .positions = shape->positions,
            .triangles = shape->triangles,
            .groups = shape->groups,
            .welded = shape->welded,
        };
    }
    return result;
}

/* What the vertices of a cluster are evaluated from. */
static void view_skin_block(const pliant_shape *shape, uint32_t index, pliant_shape_cluster *view)
{
    const pli_skin_block *block = &shape->skin_blocks[index];
    size_t stride = view->stride;
    view->mode_count = block->mode_count;
    view->joint_count = block->joint_count;
    view->rest = shape->skin_block_values + block->first_value;
    if (block->mode_count > 0) {
        view->modes = shape->skin_block_modes + block->first_mode;
        view->fields = view->rest + 3 * stride;
    }
    if (block->joint_count > 0) {
        view->joints = shape->skin_block_joints + block->first_joint;
        view->weights = view->rest + 3 * (1 + (size_t)block->mode_count) * stride;
    }
}

pliant_result pliant_shape_get_cluster(const pliant_shape *shape, uint32_t cluster,
                                       pliant_shape_cluster *view)
{
    PLI_REQUIRE(shape);
    PLI_REQUIRE(view);
    pliant_result result = check_viewed(shape, __func__);
    if (result != PLIANT_OK) {
        return result;
    }
    if (cluster >= shape->cluster_count) {
        return pli_fail(PLIANT_ERROR_RANGE, "cluster %u of %u", cluster, shape->cluster_count);
    }
    const pli_cluster *of = &shape->clusters[cluster];
    *view = (pliant_shape_cluster){
        .live = of->live,
        .vertices = shape->cluster_vertices + of->first_vertex,
        .triangles = shape->slot_triangles + of->first_slot,
        .corners = shape->slot_corners + 3 * (size_t)of->first_slot,
        .vertex_count = of->vertex_count,
        .slot_count = of->slot_count,
        .stride = pli_padded_count(of->vertex_count),
    };
    if (shape->skin_blocks != NULL) {
        view_skin_block(shape, cluster, view);
    }
    return PLIANT_OK;
}
