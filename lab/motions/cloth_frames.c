#include "cloth_frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Reads the lines before the numbers; only the layout that these files have will do. */
static bool read_header(FILE *file, uint32_t *vertices, uint32_t *triangles)
{
    char line[128];
    bool is_big_endian = false;
    *vertices = *triangles = 0;
    while (fgets(line, sizeof line, file) != NULL && strncmp(line, "end_header", 10) != 0) {
        is_big_endian = is_big_endian || strncmp(line, "format binary_big_endian", 24) == 0;
        if (strncmp(line, "element vertex ", 15) == 0) {
            *vertices = (uint32_t)strtoul(line + 15, NULL, 10);
        } else if (strncmp(line, "element face ", 13) == 0) {
            *triangles = (uint32_t)strtoul(line + 13, NULL, 10);
        }
    }
    return is_big_endian && *vertices > 0 && *triangles > 0;
}

static bool read_numbers(FILE *file, gallery_mesh *mesh)
{
    unsigned char bytes[13];
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        if (fread(bytes, 1, 4, file) != 4) {
            return false;
        }
        uint32_t bits = big_endian(bytes);
        memcpy(&mesh->positions[i], &bits, sizeof bits);
    }
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        if (fread(bytes, 1, 13, file) != 13 || bytes[0] != 3) {
            return false;
        }
        for (size_t k = 0; k < 3; k++) {
            uint32_t vertex = big_endian(bytes + 1 + 4 * k);
            if (vertex >= mesh->vertex_count) {
                return false;
            }
            mesh->triangles[3 * i + k] = vertex;
        }
    }
    return true;
}

static bool read_mesh(int frame, gallery_mesh *mesh)
{
    const char *assets = getenv("PLIANT_ASSETS");
    char path[4096];
    snprintf(path, sizeof path, "%s/truth/cloth/cloth_ball%d.ply",
             assets != NULL ? assets : PLIANT_ASSETS_DIR, frame);
    FILE *file = fopen(path, "rb");
    uint32_t vertices, triangles;
    if (file == NULL) {
        return false;
    }
    bool done = read_header(file, &vertices, &triangles) &&
                mesh_allocate(vertices, triangles, mesh) && read_numbers(file, mesh);
    fclose(file);
    return done;
}

bool cloth_frames_read(cloth_frames *frames)
{
    gallery_mesh next = {0};
    memset(frames, 0, sizeof *frames);
    bool done = read_mesh(92, &frames->mesh) && read_mesh(93, &next) &&
                next.vertex_count == frames->mesh.vertex_count &&
                bench_motion_allocate(&frames->mesh, 1, 2, &frames->motion);
    if (done) {
        size_t size = (size_t)next.vertex_count * 3 * sizeof(float);
        const float *positions[2] = {frames->mesh.positions, next.positions};
        frames->motion.self = true;
        for (uint32_t i = 0; i < 2; i++) {
            frames->motion.steps[i] = 92 + i;
            memcpy(frames->motion.frames[i].world[0], positions[i], size);
            memcpy(frames->motion.frames[i].local[0], positions[i], size);
        }
    }
    mesh_free(&next);
    return done;
}

void cloth_frames_free(cloth_frames *frames)
{
    bench_motion_free(&frames->motion);
    mesh_free(&frames->mesh);
}
