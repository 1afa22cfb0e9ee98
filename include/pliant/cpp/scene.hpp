/* Pliant for C++17: scenes, and volumes. */
#ifndef PLIANT_CPP_SCENE_HPP
#define PLIANT_CPP_SCENE_HPP

#include "../backend.h"
#include "../recording.h"
#include "query.hpp"

#include <optional>

PLIANT_CPP_BEGIN

struct scene_def : pliant_scene_def {
    PLIANT_CPP_DEFAULTS(scene_def)
};
struct member_def : pliant_member_def {
    PLIANT_CPP_DEFAULTS(member_def)
};

/* Filters: bind(options.filter, options.filter_user, filter). */
struct scene_options : pliant_scene_options {
    PLIANT_CPP_DEFAULTS(scene_options)
};
struct scene_select : pliant_scene_select {
    PLIANT_CPP_DEFAULTS(scene_select)
};
struct recording_options : pliant_recording_options {
    PLIANT_CPP_DEFAULTS(recording_options)
};

/* A scene that somebody owns. A question without `select` is asked of every body, whatever its
   category and mask. */
class scene_ref : public reference<pliant_scene>
{
  public:
    using reference::reference;

    answer<pliant_body_id> add(body_ref body, const pliant_member_def &def = member_def()) const
    {
        return detail::ask<pliant_body_id>(pliant_scene_add, get(), body.get(), &def);
    }
    answer<void> remove(pliant_body_id id) const
    {
        return detail::call(pliant_scene_remove, get(), id);
    }
    answer<void> set_member(pliant_body_id id, const pliant_member_def &def) const
    {
        return detail::call(pliant_scene_set_member, get(), id, &def);
    }
    answer<member_def> get_member(pliant_body_id id) const
    {
        return detail::ask<member_def>(pliant_scene_get_member, get(), id);
    }
    /* Empty if the id names nobody. */
    body_ref get_body(pliant_body_id id) const { return pliant_scene_get_body(get(), id); }
    void *get_user(pliant_body_id id) const { return pliant_scene_get_user(get(), id); }
    std::uint32_t get_body_count() const { return pliant_scene_get_body_count(get()); }
    std::optional<pliant_body_id> find_id(body_ref body) const
    {
        pliant_body_id id = {};
        return pliant_scene_find_id(get(), body.get(), &id) ? std::optional<pliant_body_id>(id)
                                                            : std::nullopt;
    }
    /* Goes on to the next body: for (pliant_body_id id = {}; scene.find_next(id);) */
    bool find_next(pliant_body_id &id) const { return pliant_scene_find_next(get(), &id); }

    /* A state for set_states(). Copied by hand, a pliant::state loses the sizes of its arrays. */
    answer<pliant_scene_state> make_state(pliant_body_id id, const pliant::state &state) const
    {
        const body_ref body = get_body(id);
        const bool agree = !body || state.has_sizes(body.get_shape().get_vertex_count());
        return detail::end<pliant_scene_state>(agree ? PLIANT_OK : PLIANT_ERROR_ARGUMENT,
                                               pliant_scene_state{id, state}, detail::wrong_size);
    }
    answer<void> set_states(span<const pliant_scene_state> states) const
    {
        return detail::call(pliant_scene_set_states, get(), states.data(),
                            detail::count32(states.size()));
    }
    /* A box for each of these bodies. */
    answer<void> get_boxes(span<const pliant_body_id> ids, span<pliant_box> boxes) const
    {
        return detail::call_if(detail::has_size("boxes", boxes.size(), ids.size()),
                               pliant_scene_get_boxes, get(), ids.data(),
                               detail::count32(ids.size()), boxes.data());
    }
    answer<void> begin_step() const { return detail::call(pliant_scene_begin_step, get()); }

