/* The normal of a triangle, for use, not for proof. */
#ifndef PLI_GEOMETRY_NORMAL_H
#define PLI_GEOMETRY_NORMAL_H

/* The unit normal by the order of the corners, in double; 0 if what is computed of it is. */
void pli_unit_normal(const float corner[3][3], double normal[3]);

#endif
