/*
 * Making the part of a block that says how a shape deforms: skin blocks, which vertices are
 * evaluated from, and coefficients, which bounds follow from. Both grow in arrays until their
 * sizes are known.
 */
#ifndef PLI_MODEL_BUILDER_H
#define PLI_MODEL_BUILDER_H

#include "base/array.h"
#include "mesh/mesh.h"
#include "model/model.h"

enum { PLI_MODEL_ARRAYS = 16 };

typedef struct pli_model_builder {
    pliant_context *context;
    const pli_mesh *mesh;
    pli_tree tree; /* the mesh's */
    pliant_sphere_centre centre;
    pli_model model;
    bool may_mix; /* affine coefficients may be boxes where these serve as well */
    double size;  /* half the longest side of the box around the mesh at rest */
    uint32_t stamp;
    union {
        struct {
            PLI_ARRAY(pli_skin_block) skin_blocks;
            pli_indices skin_block_modes, skin_block_joints;
            PLI_ARRAY(float) skin_block_values;
            PLI_ARRAY(pli_coefficients) coefficients;
            pli_indices coefficient_modes, coefficient_joints;
            PLI_ARRAY(float) coefficient_values;
            PLI_ARRAY(float) reach; /* the largest absolute coordinate at rest, and of each mode */
            /* Scratch: per mode or joint, the last set it was put into, and its place in the last
               sets of modes and of joints. */
            pli_indices mark, mode_slot, joint_slot;
            pli_indices vertices;     /* below the children of a node, one after the other */
            pli_indices order;        /* of the vertices of a lane */
            pli_indices joint_first;  /* of the vertices of each joint; joint_boxes.c */
            PLI_ARRAY(double) ranges; /* per number, least and greatest along three axes */
        };
        pli_array arrays[PLI_MODEL_ARRAYS];
    };
} pli_model_builder;

PLI_CHECK_ARRAYS(pli_model_builder);

/*
 * Puts the modes, or the joints, of the listed vertices at the end of `out`, each once, ascending,
 * with mode_slot or joint_slot saying where each went. False when there is no memory.
 */
bool pli_collect_modes(pli_model_builder *builder, const uint32_t *vertices, size_t count,
                       pli_indices *out);
bool pli_collect_joints(pli_model_builder *builder, const uint32_t *vertices, size_t count,
                        pli_indices *out);

/* skin_blocks.c, coefficients.c: fill the arrays. */
pliant_result pli_build_skin_blocks(pli_model_builder *builder);
pliant_result pli_build_coefficients(pli_model_builder *builder);

/* One child of a node: the lane it has there, and its vertices. */
typedef struct pli_coefficient_lane {
    float *values; /* of the coefficients */
    uint32_t mode_count, joint_count;
    uint32_t lane;
    const uint32_t *vertices;
    size_t vertex_count;
} pli_coefficient_lane;

/* Fill in the coefficients of one lane, by kind; mode_slot and joint_slot say which of the node's
   modes and joints, counted from 0, each of the model's is. False when there is no memory. */
bool pli_fill_box_lane(pli_model_builder *builder, const pli_coefficient_lane *lane);
bool pli_fill_affine_lane(pli_model_builder *builder, const pli_coefficient_lane *lane);
bool pli_fill_sphere_lane(pli_model_builder *builder, const pli_coefficient_lane *lane);
bool pli_fill_weights_lane(pli_model_builder *builder, const pli_coefficient_lane *lane);

/* joint_boxes.c: adds the coefficients that the box of the whole follows from. False when there is
 * no memory. */
bool pli_add_joint_boxes(pli_model_builder *builder);

/* coefficients_affine.c: whether a node's affine coefficients make its boxes so much smaller than
   plain ones do that they pay; `coordinates` has room for a number per mode that matters there. */
bool pli_affine_pays(const pli_model_builder *builder, const pli_coefficients *coefficients,
                     uint32_t lanes, const float *affine, const float *box, double *coordinates);

/* Enlarges the spheres of nodes so that they hold the proxies below them for all coordinates. */
void pli_wrap_proxies(pli_model_builder *builder);

/* How far a vertex moves at most per length of q: along each axis, and in all. Upward. */
void pli_field_growth(const pli_mesh *mesh, uint32_t vertex, double axis[3], double *all);

/* The largest of these over a lane's vertices, per axis, into the lane's columns. */
void pli_put_growth(const pli_mesh *mesh, const pli_coefficient_lane *lane, float *growth);

/* Not below the given number. */
float pli_round_up(double x);

#endif
