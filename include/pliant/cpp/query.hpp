/*
 * Pliant for C++17: questions about one or two bodies. What C has as pliant_<verb>(query, ...) is a
 * member of `query`.
 */
#ifndef PLIANT_CPP_QUERY_HPP
#define PLIANT_CPP_QUERY_HPP

#include "../continuous.h"
#include "../distance.h"
#include "../proxy.h"
#include "answers.hpp"
#include "body.hpp"
#include "callbacks.hpp"
#include "draw.hpp"

#include <limits>

PLIANT_CPP_BEGIN

struct collide_options : pliant_collide_options {
    PLIANT_CPP_DEFAULTS(collide_options)
};
struct within_options : pliant_within_options {
    PLIANT_CPP_DEFAULTS(within_options)
};
struct feature_options : pliant_feature_options {
    PLIANT_CPP_DEFAULTS(feature_options)
};
struct proxy_options : pliant_proxy_options {
    PLIANT_CPP_DEFAULTS(proxy_options)
};
struct meeting_options : pliant_meeting_options {
    PLIANT_CPP_DEFAULTS(meeting_options)
};
struct advance_options : pliant_advance_options {
    PLIANT_CPP_DEFAULTS(advance_options)
};
struct distance_options : pliant_distance_options {
    PLIANT_CPP_DEFAULTS(distance_options)
};

/* A set of groups: bit g of word g / 64. The words must live as long as the set is used. */
inline pliant_groups make_groups(span<const std::uint64_t> bits) noexcept
{
    pliant_groups groups = {};
    groups.bits = bits.data();
    groups.count = detail::count32(64 * static_cast<std::uint64_t>(bits.size()));
    return groups;
}

constexpr float no_limit = std::numeric_limits<float>::infinity();

class query_ref : public reference<pliant_query>
{
  public:
    using reference::reference;

    /* What the latest call cost; all 0 for an empty query. */
    pliant_stats get_stats() const
    {
        const pliant_stats *stats = pliant_query_get_stats(get());
        return stats == nullptr ? pliant_stats() : *stats;
    }

    answer<contacts> collide(body_ref a, body_ref b,
                             const pliant_collide_options &options = collide_options()) const
    {
        return detail::ask<contacts>(pliant_collide, get(), a.get(), b.get(), &options);
    }
    answer<contacts> collide_self(body_ref body,
                                  const pliant_collide_options &options = collide_options()) const
    {
        return detail::ask<contacts>(pliant_collide_self, get(), body.get(), &options);
    }
    /* The same with a function that is given batches of contacts, in place of the options'. It may
       return false to stop. */
    template <class Function>
    answer<contacts> collide(body_ref a, body_ref b, const pliant_collide_options &options,
                             Function &&function) const
    {
        return in_batches<contacts>(options, function, pliant_collide, get(), a.get(), b.get());
    }
    template <class Function>
    answer<contacts> collide_self(body_ref body, const pliant_collide_options &options,
                                  Function &&function) const
    {
        return in_batches<contacts>(options, function, pliant_collide_self, get(), body.get());
    }

