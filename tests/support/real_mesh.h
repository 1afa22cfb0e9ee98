/* Closed meshes that others have made, for the tests of volumes; each only where it is there. */
#ifndef PLIANT_TESTS_REAL_MESH_H
#define PLIANT_TESTS_REAL_MESH_H

#include "solid.h"

/* What can be asked for. */
typedef enum real_kind {
    REAL_BUNNY = 0, /* of Debian's glmark2-data */
    REAL_SPOT,      /* of the folder of real files */
    REAL_PENGUIN,
    REAL_FISH,
    REAL_SCORPION,
    REAL_KINDS
} real_kind;

const char *real_mesh_name(real_kind kind);

/* Reads a mesh and moves it into the box from -1 to 1. False, with a message, where it is not. */
bool real_mesh_load(pliant_context *context, real_kind kind, gallery_mesh *mesh);

/* Skips the case if a mesh of the assets was not there to load. Called at its end. */
void real_mesh_skip_missing(void);

#endif
