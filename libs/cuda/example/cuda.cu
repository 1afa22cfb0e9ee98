/*
 * Positions made on the GPU, contacts used on the GPU: a cloth of a million triangles, rolled up by
 * one kernel, is asked about itself; another kernel counts how many contacts each triangle has.
 * Nothing but a count and four numbers comes back.
 *
 *   nvcc cuda.cu -lpliant_cuda -lpliant
 */
#include <pliant/cuda.h>
#include <pliant/pliant.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        std::fprintf(stderr, "%s: %s\n", pliant_result_get_name(result), pliant_last_error());
        std::exit(1);
    }
}

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
        std::exit(1);
    }
}

/* A sheet rolled up around the y axis, layer upon layer, with ripples that touch. */
__global__ void roll_up(float *positions, int side, float time)
{
    int v = (int)(blockIdx.x * blockDim.x + threadIdx.x), row = side + 1;
    if (v < row * row) {
        float x = (float)(v % row) / side, y = (float)(v / row) / side;
        float angle = 40.0f * x, radius = 0.05f + 0.002f * angle;
        radius += 0.007f * sinf(90.0f * y + 7.5f * angle + time);
        positions[3 * v] = radius * cosf(angle);
        positions[3 * v + 1] = y;
        positions[3 * v + 2] = radius * sinf(angle);
    }
}

/* What a simulation would do with contacts: here each triangle counts its own. */
__global__ void count_contacts(const pliant_cuda_contact *contacts, unsigned long long count,
                               unsigned *per_triangle)
{
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < count) {
        atomicAdd(per_triangle + contacts[i].a, 1u);
        atomicAdd(per_triangle + contacts[i].b, 1u);
    }
}

int main()
{
    const int side = 707, row = side + 1;
    const unsigned vertices = row * row, triangles = 2 * side * side;
    std::vector<float> rest(3 * (size_t)vertices);
    std::vector<uint32_t> corners;
    for (unsigned v = 0; v < vertices; v++) {
        rest[3 * (size_t)v] = (float)(v % row) / side;
        rest[3 * (size_t)v + 1] = (float)(v / row) / side;
    }
    for (unsigned c = 0; c < (unsigned)(side * side); c++) {
        uint32_t a = c / side * row + c % side, d = a + row;
        corners.insert(corners.end(), {a, a + 1, d + 1, a, d + 1, d});
    }
    pliant_context *context = NULL;
    pliant_shape *shape = NULL;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = rest.data();
    def.vertex_count = vertices;
    def.triangles = corners.data();
    def.triangle_count = triangles;
    check(pliant_context_create(NULL, &context));
    check(pliant_shape_create(context, &def, &shape));

    cudaStream_t stream;
    float *positions;
    unsigned *per_triangle;
    check(cudaStreamCreate(&stream));
    check(cudaMalloc(&positions, rest.size() * sizeof(float)));
    check(cudaMalloc(&per_triangle, triangles * sizeof(unsigned)));

    pliant_cuda *device = NULL;
    pliant_cuda_scene *scene = NULL;
    pliant_cuda_def settings = pliant_cuda_def_default();
    settings.stream = stream; /* our kernels and the library's take turns on it */
    check(pliant_cuda_create(context, &settings, &device));
    check(pliant_cuda_scene_create(device, &scene));
    pliant_member_def member = pliant_member_def_default();
    member.self = true;
    uint32_t cloth;
    check(pliant_cuda_scene_add(scene, shape, &member, &cloth));
    pliant_state lent = {};
    lent.positions = positions;
    check(pliant_cuda_scene_set_state(scene, cloth, &lent, PLIANT_CUDA_DEVICE));
    for (int step = 0; step < 5; step++) {
        roll_up<<<(vertices + 255) / 256, 256, 0, stream>>>(positions, side, 0.1f * step);
        pliant_cuda_contacts contacts;
        check(pliant_cuda_scene_collide(scene, NULL, &contacts));
        check(cudaMemsetAsync(per_triangle, 0, triangles * sizeof(unsigned), stream));
        unsigned blocks = (unsigned)((contacts.count + 255) / 256);
        if (blocks > 0) {
            count_contacts<<<blocks, 256, 0, stream>>>(contacts.on_device, contacts.count,
                                                       per_triangle);
        }
        check(cudaStreamSynchronize(stream));
        std::printf("step %d: %llu contacts\n", step, (unsigned long long)contacts.count);
    }
    pliant_cuda_scene_destroy(scene);
    pliant_cuda_destroy(device);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    check(cudaFree(positions));
    check(cudaFree(per_triangle));
    check(cudaStreamDestroy(stream));
    return 0;
}