    answer<pliant_ray_hit> raycast(body_ref body, const pliant_ray &ray) const
    {
        return detail::ask<pliant_ray_hit>(pliant_raycast, get(), body.get(), &ray);
    }
    /* As many hits as rays. */
    answer<void> raycast_many(body_ref body, span<const pliant_ray> rays,
                              span<pliant_ray_hit> hits) const
    {
        return detail::call_if(detail::has_size("hits", hits.size(), rays.size()),
                               pliant_raycast_many, get(), body.get(), rays.data(),
                               static_cast<std::uint64_t>(rays.size()), hits.data());
    }
    answer<ray_hits> raycast_all(body_ref body, span<const pliant_ray> rays) const
    {
        return detail::ask<ray_hits>(pliant_raycast_all, get(), body.get(), rays.data(),
                                     static_cast<std::uint64_t>(rays.size()));
    }
    answer<pliant_closest> find_closest_point(body_ref body, xyz point,
                                              float max_distance = no_limit) const
    {
        return detail::ask<pliant_closest>(pliant_find_closest_point, get(), body.get(),
                                           point.data(), max_distance);
    }
    /* As many answers as points, here and below. */
    answer<void> find_closest_points(body_ref body, points list, span<pliant_closest> closest,
                                     float max_distance = no_limit) const
    {
        return detail::call_if(detail::has_sizes("closest", closest.size(), list),
                               pliant_find_closest_points, get(), body.get(), list.data(),
                               list.count(), list.stride(), max_distance, closest.data());
    }
    answer<void>
    measure_distances(body_ref body, points list, span<pliant_signed_distance> distances,
                      const pliant_distance_options &options = distance_options()) const
    {
        return detail::call_if(detail::has_sizes("distances", distances.size(), list),
                               pliant_measure_distances, get(), body.get(), list.data(),
                               list.count(), list.stride(), &options, distances.data());
    }
    /* The triangles that share a point with the box; the array lives until the next call. */
    answer<span<const std::uint32_t>> overlap_box(body_ref body, const pliant_box &box) const
    {
        const std::uint32_t *triangles = nullptr;
        std::uint64_t count = 0;
        const pliant_result code = pliant_overlap_box(get(), body.get(), &box, &triangles, &count);
        return detail::end<span<const std::uint32_t>>(code, detail::list(triangles, count));
    }

    answer<proximities> find_within(body_ref a, body_ref b, float distance,
                                    const pliant_within_options &options = within_options()) const
    {
        return detail::ask<proximities>(pliant_find_within, get(), a.get(), b.get(), distance,
                                        &options);
    }
    answer<proximities>
    find_within_self(body_ref body, float distance,
                     const pliant_within_options &options = within_options()) const
    {
        return detail::ask<proximities>(pliant_find_within_self, get(), body.get(), distance,
                                        &options);
    }
    answer<features> find_features(body_ref a, body_ref b, float distance,
                                   const pliant_feature_options &options = feature_options()) const
    {
        return detail::ask<features>(pliant_find_features, get(), a.get(), b.get(), distance,
                                     &options);
    }
    answer<features>
    find_features_self(body_ref body, float distance,
                       const pliant_feature_options &options = feature_options()) const
    {
        return detail::ask<features>(pliant_find_features_self, get(), body.get(), distance,
                                     &options);
    }
    answer<proxy_contacts>
    collide_proxies(body_ref a, body_ref b,
                    const pliant_proxy_options &options = proxy_options()) const
    {
        return detail::ask<proxy_contacts>(pliant_collide_proxies, get(), a.get(), b.get(),
                                           &options);
    }

    answer<meetings> find_meetings(body_ref a, body_ref b,
                                   const pliant_meeting_options &options = meeting_options()) const
    {
        return detail::ask<meetings>(pliant_find_meetings, get(), a.get(), b.get(), &options);
    }
    answer<meetings>
    find_meetings_self(body_ref body,
                       const pliant_meeting_options &options = meeting_options()) const
    {
        return detail::ask<meetings>(pliant_find_meetings_self, get(), body.get(), &options);
    }
    /* The same with a function that is given batches, as with collide(). */
    template <class Function>
    answer<meetings> find_meetings(body_ref a, body_ref b, const pliant_meeting_options &options,
                                   Function &&function) const
    {
        return in_batches<meetings>(options, function, pliant_find_meetings, get(), a.get(),
                                    b.get());
    }
    template <class Function>
    answer<meetings> find_meetings_self(body_ref body, const pliant_meeting_options &options,
                                        Function &&function) const
    {
        return in_batches<meetings>(options, function, pliant_find_meetings_self, get(),
                                    body.get());
    }
    answer<pliant_free_time>
    find_free_time(body_ref a, body_ref b,
                   const pliant_meeting_options &options = meeting_options()) const
    {
        return detail::ask<pliant_free_time>(pliant_find_free_time, get(), a.get(), b.get(),
                                             &options);
    }
    answer<pliant_free_time>
    find_free_time_self(body_ref body,
                        const pliant_meeting_options &options = meeting_options()) const
    {
        return detail::ask<pliant_free_time>(pliant_find_free_time_self, get(), body.get(),
                                             &options);
    }
    answer<pliant_advance>
    advance_bodies(span<pliant_body *const> bodies,
                   const pliant_advance_options &options = advance_options()) const
    {
        return detail::ask<pliant_advance>(pliant_advance_bodies, get(), bodies.data(),
                                           detail::count32(bodies.size()), &options);
    }

