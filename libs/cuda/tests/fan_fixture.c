#include "fan_fixture.h"

#include "as_triangle.h"
#include "libs/cuda/decide.h"
#include "libs/cuda/kernel_fans.h"
#include "pliant/triangle.h"

#include <stdlib.h>
#include <string.h>

fan_surface fan_surface_create(uint32_t vertices, uint32_t triangles)
{
    fan_surface s = {.mesh = {.vertex_count = vertices, .triangle_count = triangles}};
    s.mesh.positions = malloc(3 * sizeof(float) * vertices);
    s.mesh.triangles = malloc(3 * sizeof(uint32_t) * triangles);
    s.positions = malloc(3 * sizeof(float) * vertices);
    s.settled = calloc(vertices, sizeof *s.settled);
    return s;
}

void fan_surface_destroy(fan_surface *s)
{
    free(s->mesh.positions);
    free(s->mesh.triangles);
    free(s->positions);
    free(s->settled);
}

/* A twin of one body. */
cuda_twin fan_twin_create(const fan_surface *s, bool has_joint, uint64_t seed)
{
    pliant_shape_def shape_def = fixture_shape_def(&s->mesh);
    pliant_member_def def = pliant_member_def_default();
    pliant_shape *shape = NULL;
    cuda_twin t = cuda_twin_create(test_context);
    pli_cuda_emulator *emulator = cuda_fixture_emulator(t.cuda);
    if (emulator != NULL) {
        emulator->seed = seed;
        emulator->warps = 1 + (uint32_t)(seed % 7);
    }
    shape_def.joint_count = has_joint ? 1 : 0;
    assert_ok(pliant_shape_create(test_context, &shape_def, &shape));
    def.self = true;
    cuda_twin_add(&t, shape, &def);
    pliant_shape_destroy(shape);
    return t;
}

/* Whether two triangles have something in common that the rule BEYOND_SHARED reports. */
static bool is_contact(const fan_surface *s, const uint32_t *welded, uint32_t a, uint32_t b)
{
    pli_cuda_corners corners;
    pli_cuda_shared shared;
    memset(&corners, 0, sizeof corners);
    for (int i = 0; i < 6; i++) {
        uint32_t vertex = s->mesh.triangles[3 * (size_t)(i < 3 ? a : b) + (size_t)(i % 3)];
        memcpy(corners.at[i / 3][i % 3], s->positions + 3 * (size_t)vertex, 3 * sizeof(float));
        corners.welded[i / 3][i % 3] = welded[vertex];
    }
    return pli_find_shared(&corners, &shared) < 3 &&
           pliant_triangle_overlap_beyond(as_triangle(corners.at[0]), as_triangle(corners.at[1]),
                                          (uint32_t)shared.count, shared.corner[0],
                                          shared.corner[1]);
}

static bool has_corner(const fan_surface *s, uint32_t triangle, uint32_t vertex)
{
    const uint32_t *t = s->mesh.triangles + 3 * (size_t)triangle;
    return t[0] == vertex || t[1] == vertex || t[2] == vertex;
}

/* How many pairs of the triangles round a vertex are contacts. */
uint32_t fan_contacts(const fan_surface *s, const uint32_t *welded, uint32_t vertex)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < s->mesh.triangle_count; a++) {
        for (uint32_t b = a + 1; has_corner(s, a, vertex) && b < s->mesh.triangle_count; b++) {
            count += has_corner(s, b, vertex) && is_contact(s, welded, a, b);
        }
    }
    return count;
}

/* Reads where the device has the vertices, and which of them it has settled. */
static void read_back(const cuda_twin *t, fan_surface *s)
{
    const pli_cuda_step *step = &t->scene->step;
    const pli_cuda_body *body = &step->bodies[0];
    memset(s->settled, 0, s->mesh.vertex_count * sizeof *s->settled);
    for (uint32_t k = 0; k < body->cluster_count; k++) {
        pli_cuda_site site = step->sites[body->first_cluster + k];
        const pli_cuda_cluster *of = &body->shape->clusters[k];
        const float *at = step->vertices + (size_t)site.place * PLI_CUDA_UNIT;
        const uint32_t *names = pli_names_at(step, site.place);
        for (uint32_t i = 0; i < of->vertex_count; i++) {
            uint32_t vertex = body->shape->vertices[of->first_vertex + i];
            for (size_t axis = 0; axis < 3; axis++) {
                s->positions[3 * (size_t)vertex + axis] = at[axis * of->stride + i];
            }
            s->settled[vertex] |= (names[i] & PLI_CUDA_SETTLED) != 0;
        }
    }
}

/* Asks with BEYOND_SHARED; no vertex is settled whose triangles touch. False where the device's
   memory cannot be read. */
bool fan_assert_sound(cuda_twin *t, fan_surface *s, const char *what)
{
    pliant_shape_view view;
    assert_true(cuda_twin_agrees(t, NULL, what));
    if (cuda_fixture_emulator(t->cuda) == NULL) {
        return false;
    }
    assert_ok(pliant_shape_get_view(pliant_body_get_shape(t->body[0]), &view));
    read_back(t, s);
    for (uint32_t v = 0; v < s->mesh.vertex_count; v++) {
        if (s->settled[v] && fan_contacts(s, view.welded, v) > 0) {
            fail_msg("%s: vertex %u is settled, but its triangles touch", what, v);
        }
    }
    return true;
}
