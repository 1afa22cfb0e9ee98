/* A world of cape and figure for tests, with its meshes. */
#ifndef TESTS_CAPE_STAGE_H
#define TESTS_CAPE_STAGE_H

#include "fixture.h"
#include "gallery/cape.h"
#include "gallery/figure.h"

#define SMALL 1300 /* triangles */

static const double phases[3] = {0.5, 1.0, 2.0};

/* A world with its meshes. */
typedef struct cape_stage {
    gallery_mesh cape, figure;
    gallery_model model;
    cape_world world;
    pliant_context *context;
    struct cape_watch *watch; /* who looks at it; else NULL */
    uint32_t step;
} cape_stage;

static inline void set_meshes(uint32_t triangles, cape_stage *stage)
{
    *stage = (cape_stage){0};
    assert_true(cape_make_mesh(triangles, &stage->cape));
    assert_true(figure_make_body((triangles > 3000 ? triangles : 3000) / 2 + 2, &stage->figure,
                                 &stage->model));
}

static inline void set_stage(uint32_t triangles, pliant_isa isa, uint32_t workers,
                             cape_stage *stage)
{
    set_meshes(triangles, stage);
    stage->context = fixture_context_with(isa, workers);
    assert_true(cape_world_create(&stage->cape, &stage->figure, &stage->model, phases,
                                  stage->context, &stage->world));
}

static inline void clear_stage(cape_stage *stage)
{
    cape_world_destroy(&stage->world);
    pliant_context_destroy(stage->context);
    gallery_model_free(&stage->model);
    mesh_free(&stage->cape);
    mesh_free(&stage->figure);
}

#endif
