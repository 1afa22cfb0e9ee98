#include "flock.h"

#include <stdlib.h>

#include "random.h"

void flock_evaluate(flock *f, uint32_t step)
{
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        const gallery_mesh *mesh = &f->kind[i]->bodies[0];
        gallery_evaluate(f->kind[i], 0, step % (f->kind[i]->steps + 1), f->positions[i]);
        rng random;
        rng_seed(&random, i + 1);
        double centre[3];
        for (int k = 0; k < 3; k++) {
            double start = rng_range(&random, -2.0, 2.0), speed = rng_range(&random, -0.02, 0.02);
            centre[k] = start + speed * step;
        }
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            for (uint32_t k = 0; k < 3; k++) {
                f->positions[i][3 * v + k] += (float)centre[k];
            }
        }
    }
}

flock flock_create(void)
{
    flock f;
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        gallery_settings settings = {.triangles = i % 5 == 0 ? 1280 : 320, .seed = i + 1};
        /* A soup touches itself from the start; the others may never do. */
        const gallery_kind *kind = i == 3   ? &gallery_cloth
                                   : i == 6 ? &gallery_soup
                                            : &gallery_spheres;
        f.kind[i] = gallery_create(kind, &settings);
        f.positions[i] = malloc(f.kind[i]->bodies[0].vertex_count * 3 * sizeof(float));
    }
    flock_evaluate(&f, 0);
    return f;
}

void flock_free(flock *f)
{
    for (int i = 0; i < FLOCK_BODIES; i++) {
        free(f->positions[i]);
        gallery_destroy(f->kind[i]);
    }
}

brute_body flock_brute(const flock *f, uint32_t i)
{
    const gallery_mesh *mesh = &f->kind[i]->bodies[0];
    brute_body body = {f->positions[i], mesh->triangles, mesh->vertex_count, mesh->triangle_count};
    return body;
}
