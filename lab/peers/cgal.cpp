/*
 * CGAL's AABB_tree under the kernel of exact predicates. It cannot be refitted, so a body that is
 * asked about gets a new one each step; of two bodies only the first needs one, and the triangles
 * of the second are asked one by one. Within one body that would find every pair twice, so CGAL's
 * sweep over boxes is used, as its own function for self-intersections does.
 */
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/box_intersection_d.h>
#include <CGAL/version.h>
#include <CGAL/version_macros.h>

#include <functional>
#include <memory>

#include "adaptor.hpp"

namespace
{

using kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using triangle_list = std::vector<kernel::Triangle_3>;

/* Refers to a triangle of a list; the list is in memory, so the number follows from the address. */
class primitive
{
  public:
    using Id = triangle_list::const_iterator;
    using Point = kernel::Point_3;
    using Datum = kernel::Triangle_3;
    using Datum_reference = const Datum &;
    primitive() = default;
    explicit primitive(Id of) : it(of)
    {
    }
    Datum_reference datum() const
    {
        return *it;
    }
    Id id() const
    {
        return it;
    }
    Point reference_point() const
    {
        return it->vertex(0);
    }

  private:
    Id it;
};

using tree = CGAL::AABB_tree<CGAL::AABB_traits<kernel, primitive>>;

class cgal : public adaptor
{
  public:
    explicit cgal(const peer_scene &scene)
        : adaptor(scene), lists(bodies.size()), bounds(bodies.size()), trees(bodies.size())
    {
    }

  protected:
    void update_trees() override
    {
        for (std::size_t i = 0; i < bodies.size(); i++) {
            lists[i].clear();
            bounds[i] = CGAL::Bbox_3();
            for (uint32_t k = 0; k < bodies[i].triangle_count; k++) {
                lists[i].emplace_back(point(i, k, 0), point(i, k, 1), point(i, k, 2));
                bounds[i] += lists[i].back().bbox();
            }
            trees[i].reset();
        }
    }

    bool may_touch(uint32_t a, uint32_t b) override
    {
        return do_overlap(bounds[a], bounds[b]);
    }

    void collide(uint32_t a, uint32_t b) override
    {
        if (a == b) {
            collide_within(a);
            return;
        }
        if (!trees[a]) {
            trees[a] = std::make_unique<tree>(lists[a].cbegin(), lists[a].cend());
            trees[a]->build();
        }
        for (uint32_t t = 0; t < lists[b].size() && !has_enough(); t++) {
            found.clear();
            if (first_only) {
                auto any = trees[a]->any_intersected_primitive(lists[b][t]);
                if (any) {
                    found.push_back(*any);
                }
            } else {
                trees[a]->all_intersected_primitives(lists[b][t], std::back_inserter(found));
            }
            for (primitive::Id s : found) {
                pairs.push_back({uint32_t(s - lists[a].cbegin()), t});
            }
        }
    }

  private:
    using numbered_box = CGAL::Box_intersection_d::Box_with_info_d<double, 3, uint32_t>;

    kernel::Point_3 point(std::size_t body, uint32_t triangle, int k) const
    {
        const float *p = bodies[body].corner(triangle, k);
        return kernel::Point_3(double(p[0]), double(p[1]), double(p[2]));
    }

    void collide_within(uint32_t body)
    {
        const triangle_list &list = lists[body];
        std::vector<numbered_box> boxes;
        boxes.reserve(list.size());
        for (uint32_t i = 0; i < list.size(); i++) {
            boxes.emplace_back(list[i].bbox(), i);
        }
        std::vector<const numbered_box *> order;
        for (const numbered_box &one : boxes) {
            order.push_back(&one);
        }
        CGAL::box_self_intersection_d(
            order.begin(), order.end(), [&](const numbered_box *p, const numbered_box *q) {
                uint32_t s = std::min(p->info(), q->info()), t = std::max(p->info(), q->info());
                if (!has_enough() && !bodies[body].share_a_vertex(s, t) &&
                    CGAL::do_intersect(list[s], list[t])) {
                    pairs.push_back({s, t});
                }
            });
    }

    std::vector<triangle_list> lists;
    std::vector<CGAL::Bbox_3> bounds;
    std::vector<std::unique_ptr<tree>> trees;
    std::vector<primitive::Id> found;
};

} // namespace

extern "C" const peer_kind peer_cgal = {
    "CGAL, exact",  "vs_cgal",     "CGAL " CGAL_VERSION_STR, true, adaptor_create<cgal>,
    adaptor_update, adaptor_query, adaptor_destroy,
};
