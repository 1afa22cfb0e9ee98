/* What all adaptors share: where answers are gathered, and the C functions around a class. */
#ifndef BENCH_PEERS_ADAPTOR_HPP
#define BENCH_PEERS_ADAPTOR_HPP

#include <algorithm>
#include <exception>
#include <vector>

#include "peer.h"

/* Triangles and current positions of one body. */
struct surface {
    const uint32_t *triangles = nullptr;
    const float *positions = nullptr;
    uint32_t vertex_count = 0, triangle_count = 0;

    const float *corner(uint32_t triangle, int k) const
    {
        return positions + 3 * std::size_t(triangles[3 * std::size_t(triangle) + std::size_t(k)]);
    }
    /* Within one body neighbours are left out. */
    bool share_a_vertex(uint32_t s, uint32_t t) const
    {
        const uint32_t *p = triangles + 3 * std::size_t(s), *q = triangles + 3 * std::size_t(t);
        for (int i = 0; i < 3; i++) {
            if (p[i] == q[0] || p[i] == q[1] || p[i] == q[2]) {
                return true;
            }
        }
        return false;
    }
};

struct box {
    float lower[3], upper[3];
};

inline box box_of_triangle(const surface &body, uint32_t triangle)
{
    const float *p = body.corner(triangle, 0);
    const float *q = body.corner(triangle, 1);
    const float *r = body.corner(triangle, 2);
    box bounds;
    for (int k = 0; k < 3; k++) {
        bounds.lower[k] = std::min(p[k], std::min(q[k], r[k]));
        bounds.upper[k] = std::max(p[k], std::max(q[k], r[k]));
    }
    return bounds;
}

inline bool boxes_meet(const box &a, const box &b)
{
    return a.lower[0] <= b.upper[0] && b.lower[0] <= a.upper[0] && a.lower[1] <= b.upper[1] &&
           b.lower[1] <= a.upper[1] && a.lower[2] <= b.upper[2] && b.lower[2] <= a.upper[2];
}

class adaptor
{
  public:
    explicit adaptor(const peer_scene &scene) : bodies(scene.body_count), self(scene.self)
    {
        for (uint32_t i = 0; i < scene.body_count; i++) {
            bodies[i].triangles = scene.bodies[i].triangles;
            bodies[i].positions = scene.bodies[i].positions;
            bodies[i].vertex_count = scene.bodies[i].vertex_count;
            bodies[i].triangle_count = scene.bodies[i].triangle_count;
        }
    }
    virtual ~adaptor() = default;
    adaptor(const adaptor &) = delete;
    adaptor &operator=(const adaptor &) = delete;

    void update(const float *const *positions)
    {
        for (std::size_t i = 0; i < bodies.size(); i++) {
            bodies[i].positions = positions[i];
        }
        update_trees();
    }

    void query(bool first, peer_answer *answer)
    {
        pairs.clear();
        ranges.clear();
        first_only = first;
        if (self) {
            collide_range(0, 0);
        }
        for (uint32_t a = 0; !self && a < bodies.size(); a++) {
            for (uint32_t b = a + 1; b < bodies.size(); b++) {
                if (may_touch(a, b)) {
                    collide_range(a, b);
                }
            }
        }
        answer->pairs = pairs.data();
        answer->ranges = ranges.data();
        answer->range_count = uint32_t(ranges.size());
    }

  protected:
    virtual void update_trees() = 0;
    virtual bool may_touch(uint32_t a, uint32_t b) = 0; /* whether the boxes of two bodies meet */
    virtual void collide(uint32_t a, uint32_t b) = 0;   /* adds pairs */

    bool has_enough() const
    {
        return first_only && pairs.size() > first_of_range;
    }

    std::vector<surface> bodies;
    std::vector<pliant_pair> pairs;
    bool self, first_only = false;

  private:
    void collide_range(uint32_t a, uint32_t b)
    {
        first_of_range = pairs.size();
        collide(a, b);
        if (first_only && pairs.size() > first_of_range) {
            pairs.resize(first_of_range + 1);
        }
        if (pairs.size() > first_of_range) {
            ranges.push_back({a, b, first_of_range, pairs.size() - first_of_range});
        }
    }

    std::vector<peer_range> ranges;
    std::size_t first_of_range = 0;
};

/* No exception leaves an adaptor. */
template <class T> void *adaptor_create(const peer_scene *scene)
{
    try {
        return static_cast<adaptor *>(new T(*scene));
    } catch (const std::exception &) {
        return nullptr;
    }
}

inline bool adaptor_update(void *state, const float *const *positions)
{
    try {
        static_cast<adaptor *>(state)->update(positions);
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

inline bool adaptor_query(void *state, bool first_only, peer_answer *answer)
{
    try {
        static_cast<adaptor *>(state)->query(first_only, answer);
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

inline void adaptor_destroy(void *state)
{
    delete static_cast<adaptor *>(state);
}

#endif
