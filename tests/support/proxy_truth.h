/* The proxies of a body bounded by spheres, one by one, for tests that compare all with all. */
#ifndef PLIANT_TESTS_PROXY_TRUTH_H
#define PLIANT_TESTS_PROXY_TRUTH_H

#include "subjects.h"

#include "bounds/model_kernels.h"

typedef struct sphere {
    pliant_proxy proxy;
    float centre[3], radius;
} sphere;

typedef struct spheres {
    sphere *list; /* the caller frees it */
    uint32_t count;
} spheres;

/* Appends a lane of eight spheres. */
void add_sphere(spheres *all, pliant_proxy proxy, const pli_spheres *from, uint32_t lane);

/* Every proxy of a body and its sphere, ascending. */
spheres all_spheres(pliant_body *body);

/* Between the centres. */
double sphere_distance(const sphere *a, const sphere *b);

/* One of the first three kinds of models, whose bodies may be bounded by spheres. */
uint32_t round_kind(uint64_t n);

#endif
