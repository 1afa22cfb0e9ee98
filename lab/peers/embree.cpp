/*
 * Embree 3, rtcCollide(): a scene of one user geometry per body, as in Embree's own sample of
 * collision detection. Embree calls back with pairs of triangles whose boxes overlap; whether they
 * touch is up to the user: triangle.hpp. The call cannot be ended early, so for a first contact the
 * callback merely stops testing. Embree's leaves hold several triangles and their pairs come
 * unsorted: comparing boxes first is worth while.
 */
#include <embree3/rtcore.h>

#include <stdexcept>

#include "triangle.hpp"

namespace
{

class embree : public adaptor
{
  public:
    embree(const peer_scene &scene, RTCBuildQuality quality)
        : adaptor(scene), device(rtcNewDevice("threads=1,set_affinity=0"))
    {
        for (surface &body : bodies) {
            RTCScene tree = rtcNewScene(device);
            RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
            rtcSetSceneFlags(tree, RTC_SCENE_FLAG_DYNAMIC);
            rtcSetSceneBuildQuality(tree, RTC_BUILD_QUALITY_LOW);
            rtcSetGeometryBuildQuality(geometry, quality);
            rtcSetGeometryUserPrimitiveCount(geometry, body.triangle_count);
            rtcSetGeometryUserData(geometry, &body);
            rtcSetGeometryBoundsFunction(geometry, bound, nullptr);
            rtcCommitGeometry(geometry);
            rtcAttachGeometry(tree, geometry);
            rtcCommitScene(tree);
            trees.push_back(tree);
            geometries.push_back(geometry);
        }
        if (rtcGetDeviceError(device) != RTC_ERROR_NONE) {
            throw std::runtime_error("Embree cannot make its scenes");
        }
    }

    ~embree() override
    {
        for (std::size_t i = 0; i < trees.size(); i++) {
            rtcReleaseGeometry(geometries[i]);
            rtcReleaseScene(trees[i]);
        }
        rtcReleaseDevice(device);
    }

  protected:
    void update_trees() override
    {
        for (std::size_t i = 0; i < trees.size(); i++) {
            rtcCommitGeometry(geometries[i]);
            rtcCommitScene(trees[i]);
        }
    }

    bool may_touch(uint32_t a, uint32_t b) override
    {
        RTCBounds p, q;
        rtcGetSceneBounds(trees[a], &p);
        rtcGetSceneBounds(trees[b], &q);
        return p.lower_x <= q.upper_x && q.lower_x <= p.upper_x && p.lower_y <= q.upper_y &&
               q.lower_y <= p.upper_y && p.lower_z <= q.upper_z && q.lower_z <= p.upper_z;
    }

    void collide(uint32_t a, uint32_t b) override
    {
        first = &bodies[a];
        second = &bodies[b];
        rtcCollide(trees[a], trees[b], a == b ? test_within : test, this);
    }

  private:
    static void bound(const RTCBoundsFunctionArguments *arguments)
    {
        const surface &body = *static_cast<const surface *>(arguments->geometryUserPtr);
        box bounds = box_of_triangle(body, arguments->primID);
        arguments->bounds_o->lower_x = bounds.lower[0];
        arguments->bounds_o->lower_y = bounds.lower[1];
        arguments->bounds_o->lower_z = bounds.lower[2];
        arguments->bounds_o->upper_x = bounds.upper[0];
        arguments->bounds_o->upper_y = bounds.upper[1];
        arguments->bounds_o->upper_z = bounds.upper[2];
    }

    static bool boxes_overlap(const surface &a, uint32_t i, const surface &b, uint32_t j)
    {
        return boxes_meet(box_of_triangle(a, i), box_of_triangle(b, j));
    }

    static void test(void *user, RTCCollision *candidates, unsigned count)
    {
        embree &own = *static_cast<embree *>(user);
        for (unsigned i = 0; i < count && !own.has_enough(); i++) {
            uint32_t s = candidates[i].primID0, t = candidates[i].primID1;
            if (boxes_overlap(*own.first, s, *own.second, t) &&
                triangles_touch(*own.first, s, *own.second, t)) {
                own.pairs.push_back({s, t});
            }
        }
    }

    /* A tree against itself: every pair comes twice, and each triangle with itself. */
    static void test_within(void *user, RTCCollision *candidates, unsigned count)
    {
        embree &own = *static_cast<embree *>(user);
        for (unsigned i = 0; i < count && !own.has_enough(); i++) {
            uint32_t s = candidates[i].primID0, t = candidates[i].primID1;
            if (s < t && boxes_overlap(*own.first, s, *own.first, t) &&
                !own.first->share_a_vertex(s, t) && triangles_touch(*own.first, s, *own.first, t)) {
                own.pairs.push_back({s, t});
            }
        }
    }

    RTCDevice device;
    std::vector<RTCScene> trees;
    std::vector<RTCGeometry> geometries;
    const surface *first = nullptr, *second = nullptr;
};

struct embree_refit : embree {
    explicit embree_refit(const peer_scene &scene) : embree(scene, RTC_BUILD_QUALITY_REFIT)
    {
    }
};

struct embree_low : embree {
    explicit embree_low(const peer_scene &scene) : embree(scene, RTC_BUILD_QUALITY_LOW)
    {
    }
};

} // namespace

extern "C" const peer_kind peer_embree_refit = {
    "Embree, refit",
    "vs_embree_refit",
    "Embree " RTC_VERSION_STRING,
    true,
    adaptor_create<embree_refit>,
    adaptor_update,
    adaptor_query,
    adaptor_destroy,
};
extern "C" const peer_kind peer_embree_low = {
    "Embree, rebuilt",
    "vs_embree_low",
    "Embree " RTC_VERSION_STRING,
    true,
    adaptor_create<embree_low>,
    adaptor_update,
    adaptor_query,
    adaptor_destroy,
};
