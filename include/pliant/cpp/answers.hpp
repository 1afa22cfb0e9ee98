/*
 * Pliant for C++17: answers. Each is the struct of C, and its arrays are spans: `found.pairs()` is
 * what C has as found.pairs and found.count. They belong to the object that answered and live until
 * its next call.
 */
#ifndef PLIANT_CPP_ANSWERS_HPP
#define PLIANT_CPP_ANSWERS_HPP

#include "../contour.h"
#include "../scene_query.h"
#include "../volume.h"
#include "base.hpp"

PLIANT_CPP_BEGIN

namespace detail
{

/* The struct of C with room for spans; begins all zero. */
template <class T> struct wrapped : T {
    wrapped() noexcept : T() {}
    wrapped(const T &other) noexcept : T(other) {}
};

} // namespace detail

struct contacts : detail::wrapped<pliant_contacts> {
    using wrapped::wrapped;
    /* With a callback there are none; `count` says how many went there. */
    span<const pliant_pair> pairs() const { return list(pliant_contacts::pairs); }
    span<const pliant_segment> segments() const { return list(pliant_contacts::segments); }
    span<const pliant_separation> separations() const { return list(pliant_contacts::separations); }

  private:
    template <class T> span<const T> list(const T *data) const { return detail::list(data, count); }
};

struct ray_hits : detail::wrapped<pliant_ray_hits> {
    using wrapped::wrapped;
    span<const pliant_ray_hit> hits() const { return detail::list(pliant_ray_hits::hits, count); }
    /* Those of one ray. */
    span<const pliant_ray_hit> hits(std::uint64_t ray) const
    {
        return hits().subspan(starts[ray], starts[ray + 1] - starts[ray]);
    }
};

struct proximities : detail::wrapped<pliant_proximities> {
    using wrapped::wrapped;
    span<const pliant_proximity> pairs() const
    {
        return detail::list(pliant_proximities::pairs, count);
    }
};

struct features : detail::wrapped<pliant_features> {
    using wrapped::wrapped;
    span<const pliant_feature_pair> pairs() const
    {
        return detail::list(pliant_features::pairs, count);
    }
    span<const pliant_pair> crossings() const
    {
        return detail::list(pliant_features::crossings, crossing_count);
    }
};

struct meetings : detail::wrapped<pliant_meetings> {
    using wrapped::wrapped;
    span<const pliant_pair> pairs() const { return detail::list(pliant_meetings::pairs, count); }
    span<const pliant_meeting> times() const
    {
        return detail::list(pliant_meetings::meetings, count);
    }
};

struct proxy_contacts : detail::wrapped<pliant_proxy_contacts> {
    using wrapped::wrapped;
    span<const pliant_proxy_contact> contacts() const
    {
        return detail::list(pliant_proxy_contacts::contacts, count);
    }
};

struct contour_set : detail::wrapped<pliant_contour_set> {
    using wrapped::wrapped;
    using base = pliant_contour_set;
    span<const pliant_contour> contours() const
    {
        return detail::list(base::contours, contour_count);
    }
    span<const pliant_contour_point> points() const
    {
        return detail::list(base::points, point_count);
    }
    span<const pliant_contour_segment> segments() const
    {
        return detail::list(base::segments, segment_count);
    }
    /* Points and segments of one contour. */
    span<const pliant_contour_point> points(const pliant_contour &of) const
    {
        return points().subspan(of.first_point, of.point_count);
    }
    span<const pliant_contour_segment> segments(const pliant_contour &of) const
    {
        return segments().subspan(of.first_segment, of.segment_count);
    }
    span<const pliant_contour_touch> touches() const
    {
        return detail::list(base::touches, touch_count);
    }
    span<const pliant_region> regions() const { return detail::list(base::regions, region_count); }
    span<const pliant_region_piece> pieces() const
    {
        return detail::list(base::pieces, piece_count);
    }
    /* The outline of a piece. */
    span<const float[3]> corners(const pliant_region_piece &of) const
    {
        return detail::list(base::corners, corner_count).subspan(of.first_corner, of.corner_count);
    }
};

struct volume_measure : detail::wrapped<pliant_volume_measure> {
    using wrapped::wrapped;
    span<const pliant_volume_span> spans() const
    {
        return detail::list(pliant_volume_measure::spans, span_count);
    }
    /* Of the first body (0) or of the second (1). */
    span<const pliant_volume_vertex> vertices(int body) const
    {
        return detail::list(pliant_volume_measure::vertices[body], vertex_count[body]);
    }
};

