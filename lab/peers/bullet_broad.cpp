/*
 * Bullet's broad phase over its dynamic trees (btDbvt): boxes have margins, and the pairs of boxes
 * with margins are kept from step to step. The pairs whose own boxes overlap are taken of these.
 */
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "box_peer.h"
#include "bullet.hpp"

namespace
{

btVector3 vector_of(const float point[3])
{
    return btVector3(point[0], point[1], point[2]);
}

struct bullet_broad {
    btDbvtBroadphase broad;
    std::vector<btBroadphaseProxy *> proxies;
    std::vector<uint64_t> pairs;
};

bool overlap(const btBroadphaseProxy *a, const btBroadphaseProxy *b)
{
    return TestAabbAgainstAabb2(a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax);
}

uint64_t slot_of(const btBroadphaseProxy *proxy)
{
    return reinterpret_cast<std::uintptr_t>(proxy->m_clientObject);
}

void *create(const pliant_box *boxes, uint32_t count)
{
    auto made = std::make_unique<bullet_broad>();
    for (uint32_t i = 0; i < count; i++) {
        made->proxies.push_back(
            made->broad.createProxy(vector_of(boxes[i].lower), vector_of(boxes[i].upper), 0,
                                    reinterpret_cast<void *>(std::uintptr_t(i)), 1, 1, nullptr));
    }
    made->broad.calculateOverlappingPairs(nullptr);
    made->broad.optimize();
    return made.release();
}

bool update(void *state, const pliant_box *boxes, const uint64_t **pairs, size_t *count)
{
    bullet_broad &own = *static_cast<bullet_broad *>(state);
    for (std::size_t i = 0; i < own.proxies.size(); i++) {
        own.broad.setAabb(own.proxies[i], vector_of(boxes[i].lower), vector_of(boxes[i].upper),
                          nullptr);
    }
    own.broad.calculateOverlappingPairs(nullptr);
    own.pairs.clear();
    const btBroadphasePairArray &kept =
        own.broad.getOverlappingPairCache()->getOverlappingPairArray();
    for (int i = 0; i < kept.size(); i++) {
        uint64_t a = slot_of(kept[i].m_pProxy0), b = slot_of(kept[i].m_pProxy1);
        if (overlap(kept[i].m_pProxy0, kept[i].m_pProxy1)) {
            own.pairs.push_back(a < b ? a << 32 | b : b << 32 | a);
        }
    }
    *pairs = own.pairs.data();
    *count = own.pairs.size();
    return true;
}

struct ray_counter : btBroadphaseRayCallback {
    btVector3 from;
    uint32_t count = 0;

    ray_counter(const btVector3 &begin, const btVector3 &end) : from(begin)
    {
        btVector3 way = end - begin;
        m_lambda_max = way.length();
        way.normalize();
        for (int i = 0; i < 3; i++) {
            m_rayDirectionInverse[i] = way[i] == 0 ? btScalar(BT_LARGE_FLOAT) : 1 / way[i];
            m_signs[i] = m_rayDirectionInverse[i] < 0;
        }
    }

    bool process(const btBroadphaseProxy *proxy) override
    {
        const btVector3 bounds[2] = {proxy->m_aabbMin, proxy->m_aabbMax};
        btScalar near = 0;
        count += btRayAabb2(from, m_rayDirectionInverse, m_signs, bounds, near, 0, m_lambda_max);
        return true;
    }
};

uint32_t ray(void *state, const float from[3], const float to[3])
{
    ray_counter counter(vector_of(from), vector_of(to));
    static_cast<bullet_broad *>(state)->broad.rayTest(vector_of(from), vector_of(to), counter);
    return counter.count;
}

struct box_counter : btBroadphaseAabbCallback {
    btVector3 lower, upper;
    uint32_t count = 0;

    explicit box_counter(const pliant_box &box)
        : lower(vector_of(box.lower)), upper(vector_of(box.upper))
    {
    }

    bool process(const btBroadphaseProxy *proxy) override
    {
        count += TestAabbAgainstAabb2(lower, upper, proxy->m_aabbMin, proxy->m_aabbMax);
        return true;
    }
};

uint32_t box(void *state, const pliant_box *wanted)
{
    box_counter counter(*wanted);
    static_cast<bullet_broad *>(state)->broad.aabbTest(counter.lower, counter.upper, counter);
    return counter.count;
}

void destroy(void *state)
{
    auto *own = static_cast<bullet_broad *>(state);
    for (btBroadphaseProxy *proxy : own->proxies) {
        own->broad.destroyProxy(proxy, nullptr);
    }
    delete own;
}

} // namespace

extern "C" const box_peer box_peer_bullet = {
    "Bullet, btDbvtBroadphase", peer_bullet, create, update, ray, box, destroy};
