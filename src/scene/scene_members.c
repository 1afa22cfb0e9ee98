/* Scenes: finding members, and what is known of them. */
#include "scene.h"

#include <string.h>

pli_member *pli_scene_find_member(const pliant_scene *scene, pliant_body_id id)
{
    if (id.index >= scene->slot_count) {
        return NULL;
    }
    pli_member *member = &scene->members.data[id.index];
    return member->body != NULL && member->generation == id.generation ? member : NULL;
}

pli_member *pli_scene_member(const pliant_scene *scene, pliant_body_id id)
{
    pli_member *member = pli_scene_find_member(scene, id);
    if (member == NULL) {
        pli_fail(PLIANT_ERROR_RANGE, "no body %u of generation %u is in the scene", id.index,
                 id.generation);
    }
    return member;
}

pliant_body_id pli_scene_id(const pliant_scene *scene, uint32_t slot)
{
    return (pliant_body_id){slot, scene->members.data[slot].generation};
}

/* ---------------------------------------------------------------- groups */

/* Groups are numbers of 16 bits: a set that has room for more says nothing with it. */
static uint32_t most_groups(const pliant_groups *groups)
{
    return groups->count < UINT16_MAX + 1u ? groups->count : UINT16_MAX + 1u;
}

/* Words of the copy; one more than needed, so that an empty set has a copy too. */
static size_t groups_size(const pliant_groups *groups)
{
    return (most_groups(groups) / 64 + 1) * sizeof *groups->bits;
}

void pli_scene_release_groups(const pliant_scene *scene, pli_member *member)
{
    pliant_groups *groups = &member->def.groups;
    if (groups->bits != NULL) {
        pli_release(scene->context, (void *)groups->bits, groups_size(groups));
        groups->bits = NULL;
    }
}

pliant_result pli_scene_define_member(const pliant_scene *scene, pli_member *member,
                                      const pliant_member_def *def)
{
    uint64_t *bits = NULL;
    pliant_member_def copy = *def;
    if (def->groups.bits != NULL) {
        copy.groups.count = most_groups(&def->groups);
        bits = pli_allocate(scene->context, groups_size(&copy.groups));
        if (bits == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        memcpy(bits, def->groups.bits, (copy.groups.count + 63) / 64 * sizeof *bits);
        copy.groups.bits = bits;
    }
    pli_scene_release_groups(scene, member); /* only now: they may be what was copied */
    member->def = copy;
    return PLIANT_OK;
}

/* --------------------------------------------------------------- finding */

pliant_body *pliant_scene_get_body(const pliant_scene *scene, pliant_body_id id)
{
    const pli_member *member = scene != NULL ? pli_scene_find_member(scene, id) : NULL;
    return member != NULL ? member->body : NULL;
}

pliant_result pliant_scene_get_member(const pliant_scene *scene, pliant_body_id id,
                                      pliant_member_def *def)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(def);
    const pli_member *member = pli_scene_member(scene, id);
    if (member == NULL) {
        return PLIANT_ERROR_RANGE;
    }
    *def = member->def;
    return PLIANT_OK;
}

void *pliant_scene_get_user(const pliant_scene *scene, pliant_body_id id)
{
    const pli_member *member = scene != NULL ? pli_scene_find_member(scene, id) : NULL;
    return member != NULL ? member->def.user : NULL;
}

bool pliant_scene_find_id(const pliant_scene *scene, const pliant_body *body, pliant_body_id *id)
{
    if (scene == NULL || body == NULL || id == NULL || body->host != &scene->host) {
        return false;
    }
    *id = (pliant_body_id){body->slot, scene->members.data[body->slot].generation};
    return true;
}

bool pliant_scene_find_next(const pliant_scene *scene, pliant_body_id *id)
{
    if (scene == NULL || id == NULL) {
        return false;
    }
    for (uint64_t i = id->generation == 0 ? 0 : (uint64_t)id->index + 1; i < scene->slot_count;
         i++) {
        const pli_member *member = &scene->members.data[i];
        if (member->body != NULL) {
            *id = (pliant_body_id){(uint32_t)i, member->generation};
            return true;
        }
    }
    return false;
}

uint32_t pliant_scene_get_body_count(const pliant_scene *scene)
{
    return scene != NULL ? scene->member_count : 0;
}