    answer<scene_contacts> collide(const pliant_scene_options &options = scene_options()) const
    {
        return detail::ask<scene_contacts>(pliant_scene_collide, get(), &options);
    }
    /* The same with a function that is given each pair of bodies and its contacts, in place of the
       options'. It may return false to stop. */
    template <class Function>
    answer<scene_contacts> collide(const pliant_scene_options &options, Function &&function) const
    {
        return by_bodies<scene_contacts, contacts>(options, &pliant_scene_options::callback,
                                                   function, pliant_scene_collide);
    }
    span<const pliant_scene_event> get_events() const
    {
        std::uint32_t count = 0;
        const pliant_scene_event *events = pliant_scene_get_events(get(), &count);
        return detail::list(events, count);
    }
    answer<scene_proxy_contacts>
    collide_proxies(const pliant_scene_options &options = scene_options()) const
    {
        return detail::ask<scene_proxy_contacts>(pliant_scene_collide_proxies, get(), &options);
    }
    answer<scene_proximities>
    find_within(float distance, const pliant_scene_options &options = scene_options()) const
    {
        return detail::ask<scene_proximities>(pliant_scene_find_within, get(), distance, &options);
    }
    answer<scene_features>
    find_features(float distance, const pliant_scene_options &options = scene_options()) const
    {
        return detail::ask<scene_features>(pliant_scene_find_features, get(), distance, &options);
    }
    answer<scene_meetings>
    find_meetings(const pliant_scene_options &options = scene_options()) const
    {
        return detail::ask<scene_meetings>(pliant_scene_find_meetings, get(), &options);
    }
    template <class Function>
    answer<scene_meetings> find_meetings(const pliant_scene_options &options,
                                         Function &&function) const
    {
        return by_bodies<scene_meetings, meetings>(options,
                                                   &pliant_scene_options::meetings_callback,
                                                   function, pliant_scene_find_meetings);
    }
    answer<pliant_scene_free_time>
    find_free_time(const pliant_scene_options &options = scene_options()) const
    {
        return detail::ask<pliant_scene_free_time>(pliant_scene_find_free_time, get(), &options);
    }
    answer<pliant_scene_advance>
    advance_bodies(const pliant_scene_options &options = scene_options()) const
    {
        return detail::ask<pliant_scene_advance>(pliant_scene_advance_bodies, get(), &options);
    }
    pliant_scene_stats get_stats() const
    {
        const pliant_scene_stats *stats = pliant_scene_get_stats(get());
        return stats == nullptr ? pliant_scene_stats() : *stats;
    }

    /* As many answers as rays or points. */
    answer<void> raycast(span<const pliant_ray> rays, span<pliant_scene_ray_hit> hits,
                         const pliant_scene_select *select = nullptr) const
    {
        return detail::call_if(detail::has_size("hits", hits.size(), rays.size()),
                               pliant_scene_raycast, get(), rays.data(),
                               static_cast<std::uint64_t>(rays.size()), select, hits.data());
    }
    answer<void> raycast_any(span<const pliant_ray> rays, span<bool> blocked,
                             const pliant_scene_select *select = nullptr) const
    {
        return detail::call_if(detail::has_size("blocked", blocked.size(), rays.size()),
                               pliant_scene_raycast_any, get(), rays.data(),
                               static_cast<std::uint64_t>(rays.size()), select, blocked.data());
    }
    answer<scene_ray_hits> raycast_all(span<const pliant_ray> rays,
                                       const pliant_scene_select *select = nullptr) const
    {
        return detail::ask<scene_ray_hits>(pliant_scene_raycast_all, get(), rays.data(),
                                           static_cast<std::uint64_t>(rays.size()), select);
    }
    answer<void> find_closest_points(points list, span<pliant_scene_closest> closest,
                                     float max_distance = no_limit,
                                     const pliant_scene_select *select = nullptr) const
    {
        return detail::call_if(detail::has_sizes("closest", closest.size(), list),
                               pliant_scene_find_closest_points, get(), list.data(), list.count(),
                               list.stride(), max_distance, select, closest.data());
    }
    answer<void> measure_distances(points list, span<pliant_scene_signed_distance> distances,
                                   const pliant_distance_options &options = distance_options(),
                                   const pliant_scene_select *select = nullptr) const
    {
        return detail::call_if(detail::has_sizes("distances", distances.size(), list),
                               pliant_scene_measure_distances, get(), list.data(), list.count(),
                               list.stride(), &options, select, distances.data());
    }
    answer<scene_triangles> overlap_box(const pliant_box &box,
                                        const pliant_scene_select *select = nullptr) const
    {
        return detail::ask<scene_triangles>(pliant_scene_overlap_box, get(), &box, select);
    }

    /* Records until stop_recording(): bind(options.write, options.write_user, write) first. */
    answer<void> record(const pliant_recording_options &options) const
    {
        return detail::call(pliant_scene_record, get(), &options);
    }
    answer<void> stop_recording() const { return detail::call(pliant_scene_stop_recording, get()); }
    bool is_recording() const { return pliant_scene_is_recording(get()); }

    template <class Drawer>
    answer<void> draw(Drawer &&drawer, const pliant_draw_options &options = draw_options()) const
    {
        return detail::draw(drawer, pliant_draw_scene, get(), &options);
    }
    template <class Drawer>
    answer<void> draw_contacts(const pliant_scene_contacts &contacts, Drawer &&drawer,
                               const pliant_draw_options &options = draw_options()) const
    {
        return detail::draw(drawer, pliant_draw_scene_contacts, get(), &contacts, &options);
    }

