/* Built-in scenes as GLB files, which the page then checks like any other. */
#include <stdlib.h>
#include <string.h>

#include "tool/export.h"

#include "export.h"
#include "page.h"

/* Writes bodies first to end - 1. */
static bool write_bodies(const gallery_scene *scene, const pliant_asset_output *outputs,
                         uint32_t count)
{
    const double rate = 30.0;
    uint64_t size = 0;
    uint32_t frames = scene->steps + 1;
    unsigned char *bytes = NULL;
    if (pliant_asset_output_write(outputs, count, frames, rate, NULL, 0, &size) == PLIANT_OK) {
        bytes = malloc((size_t)size);
    }
    if (bytes == NULL ||
        pliant_asset_output_write(outputs, count, frames, rate, bytes, size, &size) != PLIANT_OK) {
        free(bytes);
        return page_fail(bytes == NULL ? "not enough memory" : pliant_last_error());
    }
    page_set_made(bytes, (size_t)size);
    return true;
}

/* Makes the scene of that name with about so many triangles a body; only its first bodies. */
bool EXPORT(page_example)(const char *name, uint32_t triangles, uint32_t steps, uint32_t most)
{
    const gallery_kind *kind = gallery_find(name);
    gallery_settings settings = {.triangles = triangles, .steps = steps, .seed = 1};
    settings.isa = PLIANT_ISA_BEST;
    gallery_scene *scene = kind != NULL ? gallery_create(kind, &settings) : NULL;
    if (scene == NULL) {
        return page_fail(kind == NULL ? "there is no such scene" : "not enough memory");
    }
    uint32_t count = scene->body_count < most ? scene->body_count : most;
    export_body *bodies = calloc(count, sizeof *bodies);
    pliant_asset_output *outputs = calloc(count, sizeof *outputs);
    bool done = bodies != NULL && outputs != NULL;
    for (uint32_t i = 0; done && i < count; i++) {
        done = export_fill(scene, i, &bodies[i], &outputs[i]);
    }
    done = done ? write_bodies(scene, outputs, count) : page_fail("not enough memory");
    for (uint32_t i = 0; bodies != NULL && i < count; i++) {
        export_free(&bodies[i]);
    }
    free(bodies);
    free(outputs);
    gallery_destroy(scene);
    return done;
}
