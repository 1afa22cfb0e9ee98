/*
 * FCL: models whose vertices are replaced and whose trees are refitted from the leaves up. Three
 * ways to ask: the function users are told to call, which copies both models of boxes in every
 * call; its traversal called directly, which spares that; and that function with oriented boxes.
 * The function is taken as the package brings it, in double; the traversal is compiled here in
 * float32, which is faster. The triangle test is FCL's own.
 */
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/AABB.h>
#include <fcl/math/bv/OBB.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/detail/traversal/collision/mesh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>

#include <limits>
#include <memory>
#include <stdexcept>

#include "adaptor.hpp"

namespace
{

template <class BV> class fcl_adaptor : public adaptor
{
  public:
    using S = typename BV::S;
    using transform = fcl::Transform3<S>;

    explicit fcl_adaptor(const peer_scene &scene) : adaptor(scene)
    {
        for (const surface &body : bodies) {
            auto model = std::make_unique<fcl::BVHModel<BV>>();
            std::vector<fcl::Vector3<S>> vertices;
            std::vector<fcl::Triangle> triangles;
            for (uint32_t i = 0; i < body.vertex_count; i++) {
                vertices.push_back(vertex(body, i));
            }
            for (uint32_t i = 0; i < body.triangle_count; i++) {
                const uint32_t *corners = body.triangles + 3 * std::size_t(i);
                triangles.emplace_back(corners[0], corners[1], corners[2]);
            }
            model->beginModel(int(body.triangle_count), int(body.vertex_count));
            model->addSubModel(vertices, triangles);
            if (model->endModel() != fcl::BVH_OK) {
                throw std::runtime_error("FCL cannot make its model");
            }
            models.push_back(std::move(model));
        }
    }

  protected:
    void update_trees() override
    {
        for (std::size_t i = 0; i < models.size(); i++) {
            models[i]->beginReplaceModel();
            for (uint32_t k = 0; k < bodies[i].vertex_count; k++) {
                models[i]->replaceVertex(vertex(bodies[i], k));
            }
            models[i]->endReplaceModel(true, true);
        }
    }

    bool may_touch(uint32_t a, uint32_t b) override
    {
        return models[a]->getBV(0).bv.overlap(models[b]->getBV(0).bv);
    }

    fcl::CollisionRequest<S> request() const
    {
        return fcl::CollisionRequest<S>(
            first_only ? 1 : std::numeric_limits<std::size_t>::max() / 2, false);
    }

    void keep(const fcl::CollisionResult<S> &result, bool within)
    {
        for (std::size_t i = 0; i < result.numContacts(); i++) {
            const fcl::Contact<S> &contact = result.getContact(i);
            auto s = uint32_t(contact.b1), t = uint32_t(contact.b2);
            if (!within) {
                pairs.push_back({s, t});
            } else if (s != t && !bodies[0].share_a_vertex(s, t)) {
                pairs.push_back({std::min(s, t), std::max(s, t)});
            }
        }
    }

    std::vector<std::unique_ptr<fcl::BVHModel<BV>>> models;

  private:
    static fcl::Vector3<S> vertex(const surface &body, uint32_t i)
    {
        const float *p = body.positions + 3 * std::size_t(i);
        return fcl::Vector3<S>(S(p[0]), S(p[1]), S(p[2]));
    }
};

template <class BV> struct fcl_collide : fcl_adaptor<BV> {
    using fcl_adaptor<BV>::fcl_adaptor;

  protected:
    void collide(uint32_t a, uint32_t b) override
    {
        using transform = typename fcl_adaptor<BV>::transform;
        fcl::CollisionResult<typename BV::S> result;
        fcl::collide(this->models[a].get(), transform::Identity(), this->models[b].get(),
                     transform::Identity(), this->request(), result);
        this->keep(result, false);
    }
};

/* Within one body the pairs come unordered, and neighbours with them; both are sorted out after. */
struct fcl_direct : fcl_adaptor<fcl::AABB<float>> {
    using fcl_adaptor::fcl_adaptor;

  protected:
    void collide(uint32_t a, uint32_t b) override
    {
        fcl::CollisionResult<float> result;
        fcl::detail::MeshCollisionTraversalNode<fcl::AABB<float>> node;
        transform ta = transform::Identity(), tb = transform::Identity();
        fcl::detail::initialize(node, *models[a], ta, *models[b], tb, request(), result);
        if (a == b) {
            fcl::detail::selfCollide<float>(&node);
        } else {
            fcl::detail::collide<float>(&node);
        }
        keep(result, a == b);
    }
};

} // namespace

extern "C" const peer_kind peer_fcl_collide = {
    "FCL, collide()",
    "vs_fcl_collide",
    "FCL " FCL_VERSION,
    false,
    adaptor_create<fcl_collide<fcl::AABB<double>>>,
    adaptor_update,
    adaptor_query,
    adaptor_destroy,
};
extern "C" const peer_kind peer_fcl_direct = {
    "FCL, direct",  "vs_fcl_direct", "FCL " FCL_VERSION, true, adaptor_create<fcl_direct>,
    adaptor_update, adaptor_query,   adaptor_destroy,
};
extern "C" const peer_kind peer_fcl_obb = {
    "FCL, oriented, collide()",
    nullptr,
    "FCL " FCL_VERSION,
    false,
    adaptor_create<fcl_collide<fcl::OBB<double>>>,
    adaptor_update,
    adaptor_query,
    adaptor_destroy,
};