    /* Shows bounds to a function, which may return false to leave out what lies below. */
    template <class Function>
    answer<void> visit_bounds(body_ref body, bool refresh, Function &&function) const
    {
        using F = std::remove_reference_t<Function>;
        detail::guarded<F> guard(function);
        const pliant_result code = pliant_visit_bounds(
            get(), body.get(), refresh,
            [](void *user, const pliant_bound *bound) {
                return static_cast<detail::guarded<F> *>(user)->run(
                    [&](F &f) { return detail::goes_on(f, *bound); });
            },
            &guard);
        guard.rethrow();
        return detail::done(code);
    }

    template <class Drawer>
    answer<void> draw_body(body_ref body, Drawer &&drawer,
                           const pliant_draw_options &options = draw_options()) const
    {
        return detail::draw(drawer, pliant_draw_body, get(), body.get(), &options);
    }

  private:
    template <class Answer, class Options, class Function, class Ask, class... Arguments>
    [[nodiscard]] static answer<Answer> in_batches(Options options, Function &function, Ask *ask,
                                                   Arguments... arguments)
    {
        detail::guarded<Function> guard(function);
        options.callback = [](void *user, const auto *batch) {
            return static_cast<detail::guarded<Function> *>(user)->run(
                [&](Function &f) { return detail::goes_on(f, Answer(*batch)); });
        };
        options.callback_user = &guard;
        Answer found;
        const pliant_result code = ask(arguments..., &options, &found);
        guard.rethrow();
        return detail::end<Answer>(code, std::move(found));
    }
};

class query : public owner<query_ref, pliant_query, pliant_query_destroy>
{
  public:
    using owner::owner;
    [[nodiscard]] static answer<query> create(context_ref context)
    {
        return detail::make<query>(pliant_query_create, context.get());
    }
};

/* Draws what query.collide() or, with the same body twice, query.collide_self() answered. */
template <class Drawer>
answer<void> draw_contacts(body_ref a, body_ref b, const pliant_contacts &contacts, Drawer &&drawer,
                           const pliant_draw_options &options = draw_options())
{
    return detail::draw(drawer, pliant_draw_contacts, static_cast<const pliant_body *>(a.get()),
                        static_cast<const pliant_body *>(b.get()), &contacts, &options);
}

struct contour_options : pliant_contour_options {
    PLIANT_CPP_DEFAULTS(contour_options)
    /* All touching pairs, as query.collide() gave them. */
    void set_pairs(span<const pliant_pair> list)
    {
        pairs = list.data();
        pair_count = list.size();
    }
};

class contours_ref : public reference<pliant_contours>
{
  public:
    using reference::reference;
    answer<contour_set> find(body_ref a, body_ref b,
                             const pliant_contour_options &options = contour_options()) const
    {
        return detail::ask<contour_set>(pliant_contours_find, get(), a.get(), b.get(), &options);
    }
    answer<contour_set> find_self(body_ref body,
                                  const pliant_contour_options &options = contour_options()) const
    {
        return detail::ask<contour_set>(pliant_contours_find_self, get(), body.get(), &options);
    }
    pliant_contour_stats get_stats() const
    {
        const pliant_contour_stats *stats = pliant_contours_get_stats(get());
        return stats == nullptr ? pliant_contour_stats() : *stats;
    }
};

class contours : public owner<contours_ref, pliant_contours, pliant_contours_destroy>
{
  public:
    using owner::owner;
    [[nodiscard]] static answer<contours> create(context_ref context)
    {
        return detail::make<contours>(pliant_contours_create, context.get());
    }
};

PLIANT_CPP_END

#endif
