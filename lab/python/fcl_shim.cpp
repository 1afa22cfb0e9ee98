/* FCL's deforming meshes for Python, which python-fcl has no call for: a model whose vertices are
   replaced and whose tree is refitted, and the number of pairs of triangles that touch. */
#include <fcl/fcl.h>

#include <memory>
#include <vector>

namespace
{

using model = fcl::BVHModel<fcl::AABBd>;

struct body {
    std::shared_ptr<model> mesh;
    std::size_t count;
};

std::vector<fcl::Vector3d> points(const float *numbers, std::size_t count)
{
    std::vector<fcl::Vector3d> list(count);
    for (std::size_t i = 0; i < count; i++) {
        list[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
    }
    return list;
}

} // namespace

extern "C" void *shim_create(const float *positions, std::size_t vertex_count,
                             const std::uint32_t *triangles, std::size_t triangle_count)
{
    std::vector<fcl::Triangle> faces(triangle_count);
    for (std::size_t i = 0; i < triangle_count; i++) {
        faces[i] = fcl::Triangle(triangles[3 * i], triangles[3 * i + 1], triangles[3 * i + 2]);
    }
    auto mesh = std::make_shared<model>();
    mesh->beginModel();
    mesh->addSubModel(points(positions, vertex_count), faces);
    mesh->endModel();
    return new body{mesh, vertex_count};
}

extern "C" void shim_destroy(void *self)
{
    delete static_cast<body *>(self);
}

/* Replaces all vertices and refits the tree bottom-up. */
extern "C" void shim_update(void *self, const float *positions)
{
    body *of = static_cast<body *>(self);
    of->mesh->beginReplaceModel();
    of->mesh->replaceSubModel(points(positions, of->count));
    of->mesh->endReplaceModel(true, true);
}

/* Pairs of triangles that touch, each once, without points and normals; as many are written as
   there is room for. */
extern "C" std::size_t shim_collide(void *a, void *b, std::uint32_t *pairs, std::size_t capacity)
{
    fcl::CollisionRequestd request(100000000, false);
    fcl::CollisionResultd result;
    const fcl::Transform3d place = fcl::Transform3d::Identity();
    fcl::collide(static_cast<body *>(a)->mesh.get(), place, static_cast<body *>(b)->mesh.get(),
                 place, request, result);
    std::size_t count = result.numContacts();
    for (std::size_t i = 0; i < count && i < capacity; i++) {
        pairs[2 * i] = static_cast<std::uint32_t>(result.getContact(i).b1);
        pairs[2 * i + 1] = static_cast<std::uint32_t>(result.getContact(i).b2);
    }
    return count;
}
