/* Pliant for C++17: queries and contours of bodies, as objects; queries.hpp has their calls. */
#ifndef PLIANT_CPP_QUERY_HPP
#define PLIANT_CPP_QUERY_HPP

#include "draw.hpp"
#include "queries.hpp"

PLIANT_CPP_BEGIN

/* A set of groups: bit g of word g / 64. The words must live as long as the set is used. */
inline pliant_groups make_groups(span<const std::uint64_t> bits) noexcept
{
    pliant_groups groups = {};
    groups.bits = bits.data();
    groups.count = detail::count32(64 * static_cast<std::uint64_t>(bits.size()));
    return groups;
}

class query_ref : public detail::query_calls
{
  public:
    using query_calls::query_calls;

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

class contours_ref : public detail::contours_calls
{
  public:
    using contours_calls::contours_calls;
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
