/* Built-in scenes as GLB files, which the page then checks like any other. */
#include "tool/export.h"

#include "export.h"
#include "page.h"

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
    export_file made;
    pliant_result result = export_make(scene, count, 30.0, &made);
    if (result == PLIANT_OK) {
        page_set_made(made.bytes, (size_t)made.size);
    } else {
        page_fail(result == PLIANT_ERROR_OUT_OF_MEMORY ? "not enough memory" : pliant_last_error());
    }
    gallery_destroy(scene);
    return result == PLIANT_OK;
}
