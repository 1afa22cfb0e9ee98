/* CGAL's AABB_tree: squared_distance(), and Side_of_triangle_mesh on the same tree for the side. */
#include <CGAL/AABB_face_graph_triangle_primitive.h>
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/Surface_mesh.h>

#include <cmath>
#include <memory>

#include "point_peer.h"

namespace
{

using kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using surface = CGAL::Surface_mesh<kernel::Point_3>;
using primitive = CGAL::AABB_face_graph_triangle_primitive<surface>;
using tree = CGAL::AABB_tree<CGAL::AABB_traits<kernel, primitive>>;

struct cgal_points {
    surface mesh;
    std::unique_ptr<tree> triangles;
    std::unique_ptr<CGAL::Side_of_triangle_mesh<surface, kernel>> side;
};

void *create(const peer_body *body)
{
    auto self = std::make_unique<cgal_points>();
    const float *p = body->positions;
    for (uint32_t i = 0; i < body->vertex_count; i++, p += 3) {
        self->mesh.add_vertex(kernel::Point_3(p[0], p[1], p[2]));
    }
    for (uint32_t i = 0; i < body->triangle_count; i++) {
        const uint32_t *t = body->triangles + 3 * static_cast<std::size_t>(i);
        if (self->mesh.add_face(surface::Vertex_index(t[0]), surface::Vertex_index(t[1]),
                                surface::Vertex_index(t[2])) == surface::null_face()) {
            return nullptr;
        }
    }
    self->triangles =
        std::make_unique<tree>(faces(self->mesh).begin(), faces(self->mesh).end(), self->mesh);
    self->triangles->accelerate_distance_queries();
    self->side = std::make_unique<CGAL::Side_of_triangle_mesh<surface, kernel>>(*self->triangles);
    return self.release();
}

double distance(void *state, const float point[3])
{
    auto *self = static_cast<cgal_points *>(state);
    kernel::Point_3 p(point[0], point[1], point[2]);
    double distance = std::sqrt(self->triangles->squared_distance(p));
    return (*self->side)(p) == CGAL::ON_BOUNDED_SIDE ? -distance : distance;
}

void destroy(void *state)
{
    delete static_cast<cgal_points *>(state);
}

} // namespace

extern "C" const point_peer point_peer_cgal = {
    "CGAL, squared_distance and side", "vs_cgal", true, 20, create, distance, destroy};
