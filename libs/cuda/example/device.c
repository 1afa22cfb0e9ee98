/*
 * Contacts on a device: a sheet that waves through a flat one. The program asks a GPU if its first
 * argument is "gpu", else the emulator, which answers the same. cuda.cu makes positions
 * and uses contacts on the GPU itself.
 */
#include <pliant/cuda.h>
#include <pliant/pliant.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 24, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE, MOST = 4096 };

static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s: %s\n", pliant_result_get_name(result), pliant_last_error());
        exit(1);
    }
}

/* A sheet in the plane z = height, bent up by a parabola. */
static void bend(float positions[3 * VERTICES], float height, float bent)
{
    for (int v = 0; v < VERTICES; v++) {
        int column = v % (SIDE + 1), row = v / (SIDE + 1);
        float x = (float)column / SIDE, y = (float)row / SIDE;
        positions[3 * v] = x;
        positions[3 * v + 1] = y;
        positions[3 * v + 2] = height + bent * (x - 0.45f) * (x - 0.45f);
    }
}

static void connect(uint32_t triangles[3 * TRIANGLES])
{
    for (uint32_t c = 0; c < SIDE * SIDE; c++) {
        uint32_t a = c / SIDE * (SIDE + 1) + c % SIDE, d = a + SIDE + 1;
        uint32_t square[6] = {a, a + 1, d + 1, a, d + 1, d};
        memcpy(triangles + 6 * (size_t)c, square, sizeof square);
    }
}

int main(int count, char **arguments)
{
    static float flat[3 * VERTICES], bent[3 * VERTICES];
    static uint32_t triangles[3 * TRIANGLES];
    static pliant_cuda_contact list[MOST];
    bend(flat, 0.0f, 0.0f);
    connect(triangles);
    pliant_context *context = NULL;
    pliant_shape *shape = NULL;
    pliant_shape_def sheet = pliant_shape_def_default();
    sheet.positions = flat;
    sheet.vertex_count = VERTICES;
    sheet.triangles = triangles;
    sheet.triangle_count = TRIANGLES;
    check(pliant_context_create(NULL, &context));
    check(pliant_shape_create(context, &sheet, &shape));

    pliant_cuda *device = NULL;
    pliant_cuda_def which = pliant_cuda_def_default();
    bool has_gpu = count > 1 && strcmp(arguments[1], "gpu") == 0;
    which.kind = has_gpu ? PLIANT_CUDA_GPU : PLIANT_CUDA_EMULATED;
    check(pliant_cuda_create(context, &which, &device));

    pliant_cuda_scene *scene = NULL;
    uint32_t still, moving;
    check(pliant_cuda_scene_create(device, &scene));
    check(pliant_cuda_scene_add(scene, shape, NULL, &still));
    check(pliant_cuda_scene_add(scene, shape, NULL, &moving));
    for (int step = 0; step < 4; step++) {
        bend(bent, 0.05f - 0.03f * (float)step, 0.3f);
        pliant_state state = {.positions = bent};
        check(pliant_cuda_scene_set_state(scene, moving, &state, PLIANT_CUDA_HOST));
        pliant_cuda_contacts contacts;
        check(pliant_cuda_scene_collide(scene, NULL, &contacts));
        printf("step %d: %llu pairs touch", step, (unsigned long long)contacts.count);
        if (contacts.count > 0 && contacts.count <= MOST) {
            check(pliant_cuda_scene_copy_contacts(scene, list, MOST));
            printf(", the first are %u and %u", list[0].a, list[0].b);
        }
        printf("\n");
    }
    pliant_cuda_scene_destroy(scene);
    pliant_cuda_destroy(device);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    return 0;
}
