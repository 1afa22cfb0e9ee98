/*
 * CGAL's corefinement with exact constructions. The volume is a sum of exact numbers, rounded once
 * at the end.
 */
#include "exact_common_volume.h"

#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/corefinement.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Polygon_mesh_processing/orientation.h>
#include <CGAL/Polygon_mesh_processing/polygon_mesh_to_polygon_soup.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Surface_mesh.h>

#include <array>
#include <map>
#include <vector>

namespace
{

using kernel = CGAL::Exact_predicates_exact_constructions_kernel;
using surface = CGAL::Surface_mesh<kernel::Point_3>;
namespace processing = CGAL::Polygon_mesh_processing;

bool make_surface(const exact_mesh &mesh, surface &made)
{
    std::map<std::array<float, 3>, std::size_t> known;
    std::vector<kernel::Point_3> points;
    std::vector<std::vector<std::size_t>> triangles;
    for (std::size_t t = 0; t < mesh.triangle_count; t++) {
        std::vector<std::size_t> corners;
        for (std::size_t c = 0; c < 3; c++) {
            const float *p = mesh.positions + 3 * std::size_t(mesh.triangles[3 * t + c]);
            auto [place, fresh] = known.insert({{p[0], p[1], p[2]}, points.size()});
            if (fresh) {
                points.emplace_back(double(p[0]), double(p[1]), double(p[2]));
            }
            corners.push_back(place->second);
        }
        triangles.push_back(corners);
    }
    if (!processing::is_polygon_soup_a_polygon_mesh(triangles)) {
        return false;
    }
    processing::polygon_soup_to_polygon_mesh(points, triangles, made);
    if (!CGAL::is_closed(made)) {
        return false;
    }
    if (!processing::is_outward_oriented(made)) {
        processing::reverse_face_orientations(made);
    }
    return processing::does_bound_a_volume(made);
}

} // namespace

bool exact_common_volume(const exact_mesh *a, const exact_mesh *b, double *volume)
{
    surface first, second, common;
    if (!make_surface(*a, first) || !make_surface(*b, second) ||
        !processing::corefine_and_compute_intersection(first, second, common)) {
        return false;
    }
    *volume = CGAL::to_double(processing::volume(common));
    return true;
}
