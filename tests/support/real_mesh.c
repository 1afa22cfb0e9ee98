#include "real_mesh.h"

#include "pliant/asset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PLIANT_ASSETS_DIR
#define PLIANT_ASSETS_DIR "../shared/assets"
#endif
#ifndef PLIANT_BUNNY_FILE
#define PLIANT_BUNNY_FILE ""
#endif

static const char *const names[REAL_KINDS] = {
    [REAL_BUNNY] = "bunny",
    [REAL_SPOT] = "spot_low_resolution",
    [REAL_PENGUIN] = "penguin",
    [REAL_FISH] = "fish_low_resolution",
    [REAL_SCORPION] = "scorpion_low_resolution",
};

const char *real_mesh_name(real_kind kind)
{
    return names[kind];
}

static void find_path(real_kind kind, char *path, size_t size)
{
    const char *folder = getenv("PLIANT_ASSETS");
    if (kind == REAL_BUNNY) {
        snprintf(path, size, "%s", PLIANT_BUNNY_FILE);
    } else {
        snprintf(path, size, "%s/meshes/%s.obj", folder != NULL ? folder : PLIANT_ASSETS_DIR,
                 names[kind]);
    }
}

/* Into the box from -1 to 1, as large as it goes. */
static void normalise(gallery_mesh *mesh)
{
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        lower[i % 3] = fminf(lower[i % 3], mesh->positions[i]);
        upper[i % 3] = fmaxf(upper[i % 3], mesh->positions[i]);
    }
    float side = fmaxf(fmaxf(upper[0] - lower[0], upper[1] - lower[1]), upper[2] - lower[2]);
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        float centre = 0.5f * (lower[i % 3] + upper[i % 3]);
        mesh->positions[i] = (mesh->positions[i] - centre) * (2.0f / side);
    }
}

static void copy(const pliant_asset_mesh *from, gallery_mesh *mesh)
{
    assert_non_null(from);
    assert_true(mesh_allocate(from->vertex_count, from->triangle_count, mesh));
    memcpy(mesh->positions, from->positions,
           3 * (size_t)from->vertex_count * sizeof *mesh->positions);
    memcpy(mesh->triangles, from->triangles,
           3 * (size_t)from->triangle_count * sizeof *mesh->triangles);
}

static const char *missing; /* of the assets */

bool real_mesh_load(pliant_context *context, real_kind kind, gallery_mesh *mesh)
{
    char path[1024];
    find_path(kind, path, sizeof path);
    FILE *file = path[0] != '\0' ? fopen(path, "rb") : NULL;
    if (file == NULL) {
        print_message("  %s is not there: skipped\n", names[kind]);
        missing = kind != REAL_BUNNY ? names[kind] : missing;
        return false;
    }
    fclose(file);
    const char *const paths[1] = {path};
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = paths;
    def.path_count = 1;
    pliant_asset *asset = NULL;
    assert_ok(pliant_asset_load(context, &def, &asset));
    copy(pliant_asset_get_mesh(asset, 0), mesh);
    pliant_asset_destroy(asset);
    normalise(mesh);
    return true;
}

void real_mesh_skip_missing(void)
{
    if (missing != NULL) {
        skip_without_assets(missing);
    }
}
