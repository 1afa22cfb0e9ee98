/* Pliant for C++17: the exact tests of triangles, still and moving, and what the library says of
   itself. Nothing here can fail. */
#ifndef PLIANT_CPP_TRIANGLE_HPP
#define PLIANT_CPP_TRIANGLE_HPP

#include "../moving.h"
#include "../triangle.h"
#include "arrays.hpp"

#include <optional>

PLIANT_CPP_BEGIN

inline const char *version() noexcept
{
    return pliant_version();
}

inline const char *get_name(pliant_result result) noexcept
{
    return pliant_result_get_name(result);
}

inline const char *get_name(pliant_isa isa) noexcept
{
    return pliant_isa_get_name(isa);
}

inline const char *get_name(pliant_stage stage) noexcept
{
    return pliant_stage_get_name(stage);
}

inline int orient3d(xyz a, xyz b, xyz c, xyz d) noexcept
{
    return pliant_orient3d(a.data(), b.data(), c.data(), d.data());
}

inline bool triangle_overlap(const pliant_triangle &a, const pliant_triangle &b) noexcept
{
    return pliant_triangle_overlap(&a, &b);
}

inline pliant_segment triangle_intersect(const pliant_triangle &a,
                                         const pliant_triangle &b) noexcept
{
    pliant_segment segment = {};
    pliant_triangle_intersect(&a, &b, &segment);
    return segment;
}

inline pliant_separation triangle_separate(const pliant_triangle &a, const pliant_triangle &b,
                                           float enough = 0.0F) noexcept
{
    pliant_separation separation = {};
    pliant_triangle_separate(&a, &b, enough, &separation);
    return separation;
}

inline pliant_separation triangle_separate_towards(const pliant_triangle &a,
                                                   const pliant_triangle &b, xyz hint) noexcept
{
    pliant_separation separation = {};
    pliant_triangle_separate_towards(&a, &b, hint.data(), &separation);
    return separation;
}

/* The parameter of the first hit, if there is one. */
inline std::optional<double> triangle_raycast(const pliant_triangle &triangle, xyz origin,
                                              xyz direction, float t_max) noexcept
{
    double t = 0.0;
    return pliant_triangle_raycast(&triangle, origin.data(), direction.data(), t_max, &t)
               ? std::optional<double>(t)
               : std::nullopt;
}

/* The sign of t_a - t_b, exactly; the half line must meet both. */
inline int triangle_compare_hits(const pliant_triangle &a, const pliant_triangle &b, xyz origin,
                                 xyz direction) noexcept
{
    return pliant_triangle_compare_hits(&a, &b, origin.data(), direction.data());
}

struct triangle_point {
    double point[3];
    double distance;
};

inline triangle_point triangle_find_closest_point(const pliant_triangle &triangle,
                                                  xyz point) noexcept
{
    triangle_point found = {};
    found.distance = pliant_triangle_find_closest_point(&triangle, point.data(), found.point);
    return found;
}

inline pliant_gap triangle_measure_distance(const pliant_triangle &a,
                                            const pliant_triangle &b) noexcept
{
    pliant_gap gap = {};
    pliant_triangle_measure_distance(&a, &b, &gap);
    return gap;
}

namespace detail
{

template <class Answer, class Function, class A, class B, class... More>
std::optional<Answer> meet(Function *function, const A &a, const B &b, More... more) noexcept
{
    Answer found{};
    return function(&a, &b, more..., &found) ? std::optional<Answer>(found) : std::nullopt;
}

} // namespace detail

/* When they meet, if they do. */
inline std::optional<pliant_meeting_time>
moving_point_meet(const pliant_moving_point &vertex, const pliant_moving_triangle &face) noexcept
{
    return detail::meet<pliant_meeting_time>(pliant_moving_point_meet, vertex, face);
}

inline std::optional<pliant_meeting_time> moving_edge_meet(const pliant_moving_edge &a,
                                                           const pliant_moving_edge &b) noexcept
{
    return detail::meet<pliant_meeting_time>(pliant_moving_edge_meet, a, b);
}

inline std::optional<pliant_meeting> moving_triangle_meet(const pliant_moving_triangle &a,
                                                          const pliant_moving_triangle &b) noexcept
{
    return detail::meet<pliant_meeting>(pliant_moving_triangle_meet, a, b);
}

/* When they come within a distance, if they do. */
inline std::optional<pliant_meeting> moving_triangle_approach(const pliant_moving_triangle &a,
                                                              const pliant_moving_triangle &b,
                                                              float distance) noexcept
{
    return detail::meet<pliant_meeting>(pliant_moving_triangle_approach, a, b, distance);
}

PLIANT_CPP_END

#endif
