/* Finer meshes of the same body: every triangle becomes four, and fields follow linearly. */
#ifndef LAB_MOTIONS_SUBDIVIDE_H
#define LAB_MOTIONS_SUBDIVIDE_H

#include "gallery/gallery.h"

/* Splits every edge in the middle. The new mesh and model are due to be freed, on failure too. */
bool bench_subdivide(const gallery_mesh *mesh, const gallery_model *model, gallery_mesh *finer,
                     gallery_model *finer_model);

#endif
