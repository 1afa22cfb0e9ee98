/*
 * Embree 3, rtcIntersect1(): a dynamic scene with one triangle geometry per body, whose tree is
 * refitted to new positions, as Embree's documentation says for bodies that deform. It has no
 * threads here, as we are measured with one.
 */
#include <embree3/rtcore.h>

#include <cmath>
#include <vector>

#include "ray_peer.h"

namespace
{

struct embree_rays {
    RTCDevice device;
    RTCScene scene;
    std::vector<RTCGeometry> geometries;
};

RTCGeometry make_geometry(RTCDevice device, const peer_body &body)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                               body.positions, 0, 3 * sizeof(float), body.vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, body.triangles,
                               0, 3 * sizeof(uint32_t), body.triangle_count);
    rtcCommitGeometry(geometry);
    return geometry;
}

void *create(const peer_body *bodies, uint32_t count)
{
    auto *self = new embree_rays;
    self->device = rtcNewDevice("threads=1,set_affinity=0");
    self->scene = rtcNewScene(self->device);
    rtcSetSceneFlags(self->scene, RTC_SCENE_FLAG_DYNAMIC);
    rtcSetSceneBuildQuality(self->scene, RTC_BUILD_QUALITY_LOW); /* or trees are built anew */
    for (uint32_t i = 0; i < count; i++) {
        self->geometries.push_back(make_geometry(self->device, bodies[i]));
        rtcAttachGeometryByID(self->scene, self->geometries.back(), i);
    }
    rtcCommitScene(self->scene);
    return self;
}

void update(void *state)
{
    auto *self = static_cast<embree_rays *>(state);
    for (RTCGeometry geometry : self->geometries) {
        rtcUpdateGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0);
        rtcCommitGeometry(geometry);
    }
    rtcCommitScene(self->scene);
}

double cast(void *state, const pliant_ray *ray, uint32_t *body)
{
    auto *self = static_cast<embree_rays *>(state);
    RTCRayHit hit = {};
    hit.ray.org_x = ray->origin[0];
    hit.ray.org_y = ray->origin[1];
    hit.ray.org_z = ray->origin[2];
    hit.ray.dir_x = ray->direction[0];
    hit.ray.dir_y = ray->direction[1];
    hit.ray.dir_z = ray->direction[2];
    hit.ray.tfar = ray->t_max;
    hit.ray.mask = ~0u;
    hit.hit.geomID = hit.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(self->scene, &context, &hit);
    *body = hit.hit.geomID;
    bool met = hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    return met ? static_cast<double>(hit.ray.tfar) : static_cast<double>(INFINITY);
}

void destroy(void *state)
{
    auto *self = static_cast<embree_rays *>(state);
    for (RTCGeometry geometry : self->geometries) {
        rtcReleaseGeometry(geometry);
    }
    rtcReleaseScene(self->scene);
    rtcReleaseDevice(self->device);
    delete self;
}

} // namespace

extern "C" const ray_peer ray_peer_embree = {"Embree: evaluate, refit, trace", create, update, cast,
                                             destroy};
