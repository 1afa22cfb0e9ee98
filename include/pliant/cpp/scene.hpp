/* Pliant for C++17: scenes, and volumes. */
#ifndef PLIANT_CPP_SCENE_HPP
#define PLIANT_CPP_SCENE_HPP

#include "../backend.h"
#include "query.hpp"

#include <optional>

PLIANT_CPP_BEGIN

/* A scene that somebody owns. A question without `select` is asked of every body, whatever its
   category and mask. */
class scene_ref : public detail::scene_calls
{
  public:
    using scene_calls::scene_calls;

    /* Empty if the id names nobody. */
    body_ref get_body(pliant_body_id id) const { return pliant_scene_get_body(get(), id); }
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

class volume_ref : public detail::volume_calls
{
  public:
    using volume_calls::volume_calls;
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
