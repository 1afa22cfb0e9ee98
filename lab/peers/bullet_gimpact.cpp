/*
 * Bullet's GImpact: its tree of boxes without quantisation (the quantised one of its mesh shape
 * keeps the range of the start, which moving bodies leave), refitted each step. It lists pairs of
 * triangles whose boxes overlap; whether they touch is up to triangle.hpp, since GImpact's own test
 * is for contact points and keeps few of them.
 */
#include <BulletCollision/Gimpact/btGImpactBvh.h>

#include <memory>

#include "bullet.hpp"
#include "triangle.hpp"

namespace
{

class manager : public btPrimitiveManagerBase
{
  public:
    explicit manager(const surface &of) : body(of)
    {
    }
    bool is_trimesh() const override
    {
        return true;
    }
    int get_primitive_count() const override
    {
        return int(body.triangle_count);
    }
    void get_primitive_box(int triangle, btAABB &bounds) const override
    {
        box found = box_of_triangle(body, uint32_t(triangle));
        bounds.m_min.setValue(found.lower[0], found.lower[1], found.lower[2]);
        bounds.m_max.setValue(found.upper[0], found.upper[1], found.upper[2]);
    }
    void get_primitive_triangle(int triangle, btPrimitiveTriangle &corners) const override
    {
        for (int k = 0; k < 3; k++) {
            const float *p = body.corner(uint32_t(triangle), k);
            corners.m_vertices[k].setValue(p[0], p[1], p[2]);
        }
        corners.m_margin = 0.0f;
    }

  private:
    const surface &body;
};

class bullet_gimpact : public adaptor
{
  public:
    explicit bullet_gimpact(const peer_scene &scene) : adaptor(scene)
    {
        for (const surface &body : bodies) {
            managers.push_back(std::make_unique<manager>(body));
            trees.push_back(std::make_unique<btGImpactBvh>(managers.back().get()));
            trees.back()->buildSet();
        }
    }

  protected:
    void update_trees() override
    {
        for (auto &tree : trees) {
            tree->update();
        }
    }

    bool may_touch(uint32_t a, uint32_t b) override
    {
        return trees[a]->getGlobalBox().has_collision(trees[b]->getGlobalBox());
    }

    void collide(uint32_t a, uint32_t b) override
    {
        candidates.resizeNoInitialize(0);
        btGImpactBvh::find_collision(trees[a].get(), btTransform::getIdentity(), trees[b].get(),
                                     btTransform::getIdentity(), candidates);
        for (int i = 0; i < candidates.size() && !has_enough(); i++) {
            auto s = uint32_t(candidates[i].m_index1), t = uint32_t(candidates[i].m_index2);
            if (a == b && (s >= t || bodies[a].share_a_vertex(s, t))) {
                continue;
            }
            if (triangles_touch(bodies[a], s, bodies[b], t)) {
                pairs.push_back({s, t});
            }
        }
    }

  private:
    std::vector<std::unique_ptr<manager>> managers;
    std::vector<std::unique_ptr<btGImpactBvh>> trees;
    btPairSet candidates;
};

} // namespace

extern "C" const peer_kind peer_bullet_gimpact = {
    "Bullet, GImpact", "vs_bullet_gimpact", peer_bullet,     true, adaptor_create<bullet_gimpact>,
    adaptor_update,    adaptor_query,       adaptor_destroy,
};
