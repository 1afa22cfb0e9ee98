#include "scene_player.h"

#include <stdlib.h>

gallery_scene *player_scene(const gallery_kind *kind, uint32_t triangles, uint32_t steps,
                            uint64_t seed)
{
    gallery_settings settings = {.triangles = triangles, .steps = steps, .seed = seed};
    gallery_scene *scene = gallery_create(kind, &settings);
    assert_non_null(scene);
    return scene;
}

float *allocate_positions(const gallery_scene *scene, uint32_t body)
{
    float *positions = malloc((size_t)scene->bodies[body].vertex_count * 3 * sizeof(float));
    assert_non_null(positions);
    return positions;
}

uint64_t hash_scene(const gallery_scene *scene)
{
    uint64_t hash = 0;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        const gallery_mesh *mesh = &scene->bodies[body];
        float *positions = allocate_positions(scene, body);
        for (uint32_t step = 0; step <= scene->steps; step += scene->steps / 4) {
            gallery_evaluate(scene, body, step, positions);
            hash = hash * 31 + gallery_hash(positions, (uint64_t)mesh->vertex_count * 12);
        }
        hash = hash * 31 + gallery_hash(mesh->triangles, (uint64_t)mesh->triangle_count * 12);
        free(positions);
    }
    return hash;
}

scene_player player_create(const gallery_scene *scene)
{
    scene_player player = {.scene = scene, .step = UINT32_MAX};
    assert_ok(pliant_context_create(NULL, &player.context));
    assert_ok(pliant_query_create(player.context, &player.query));
    player.bodies = calloc(scene->body_count, sizeof *player.bodies);
    assert_non_null(player.bodies);
    for (uint32_t i = 0; i < scene->body_count; i++) {
        player_body *own = &player.bodies[i];
        own->shape = fixture_shape(player.context, &scene->bodies[i], fixture_usual_tree);
        assert_ok(pliant_body_create(own->shape, NULL, &own->body));
        own->positions = allocate_positions(scene, i);
    }
    return player;
}

void player_destroy(scene_player *player)
{
    pliant_query_destroy(player->query);
    for (uint32_t i = 0; i < player->scene->body_count; i++) {
        pliant_body_destroy(player->bodies[i].body);
        pliant_shape_destroy(player->bodies[i].shape);
        free(player->bodies[i].positions);
    }
    free(player->bodies);
    pliant_context_destroy(player->context);
}

static void player_go_to(scene_player *player, uint32_t step)
{
    for (uint32_t i = 0; i < player->scene->body_count && step != player->step; i++) {
        player_body *own = &player->bodies[i];
        gallery_evaluate(player->scene, i, step, own->positions);
        assert_ok(pliant_body_share_positions(own->body, own->positions, 0));
    }
    player->step = step;
}

uint64_t player_count(scene_player *player, uint32_t step, uint32_t a, uint32_t b)
{
    pliant_contacts contacts;
    player_go_to(player, step);
    pliant_body *first = player->bodies[a].body, *second = player->bodies[b].body;
    assert_ok(a == b ? pliant_collide_self(player->query, first, NULL, &contacts)
                     : pliant_collide(player->query, first, second, NULL, &contacts));
    return contacts.count;
}

uint64_t count_pairs(const gallery_scene *scene, uint32_t step)
{
    scene_player player = player_create(scene);
    uint64_t count = player_count(&player, step, 0, scene->kind->self ? 0 : 1);
    player_destroy(&player);
    return count;
}