struct scene_contacts : detail::wrapped<pliant_scene_contacts> {
    using wrapped::wrapped;
    using base = pliant_scene_contacts;
    span<const pliant_scene_pair> bodies() const
    {
        return detail::list(base::bodies, body_pair_count);
    }
    span<const pliant_pair> pairs() const { return detail::list(base::pairs, count); }
    span<const pliant_segment> segments() const { return detail::list(base::segments, count); }
    span<const pliant_separation> separations() const
    {
        return detail::list(base::separations, count);
    }
    /* Those of one pair of bodies. */
    span<const pliant_pair> pairs(const pliant_scene_pair &of) const
    {
        return pairs().subspan(of.first, of.count);
    }
    span<const pliant_segment> segments(const pliant_scene_pair &of) const
    {
        return segments().subspan(of.first, of.count);
    }
    span<const pliant_separation> separations(const pliant_scene_pair &of) const
    {
        return separations().subspan(of.first, of.count);
    }
    span<const pliant_scene_pair> undecided() const
    {
        return detail::list(base::undecided, undecided_count);
    }
};

struct scene_proxy_contacts : detail::wrapped<pliant_scene_proxy_contacts> {
    using wrapped::wrapped;
    using base = pliant_scene_proxy_contacts;
    span<const pliant_scene_pair> bodies() const
    {
        return detail::list(base::bodies, body_pair_count);
    }
    span<const pliant_proxy_contact> contacts() const
    {
        return detail::list(base::contacts, count);
    }
    span<const pliant_proxy_contact> contacts(const pliant_scene_pair &of) const
    {
        return contacts().subspan(of.first, of.count);
    }
};

struct scene_proximities : detail::wrapped<pliant_scene_proximities> {
    using wrapped::wrapped;
    using base = pliant_scene_proximities;
    span<const pliant_scene_pair> bodies() const
    {
        return detail::list(base::bodies, body_pair_count);
    }
    span<const pliant_proximity> pairs() const { return detail::list(base::pairs, count); }
    span<const pliant_proximity> pairs(const pliant_scene_pair &of) const
    {
        return pairs().subspan(of.first, of.count);
    }
};

struct scene_meetings : detail::wrapped<pliant_scene_meetings> {
    using wrapped::wrapped;
    using base = pliant_scene_meetings;
    span<const pliant_scene_pair> bodies() const
    {
        return detail::list(base::bodies, body_pair_count);
    }
    span<const pliant_pair> pairs() const { return detail::list(base::pairs, count); }
    span<const pliant_meeting> times() const { return detail::list(base::meetings, count); }
    span<const pliant_pair> pairs(const pliant_scene_pair &of) const
    {
        return pairs().subspan(of.first, of.count);
    }
    span<const pliant_meeting> times(const pliant_scene_pair &of) const
    {
        return times().subspan(of.first, of.count);
    }
    span<const pliant_scene_pair> undecided() const
    {
        return detail::list(base::undecided, undecided_count);
    }
};

struct scene_features : detail::wrapped<pliant_scene_features> {
    using wrapped::wrapped;
    using base = pliant_scene_features;
    span<const pliant_scene_pair> bodies() const
    {
        return detail::list(base::bodies, body_pair_count);
    }
    span<const pliant_feature_pair> pairs() const { return detail::list(base::pairs, count); }
    span<const pliant_feature_pair> pairs(const pliant_scene_pair &of) const
    {
        return pairs().subspan(of.first, of.count);
    }
    scene_contacts crossings() const { return base::crossings; }
};

struct scene_ray_hits : detail::wrapped<pliant_scene_ray_hits> {
    using wrapped::wrapped;
    span<const pliant_scene_ray_hit> hits() const
    {
        return detail::list(pliant_scene_ray_hits::hits, count);
    }
    span<const pliant_scene_ray_hit> hits(std::uint64_t ray) const
    {
        return hits().subspan(starts[ray], starts[ray + 1] - starts[ray]);
    }
};

struct scene_triangles : detail::wrapped<pliant_scene_triangles> {
    using wrapped::wrapped;
    span<const pliant_scene_range> bodies() const
    {
        return detail::list(pliant_scene_triangles::bodies, body_count);
    }
    span<const std::uint32_t> triangles() const
    {
        return detail::list(pliant_scene_triangles::triangles, count);
    }
    span<const std::uint32_t> triangles(const pliant_scene_range &of) const
    {
        return triangles().subspan(of.first, of.count);
    }
};

struct scene_volumes : detail::wrapped<pliant_scene_volumes> {
    using wrapped::wrapped;
    span<const pliant_scene_volume> pairs() const
    {
        return detail::list(pliant_scene_volumes::pairs, count);
    }
};

PLIANT_CPP_END

#endif
