/*
 * What a shape with modes or transforms keeps besides its tree: what vertices are evaluated from,
 * and the coefficients that bounds follow from.
 */
#ifndef PLI_MODEL_MODEL_H
#define PLI_MODEL_MODEL_H

#include "tree/tree.h"

/*
 * Shapes with modes or influences keep what vertices are evaluated from in skin blocks: skin block
 * c belongs to cluster c and has its vertices in their order, padded in the same way; skin blocks
 * behind those hold vertices that no triangle uses. Its values are float rest[3][n], then a
 * field[3][n] for each of the modes that are not zero all over the skin block, then weight[n] for
 * each of the joints that move any of its vertices, n being the padded count.
 */
typedef struct pli_skin_block {
    uint64_t first_value;              /* of skin_block_values; a multiple of 16 */
    uint32_t first_mode, mode_count;   /* of skin_block_modes, ascending */
    uint32_t first_joint, joint_count; /* of skin_block_joints, ascending */
    uint32_t first_place;              /* of vertex_order: its own vertices, listed first */
    uint16_t own_count, vertex_count;  /* vertices it owns, and vertices it has */
} pli_skin_block;

enum { PLI_SKIN_BLOCK_VERTICES = 64 }; /* of skin blocks without a cluster */

/*
 * Shapes with modes or transforms have coefficients for every node, from which the bounds of its up
 * to eight children follow side by side (bounds/bounds.h). Element n is node n's. Where
 * the shape has proxies, an element for every cluster follows, which bounds its leaves. Then
 * elements of kind JOINTS follow, which together bound the whole.
 */
typedef struct pli_coefficients {
    uint64_t first_value; /* of coefficient_values; a multiple of 16 */
    /* Of coefficient_modes and coefficient_joints: those that matter below the node, ascending; in
       elements of kind JOINTS a joint may stand several times. */
    uint32_t first_mode, mode_count;
    uint32_t first_joint, joint_count;
    uint32_t kind; /* pli_coefficient_kind: the model's, BOX in one of AFFINE ones, or JOINTS */
    uint32_t reserved;
} pli_coefficients;

/* What the values of a node's coefficients are. (x | y) is a run of 16: x of the eight children,
   then y of them. */
typedef enum pli_coefficient_kind {
    /* Free shapes: there are none. */
    PLI_COEFFICIENTS_NONE,
    /* (centre | half size) per axis; the same for each mode; growth per axis. */
    PLI_COEFFICIENTS_BOX,
    /* (centre x | centre y), (centre z | radius); the same for each mode; growth. */
    PLI_COEFFICIENTS_SPHERE,
    /* (centre | residual) per axis, frame, half sizes along the frame; (constant | residual) per
       axis and gradient for each mode; growth per axis. Without modes there is a BOX behind them,
       for both hold then. */
    PLI_COEFFICIENTS_AFFINE,
    /* As BOX without growth, then the sums of weights (least | greatest), the sums of what follows
       (least | greatest), for each joint the weights (least | greatest), and each joint's share in
       all of them, filled up with zeros. */
    PLI_COEFFICIENTS_BLEND,
    /* (centre | half size) per axis for each joint: eight boxes that hold, each time that the joint
       stands in the list, some of the vertices that it moves, and between them all; and the same
       for each mode. */
    PLI_COEFFICIENTS_JOINTS
} pli_coefficient_kind;

enum {
    PLI_HALVES = 2 * PLI_WIDTH,            /* a run of 16 */
    PLI_COEFFICIENT_AXES = 3 * PLI_HALVES, /* (centre | half size) of three axes */
    PLI_COEFFICIENT_FRAME = 3 * 32,        /* three rows of three columns of 8 and 8 zeros */
    PLI_COEFFICIENT_COLUMNS = 32           /* three columns of 8 and 8 zeros */
};

/*
 * Where rest positions, or a mode that is not at zero, reach this far, bounds are not computed:
 * they hold everything. Below, no value of a node's coefficients is larger than
 * PLI_COEFFICIENT_REACH times what it belongs to reaches (model_check.c), so that nothing computed
 * from it in float32 overflows; from there on, values of coefficients are finite and mean nothing.
 */
#define PLI_FAR_OUT 0x1p100f
enum { PLI_COEFFICIENT_REACH = 64 };

/* Numbers in a node's coefficients. */
uint64_t pli_coefficient_count(pli_coefficient_kind kind, uint64_t mode_count,
                               uint64_t joint_count);

#endif
