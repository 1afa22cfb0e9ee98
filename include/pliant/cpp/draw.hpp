/*
 * Pliant for C++17: drawing. What draws is an object of the caller's with any of draw_point(item,
 * at), draw_line(item, from, to), draw_triangle(item, triangle), draw_box(item, box) and
 * draw_contact(item, at, separation): what it has no function for is left out.
 */
#ifndef PLIANT_CPP_DRAW_HPP
#define PLIANT_CPP_DRAW_HPP

#include "../draw.h"
#include "callbacks.hpp"

PLIANT_CPP_BEGIN

struct draw_options : pliant_draw_options {
    PLIANT_CPP_DEFAULTS(draw_options)
};

namespace detail
{

using drawn = const pliant_draw_item &;

template <class D, class = void> struct draws_points : std::false_type {
};
template <class D>
struct draws_points<D, std::void_t<decltype(std::declval<D &>().draw_point(
                           std::declval<drawn>(), std::declval<const float *>()))>>
    : std::true_type {
};

template <class D, class = void> struct draws_lines : std::false_type {
};
template <class D>
struct draws_lines<
    D, std::void_t<decltype(std::declval<D &>().draw_line(
           std::declval<drawn>(), std::declval<const float *>(), std::declval<const float *>()))>>
    : std::true_type {
};

template <class D, class = void> struct draws_triangles : std::false_type {
};
template <class D>
struct draws_triangles<D, std::void_t<decltype(std::declval<D &>().draw_triangle(
                              std::declval<drawn>(), std::declval<const pliant_triangle &>()))>>
    : std::true_type {
};

template <class D, class = void> struct draws_boxes : std::false_type {
};
template <class D>
struct draws_boxes<D, std::void_t<decltype(std::declval<D &>().draw_box(
                          std::declval<drawn>(), std::declval<const pliant_box &>()))>>
    : std::true_type {
};

template <class D, class = void> struct draws_contacts : std::false_type {
};
template <class D>
struct draws_contacts<D, std::void_t<decltype(std::declval<D &>().draw_contact(
                             std::declval<drawn>(), std::declval<const float *>(),
                             std::declval<const pliant_separation &>()))>> : std::true_type {
};

template <class D> pliant_drawer make_drawer(guarded<D> &drawer) noexcept
{
    using self = guarded<D>;
    pliant_drawer made = {};
    if constexpr (draws_points<D>::value) {
        made.draw_point = [](void *user, const pliant_draw_item *item, const float *at) {
            static_cast<self *>(user)->run([&](D &d) { return d.draw_point(*item, at), true; });
        };
    }
    if constexpr (draws_lines<D>::value) {
        made.draw_line = [](void *user, const pliant_draw_item *item, const float *from,
                            const float *to) {
            static_cast<self *>(user)->run(
                [&](D &d) { return d.draw_line(*item, from, to), true; });
        };
    }
    if constexpr (draws_triangles<D>::value) {
        made.draw_triangle = [](void *user, const pliant_draw_item *item,
                                const pliant_triangle *triangle) {
            static_cast<self *>(user)->run(
                [&](D &d) { return d.draw_triangle(*item, *triangle), true; });
        };
    }
    if constexpr (draws_boxes<D>::value) {
        made.draw_box = [](void *user, const pliant_draw_item *item, const pliant_box *box) {
            static_cast<self *>(user)->run([&](D &d) { return d.draw_box(*item, *box), true; });
        };
    }
    if constexpr (draws_contacts<D>::value) {
        made.draw_contact = [](void *user, const pliant_draw_item *item, const float *at,
                               const pliant_separation *separation) {
            static_cast<self *>(user)->run(
                [&](D &d) { return d.draw_contact(*item, at, *separation), true; });
        };
    }
    made.user = &drawer;
    return made;
}

/* Draws by a function of C whose last parameter is the drawer. */
template <class D, class Function, class... Arguments>
answer<void> draw(D &drawer, Function *function, Arguments... arguments)
{
    guarded<D> guard(drawer);
    const pliant_drawer made = make_drawer(guard);
    const pliant_result code = function(arguments..., &made);
    guard.rethrow();
    return done(code);
}

} // namespace detail

PLIANT_CPP_END

#endif
