/* Writes the seeds of all targets: FOLDER/FORMAT/seed. */
#include "asset_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void write_seed(const char *folder, const char *format, const char *name, const void *bytes,
                       size_t size)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, format);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", folder, format, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(1);
    }
}

/* A shape with modes and influences, as its block. */
static void write_shape(const char *folder, const char *name, bool skinned)
{
    pliant_context *context = NULL;
    pliant_shape *shape = NULL;
    pliant_shape_def def = pliant_shape_def_default();
    const uint32_t triangles[] = {0, 1, 2, 2, 1, 0};
    const uint32_t offsets[] = {0, 1, 2, 3}, joints[] = {0, 1, 1};
    const float weights[] = {1, 1, 1};
    def.positions = square;
    def.vertex_count = 3;
    def.triangles = triangles;
    def.triangle_count = 2;
    if (skinned) {
        def.modes = square;
        def.mode_count = 1;
        def.joint_count = 2;
        def.influence_offsets = offsets;
        def.influence_joints = joints;
        def.influence_weights = weights;
    }
    uint64_t size = 0;
    if (pliant_context_create(NULL, &context) != PLIANT_OK ||
        pliant_shape_create(context, &def, &shape) != PLIANT_OK ||
        pliant_shape_write(shape, NULL, 0, &size) != PLIANT_OK) {
        fprintf(stderr, "no shape: %s\n", pliant_last_error());
        exit(1);
    }
    void *block = malloc(size);
    if (block == NULL || pliant_shape_write(shape, block, size, &size) != PLIANT_OK) {
        exit(1);
    }
    write_seed(folder, "shape", name, block, size);
    free(block);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
}

/* Programs for the public interface: any bytes are one. */
static void write_programs(const char *folder)
{
    uint64_t state = 1;
    for (int i = 0; i < 48; i++) {
        uint8_t bytes[4096];
        for (size_t k = 0; k < sizeof bytes; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[k] = (uint8_t)(state >> 56);
        }
        char name[24];
        snprintf(name, sizeof name, "program%d", i);
        write_seed(folder, "api", name, bytes, sizeof bytes);
    }
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
        return 2;
    }
    const char *folder = arguments[1];
    mkdir(folder, 0777);
    seed seeds[SEEDS];
    make_seeds(seeds);
    for (int i = 0; i < SEEDS; i++) {
        const char *format = strrchr(seeds[i].path, '.') + 1;
        write_seed(folder, format, seeds[i].path, seeds[i].bytes.at, seeds[i].bytes.size);
    }
    free_seeds(seeds);
    write_shape(folder, "free", false);
    write_shape(folder, "skinned", true);
    write_programs(folder);
    return 0;
}
