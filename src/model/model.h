/*
 * What a shape with modes or transforms keeps besides its tree: what vertices are evaluated from,
 * and the coefficients that bounds follow from.
 */
#ifndef PLI_MODEL_MODEL_H
#define PLI_MODEL_MODEL_H

#include "tree/tree.h"

/*
 * Shapes with modes or influences keep what vertices are evaluated from in patches: patch c belongs
 * to cluster c and has its vertices in their order, padded in the same way; patches behind those
 * hold vertices that no triangle uses. Its values are float rest[3][n], then a field[3][n] for each
 * of the modes that are not zero all over the patch, then weight[n] for each of the joints that
 * move any of its vertices, n being the padded count.
 */
typedef struct pli_patch {
    uint64_t first_value;              /* of patch_values; a multiple of 16 */
    uint32_t first_mode, mode_count;   /* of patch_modes, ascending */
    uint32_t first_joint, joint_count; /* of patch_joints, ascending */
    uint32_t first_place;              /* of vertex_order: its own vertices, listed first */
    uint16_t own_count, vertex_count;  /* vertices it owns, and vertices it has */
} pli_patch;

enum { PLI_PATCH_VERTICES = 64 }; /* of patches without a cluster */

/*
 * Shapes with modes or transforms have rows of coefficients, from which the bounds of eight
 * children side by side follow (bounds/from_modes.h, bounds/from_blend.h). Row n belongs to node n;
 * rows behind those belong to clusters and bound their leaves, if the shape has proxies.
 */
typedef struct pli_row {
    uint64_t first_value;              /* of row_values; a multiple of 16 */
    uint32_t first_mode, mode_count;   /* of row_modes: the modes that matter there, ascending */
    uint32_t first_joint, joint_count; /* of row_joints: the joints that matter there, ascending */
    uint32_t kind;                     /* pli_row_kind: the model's, or BOX among AFFINE rows */
    uint32_t reserved;
} pli_row;

/* What the values of a row are. Runs of 16 are two halves of a number per child each. */
typedef enum pli_row_kind {
    PLI_ROW_NONE,   /* free shapes */
    PLI_ROW_BOX,    /* (centre | half size) per axis; the same for each mode; growth per axis */
    PLI_ROW_SPHERE, /* (centre x | centre y), (centre z | radius); the same for each mode; growth */
    PLI_ROW_AFFINE, /* (centre | residual) per axis, frame, half sizes along the frame; (constant |
                       residual) per axis and gradient for each mode; growth per axis;
                       in rows without modes as BOX too, for both hold there */
    PLI_ROW_BLEND   /* as BOX without growth, then the sums of weights (least | greatest), the sums
                       of what follows (least | greatest), for each joint the weights (least |
                       greatest), and each joint's share in all of them, filled up with zeros */
} pli_row_kind;

enum {
    PLI_HALVES = 2 * PLI_WIDTH,    /* a run of 16 */
    PLI_ROW_AXES = 3 * PLI_HALVES, /* (centre | half size) of three axes */
    PLI_ROW_FRAME = 3 * 32,        /* three rows of three columns of 8 and 8 zeros */
    PLI_ROW_COLUMNS = 32           /* three columns of 8 and 8 zeros */
};

/*
 * Where rest positions, or a mode that is not at zero, reach this far, bounds are not computed:
 * they hold everything. Below, no value of a row is larger than PLI_ROW_REACH times what it belongs
 * to reaches (model_check.c), so that nothing computed from it in float32 overflows; from there on,
 * values of rows are finite and mean nothing.
 */
#define PLI_FAR_OUT 0x1p100f
enum { PLI_ROW_REACH = 64 };

/* Numbers in a row. */
uint64_t pli_row_size(pli_row_kind kind, uint64_t mode_count, uint64_t joint_count);

#endif
