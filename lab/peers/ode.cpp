/*
 * ODE with OPCODE: triangle meshes whose trees are refitted, and dCollide() for every two bodies.
 * ODE answers with contact points, at most 65,535 per call and several or none per pair of
 * triangles; the triangles of its contacts are taken as pairs. What it leaves out or adds shows as
 * differences.
 */
#include <ode/ode.h>
#include <ode/version.h>

#include <cmath>
#include <cstdarg>

#include "adaptor.hpp"

namespace
{

/* ODE prints a line for every contact that its tables have no room for. */
void ignore_message(int, const char *, va_list)
{
}

class ode : public adaptor
{
  public:
    explicit ode(const peer_scene &scene)
        : adaptor(scene), copies(bodies.size()), bounds(bodies.size()), contacts(65535)
    {
        dInitODE2(0);
        dSetMessageHandler(ignore_message);
        dAllocateODEDataForThread(dAllocateMaskAll);
        for (std::size_t i = 0; i < bodies.size(); i++) {
            const surface &body = bodies[i];
            copies[i].assign(body.positions, body.positions + 3 * std::size_t(body.vertex_count));
            dTriMeshDataID data = dGeomTriMeshDataCreate();
            dGeomTriMeshDataBuildSingle(data, copies[i].data(), 3 * sizeof(float),
                                        int(body.vertex_count), body.triangles,
                                        int(3 * body.triangle_count), 3 * sizeof(uint32_t));
            meshes.push_back(data);
            geometries.push_back(dCreateTriMesh(nullptr, data, nullptr, nullptr, nullptr));
        }
    }

    ~ode() override
    {
        for (std::size_t i = 0; i < meshes.size(); i++) {
            dGeomDestroy(geometries[i]);
            dGeomTriMeshDataDestroy(meshes[i]);
        }
        dCloseODE();
    }

  protected:
    void update_trees() override
    {
        for (std::size_t i = 0; i < meshes.size(); i++) {
            bounds[i] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
            for (std::size_t k = 0; k < copies[i].size(); k++) {
                float x = bodies[i].positions[k];
                copies[i][k] = x;
                bounds[i].lower[k % 3] = std::min(bounds[i].lower[k % 3], x);
                bounds[i].upper[k % 3] = std::max(bounds[i].upper[k % 3], x);
            }
            dGeomTriMeshDataUpdate(meshes[i]);
        }
    }

    /* A geometry's own box stays that of the start. */
    bool may_touch(uint32_t a, uint32_t b) override
    {
        return boxes_meet(bounds[a], bounds[b]);
    }

    void collide(uint32_t a, uint32_t b) override
    {
        int count = dCollide(geometries[a], geometries[b], first_only ? 1 : int(contacts.size()),
                             contacts.data(), sizeof contacts[0]);
        for (int i = 0; i < count; i++) {
            const dContactGeom &contact = contacts[std::size_t(i)];
            bool swapped = contact.g1 != geometries[a];
            auto s = uint32_t(swapped ? contact.side2 : contact.side1);
            auto t = uint32_t(swapped ? contact.side1 : contact.side2);
            pairs.push_back({s, t});
        }
    }

  private:
    std::vector<std::vector<float>> copies;
    std::vector<box> bounds;
    std::vector<dContactGeom> contacts;
    std::vector<dTriMeshDataID> meshes;
    std::vector<dGeomID> geometries;
};

} // namespace

extern "C" const peer_kind peer_ode = {
    "ODE, OPCODE",       "vs_ode",       "ODE " dODE_VERSION, false,
    adaptor_create<ode>, adaptor_update, adaptor_query,       adaptor_destroy,
};
