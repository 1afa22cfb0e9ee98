/*
 * Bullet's dynamic tree of boxes, a triangle per leaf. The tree is optimised once from the top
 * down; each step all leaves get their boxes and all others are merged from the leaves up, which is
 * cheaper than moving leaves about when all of them move. Whether triangles touch is up to the
 * user: triangle.hpp.
 */
#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include <memory>

#include "bullet.hpp"
#include "triangle.hpp"

namespace
{

struct tree {
    btDbvt dbvt;
    std::vector<btDbvtNode *> leaves; /* by triangle */
    std::vector<btDbvtNode *> inner;  /* children before their parents */
};

btDbvtVolume volume_of(const surface &body, uint32_t triangle)
{
    box bounds = box_of_triangle(body, triangle);
    return btDbvtVolume::FromMM(btVector3(bounds.lower[0], bounds.lower[1], bounds.lower[2]),
                                btVector3(bounds.upper[0], bounds.upper[1], bounds.upper[2]));
}

class bullet_dbvt : public adaptor
{
  public:
    explicit bullet_dbvt(const peer_scene &scene) : adaptor(scene)
    {
        for (const surface &body : bodies) {
            trees.push_back(std::make_unique<tree>());
            tree &made = *trees.back();
            for (uint32_t i = 0; i < body.triangle_count; i++) {
                btDbvtNode *leaf = made.dbvt.insert(volume_of(body, i), nullptr);
                leaf->dataAsInt = int(i);
                made.leaves.push_back(leaf);
            }
            made.dbvt.optimizeTopDown();
            list_inner(made);
        }
    }

  protected:
    void update_trees() override
    {
        for (std::size_t i = 0; i < trees.size(); i++) {
            for (uint32_t k = 0; k < bodies[i].triangle_count; k++) {
                trees[i]->leaves[k]->volume = volume_of(bodies[i], k);
            }
            for (btDbvtNode *node : trees[i]->inner) {
                Merge(node->childs[0]->volume, node->childs[1]->volume, node->volume);
            }
        }
    }

    bool may_touch(uint32_t a, uint32_t b) override
    {
        return Intersect(trees[a]->dbvt.m_root->volume, trees[b]->dbvt.m_root->volume);
    }

    void collide(uint32_t a, uint32_t b) override
    {
        policy test(*this, bodies[a], bodies[b], a == b);
        trees[a]->dbvt.collideTT(trees[a]->dbvt.m_root, trees[b]->dbvt.m_root, test);
    }

  private:
    struct policy : btDbvt::ICollide {
        policy(bullet_dbvt &owner, const surface &a, const surface &b, bool is_within)
            : own(owner), first(a), second(b), within(is_within)
        {
        }
        void Process(const btDbvtNode *a, const btDbvtNode *b)
        {
            auto s = uint32_t(a->dataAsInt), t = uint32_t(b->dataAsInt);
            if (own.has_enough() || (within && first.share_a_vertex(s, t))) {
                return;
            }
            if (triangles_touch(first, s, second, t)) {
                own.pairs.push_back(within && s > t ? pliant_pair{t, s} : pliant_pair{s, t});
            }
        }
        bullet_dbvt &own;
        const surface &first, &second;
        bool within;
    };

    static void list_inner(tree &made)
    {
        std::vector<btDbvtNode *> open{made.dbvt.m_root};
        while (!open.empty()) {
            btDbvtNode *node = open.back();
            open.pop_back();
            if (node->isinternal()) {
                made.inner.push_back(node);
                open.push_back(node->childs[0]);
                open.push_back(node->childs[1]);
            }
        }
        std::reverse(made.inner.begin(), made.inner.end());
    }

    std::vector<std::unique_ptr<tree>> trees;
};

} // namespace

extern "C" const peer_kind peer_bullet_dbvt = {
    "Bullet, btDbvt", "vs_bullet_dbvt", peer_bullet,     true, adaptor_create<bullet_dbvt>,
    adaptor_update,   adaptor_query,    adaptor_destroy,
};
