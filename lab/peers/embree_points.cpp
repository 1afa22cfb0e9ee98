/*
 * Embree 3, rtcPointQuery(): a scene of one user geometry, as in Embree's own sample of closest
 * points. Embree calls back with triangles whose boxes are near enough; how far they are is up to
 * the user, here in float32 by Ericson's regions, as in that sample. It has no sides.
 */
#include <embree3/rtcore.h>

#include <cmath>
#include <vector>

#include "point_peer.h"

namespace
{

struct vec {
    float x, y, z;
};

vec operator-(vec a, vec b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

vec along(vec a, float t, vec d)
{
    return {a.x + t * d.x, a.y + t * d.y, a.z + t * d.z};
}

float dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

vec closest_point(vec p, vec a, vec b, vec c)
{
    vec ab = b - a, ac = c - a, ap = p - a;
    float d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) {
        return a;
    }
    vec bp = p - b;
    float d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) {
        return b;
    }
    vec cp = p - c;
    float d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) {
        return c;
    }
    float vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        return along(a, d1 / (d1 - d3), ab);
    }
    float vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        return along(a, d2 / (d2 - d6), ac);
    }
    float va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        return along(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), c - b);
    }
    float scale = 1 / (va + vb + vc);
    return along(along(a, vb * scale, ab), vc * scale, ac);
}

struct embree_points {
    std::vector<vec> positions;
    std::vector<uint32_t> triangles;
    RTCDevice device;
    RTCScene scene;
};

void bound(const RTCBoundsFunctionArguments *args)
{
    const auto *self = static_cast<const embree_points *>(args->geometryUserPtr);
    const uint32_t *t = self->triangles.data() + 3 * static_cast<std::size_t>(args->primID);
    vec a = self->positions[t[0]], b = self->positions[t[1]], c = self->positions[t[2]];
    args->bounds_o->lower_x = std::fmin(a.x, std::fmin(b.x, c.x));
    args->bounds_o->lower_y = std::fmin(a.y, std::fmin(b.y, c.y));
    args->bounds_o->lower_z = std::fmin(a.z, std::fmin(b.z, c.z));
    args->bounds_o->upper_x = std::fmax(a.x, std::fmax(b.x, c.x));
    args->bounds_o->upper_y = std::fmax(a.y, std::fmax(b.y, c.y));
    args->bounds_o->upper_z = std::fmax(a.z, std::fmax(b.z, c.z));
}

struct asked {
    const embree_points *self;
    float distance;
};

bool consider(RTCPointQueryFunctionArguments *args)
{
    auto *answer = static_cast<asked *>(args->userPtr);
    const embree_points *self = answer->self;
    const uint32_t *t = self->triangles.data() + 3 * static_cast<std::size_t>(args->primID);
    vec p = {args->query->x, args->query->y, args->query->z};
    vec c = closest_point(p, self->positions[t[0]], self->positions[t[1]], self->positions[t[2]]);
    float distance = std::sqrt(dot(p - c, p - c));
    if (distance < answer->distance) {
        answer->distance = args->query->radius = distance;
        return true;
    }
    return false;
}

void *create(const peer_body *body)
{
    auto *self = new embree_points;
    const float *p = body->positions;
    for (uint32_t i = 0; i < body->vertex_count; i++, p += 3) {
        self->positions.push_back({p[0], p[1], p[2]});
    }
    self->triangles.assign(body->triangles, body->triangles + 3 * body->triangle_count);
    self->device = rtcNewDevice("threads=1,set_affinity=0");
    self->scene = rtcNewScene(self->device);
    RTCGeometry geometry = rtcNewGeometry(self->device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, body->triangle_count);
    rtcSetGeometryUserData(geometry, self);
    rtcSetGeometryBoundsFunction(geometry, bound, nullptr);
    rtcSetGeometryPointQueryFunction(geometry, consider);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(self->scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(self->scene);
    return self;
}

double distance(void *state, const float point[3])
{
    auto *self = static_cast<embree_points *>(state);
    asked answer = {self, INFINITY};
    RTCPointQuery query = {point[0], point[1], point[2], 0.0f, INFINITY};
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(self->scene, &query, &context, nullptr, &answer);
    return static_cast<double>(answer.distance);
}

void destroy(void *state)
{
    auto *self = static_cast<embree_points *>(state);
    rtcReleaseScene(self->scene);
    rtcReleaseDevice(self->device);
    delete self;
}

} // namespace

extern "C" const point_peer point_peer_embree = {
    "Embree, rtcPointQuery, no side", "vs_embree", false, 1, create, distance, destroy};
