/*
 * Plays every clip of a file at 30 frames a second and says which of its bodies touch.
 *
 *     files FILE...      "cloth.####.ply" names a numbered sequence
 */
#include <pliant/asset.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_BODIES = 64 };

/* What is made of a file: body number i of the asset is bodies[i]. */
typedef struct file_player {
    pliant_asset *asset;
    pliant_asset_pose *pose;
    pliant_shape *shapes[MAX_BODIES];
    pliant_body *bodies[MAX_BODIES];
    uint32_t shape_count, body_count;
} file_player;

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s\n", pliant_last_error());
        exit(EXIT_FAILURE);
    }
}

/* One shape for each of the file, one body for each of the file: several may share a shape. */
static void open_files(pliant_context *context, const char *const *paths, uint32_t count,
                       file_player *player)
{
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = paths;
    def.path_count = count;
    check(pliant_asset_load(context, &def, &player->asset));
    check(pliant_asset_pose_create(player->asset, &player->pose));
    const pliant_asset_counts counts = pliant_asset_get_counts(player->asset);
    if (counts.shapes > MAX_BODIES || counts.bodies > MAX_BODIES) {
        fprintf(stderr, "more than %d bodies\n", MAX_BODIES);
        exit(EXIT_FAILURE);
    }
    for (uint32_t i = 0; i < counts.shapes; i++) {
        pliant_shape_def shape;
        check(pliant_asset_get_shape_def(player->asset, i, &shape));
        check(pliant_shape_create(context, &shape, &player->shapes[player->shape_count++]));
    }
    for (uint32_t i = 0; i < counts.bodies; i++) {
        const pliant_asset_body *body = pliant_asset_get_body(player->asset, i);
        check(pliant_body_create(player->shapes[body->shape], NULL,
                                 &player->bodies[player->body_count++]));
    }
}

/* One moment of a clip: sets the states of all bodies, then asks about every two of them. */
static void play_moment(const file_player *player, pliant_query *query, uint32_t clip, double time)
{
    check(pliant_asset_pose_sample(player->pose, clip, time));
    bool hidden[MAX_BODIES];
    for (uint32_t i = 0; i < player->body_count; i++) {
        hidden[i] = pliant_asset_pose_get_state(player->pose, i).hidden; /* scaled to nothing */
        if (!hidden[i]) {
            check(pliant_asset_pose_apply(player->pose, i, player->bodies[i]));
        }
    }
    for (uint32_t i = 0; i < player->body_count; i++) {
        for (uint32_t j = i + 1; j < player->body_count && !hidden[i]; j++) {
            pliant_contacts found = {.count = 0};
            if (!hidden[j]) {
                check(pliant_collide(query, player->bodies[i], player->bodies[j], NULL, &found));
            }
            if (found.count > 0) {
                printf("%.3f s: %s and %s touch in %llu pairs\n", time,
                       pliant_asset_get_body(player->asset, i)->name,
                       pliant_asset_get_body(player->asset, j)->name,
                       (unsigned long long)found.count);
            }
        }
    }
}

static void play_clips(const file_player *player, pliant_query *query)
{
    const uint32_t clips = pliant_asset_get_counts(player->asset).clips;
    for (uint32_t clip = 0; clip < clips; clip++) {
        const pliant_asset_clip *about = pliant_asset_get_clip(player->asset, clip);
        printf("clip %s\n", about->name);
        for (int frame = 0; frame <= (int)(about->duration * 30.0 + 0.5); frame++) {
            play_moment(player, query, clip, frame / 30.0);
        }
    }
    if (clips == 0) {
        play_moment(player, query, PLIANT_ASSET_REST, 0.0);
    }
}

static void close_files(file_player *player)
{
    for (uint32_t i = 0; i < player->body_count; i++) {
        pliant_body_destroy(player->bodies[i]);
    }
    for (uint32_t i = 0; i < player->shape_count; i++) {
        pliant_shape_destroy(player->shapes[i]);
    }
    pliant_asset_pose_destroy(player->pose);
    pliant_asset_destroy(player->asset);
}

int main(int argument_count, char **arguments)
{
    pliant_context *context = NULL;
    pliant_query *query = NULL;
    file_player player = {.asset = NULL};
    check(pliant_context_create(NULL, &context));
    check(pliant_query_create(context, &query));
    open_files(context, (const char *const *)arguments + 1, (uint32_t)argument_count - 1, &player);
    play_clips(&player, query);
    close_files(&player);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    return 0;
}