  private:
    template <class Answer, class Found, class Callback, class Function, class Ask>
    answer<Answer> by_bodies(pliant_scene_options options, Callback pliant_scene_options::*callback,
                             Function &function, Ask *ask) const
    {
        detail::guarded<Function> guard(function);
        options.*callback = [](void *user, const pliant_scene_pair *bodies, const auto *found) {
            return static_cast<detail::guarded<Function> *>(user)->run(
                [&](Function &f) { return detail::goes_on(f, *bodies, Found(*found)); });
        };
        options.callback_user = &guard;
        Answer found;
        const pliant_result code = ask(get(), &options, &found);
        guard.rethrow();
        return detail::end<Answer>(code, std::move(found));
    }
};

class scene : public owner<scene_ref, pliant_scene, pliant_scene_destroy>
{
  public:
    using owner::owner;
    [[nodiscard]] static answer<scene> create(context_ref context,
                                              const pliant_scene_def &def = scene_def())
    {
        return detail::make<scene>(pliant_scene_create, context.get(), &def);
    }
};

/* Another way to fill the images of volumes: bind(def.cross, def.user, cross) first. */
struct volume_backend_def : pliant_volume_backend_def {
    PLIANT_CPP_DEFAULTS(volume_backend_def)
};

class volume_backend_ref : public reference<pliant_volume_backend>
{
  public:
    using reference::reference;
    void *get_user() const { return pliant_volume_backend_get_user(get()); }
};

/* What pliant::volume_def::backend takes, by get(). */
class volume_backend
    : public owner<volume_backend_ref, pliant_volume_backend, pliant_volume_backend_destroy>
{
  public:
    using owner::owner;
    [[nodiscard]] static answer<volume_backend> create(context_ref context,
                                                       const pliant_volume_backend_def &def)
    {
        return detail::make<volume_backend>(pliant_volume_backend_create, context.get(), &def);
    }
};

struct volume_def : pliant_volume_def {
    PLIANT_CPP_DEFAULTS(volume_def)
};
struct volume_options : pliant_volume_options {
    PLIANT_CPP_DEFAULTS(volume_options)
};

class volume_ref : public reference<pliant_volume>
{
  public:
    using reference::reference;
    answer<volume_measure> intersect(body_ref a, body_ref b,
                                     const pliant_volume_options &options = volume_options()) const
    {
        return detail::ask<volume_measure>(pliant_volume_intersect, get(), a.get(), b.get(),
                                           &options);
    }
    answer<volume_measure>
    intersect_self(body_ref body, const pliant_volume_options &options = volume_options()) const
    {
        return detail::ask<volume_measure>(pliant_volume_intersect_self, get(), body.get(),
                                           &options);
    }
    answer<volume_measure>
    measure_body(body_ref body, const pliant_volume_options &options = volume_options()) const
    {
        return detail::ask<volume_measure>(pliant_volume_measure_body, get(), body.get(), &options);
    }
    /* As many answers as points. */
    answer<pliant_volume_sampling>
    locate_points(body_ref body, points list, span<pliant_volume_point> answers,
                  const pliant_volume_options &options = volume_options()) const
    {
        if (!detail::has_sizes("answers", answers.size(), list)) {
            return detail::end<pliant_volume_sampling>(PLIANT_ERROR_ARGUMENT, {},
                                                       detail::wrong_size);
        }
        return detail::ask<pliant_volume_sampling>(pliant_volume_locate_points, get(), body.get(),
                                                   list.data(), list.count(), list.stride(),
                                                   &options, answers.data());
    }
    answer<scene_volumes>
    intersect_scene(scene_ref scene, const pliant_scene_options &pairs = scene_options(),
                    const pliant_volume_options &options = volume_options()) const
    {
        return detail::ask<scene_volumes>(pliant_volume_intersect_scene, get(), scene.get(), &pairs,
                                          &options);
    }
    pliant_volume_stats get_stats() const
    {
        const pliant_volume_stats *stats = pliant_volume_get_stats(get());
        return stats == nullptr ? pliant_volume_stats() : *stats;
    }
    std::uint64_t get_memory() const { return pliant_volume_get_memory(get()); }
};

class volume : public owner<volume_ref, pliant_volume, pliant_volume_destroy>
{
  public:
    using owner::owner;
    [[nodiscard]] static answer<volume> create(context_ref context,
                                               const pliant_volume_def &def = volume_def())
    {
        return detail::make<volume>(pliant_volume_create, context.get(), &def);
    }
};

PLIANT_CPP_END

#endif
