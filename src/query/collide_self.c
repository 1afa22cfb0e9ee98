/* Which triangles of one body touch each other. */
#include "collision.h"

#include "base/float_env.h"
#include "query/boxes.h"
#include "query/spheres.h"

/* A child against itself: each of its children with itself, and with those behind it. */
pliant_result pli_collide_self_task(pli_collision *collision, const pli_task *task)
{
    pliant_body *body = collision->body[0];
    void *found = NULL;
    pliant_result result = pli_collision_record(collision, 0, task, &found);
    if (result != PLIANT_OK || found == NULL) {
        return result;
    }
    if (task->child_a & PLI_CLUSTER_BIT) {
        pli_finish_cluster(body, task->child_a, found);
        pli_cluster_view view = pli_view_cluster(body, task->child_a, found);
        return pli_collide_clusters(collision, view, view);
    }
    pli_node_record *record = found;
    const pli_node *node = &body->shape->nodes[task->child_a];
    for (uint32_t i = 0; i < node->child_count; i++) {
        unsigned mask = pli_box_meets(&record->box, i, &record->box);
        for (mask &= ~0u << i & pli_child_lanes(node); mask != 0; mask &= mask - 1) {
            uint32_t j = (uint32_t)__builtin_ctz(mask);
            if (collision->spheres && !pli_spheres_meet(pli_record_spheres(record), i,
                                                        pli_record_spheres(record), j, 0.0)) {
                continue;
            }
            pli_task below = {record, record, node->child[i], node->child[j], i, j};
            result = pli_query_push(collision->query, &below);
            if (result != PLIANT_OK) {
                return result;
            }
        }
    }
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result collide_self(pliant_query *query, pliant_body *body,
                                               const pliant_collide_options *options,
                                               pliant_contacts *contacts)
{
    pli_collision collision;
    pliant_result result = pli_collision_begin(&collision, query, body, body, options);
    if (result == PLIANT_OK) {
        result = pli_collision_run(&collision);
    }
    return result == PLIANT_OK ? pli_collision_end(&collision, contacts) : result;
}

pliant_result pliant_collide_self(pliant_query *query, pliant_body *body,
                                  const pliant_collide_options *options, pliant_contacts *contacts)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(body);
    PLI_REQUIRE_TAG(options, pliant_collide_options);
    if (contacts == NULL && (options == NULL || options->callback == NULL)) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "pliant_collide_self: contacts is NULL, and there is "
                        "no callback");
    }
    pliant_result result = pli_collision_enter(query, body, body, options, __func__);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = collide_self(query, body, options, contacts);
        pli_float_env_leave(env);
        pli_collision_leave(query, body, body, options);
    }
    return result;
}
