/* Small good files, one per format: for tests that damage them, and as seeds for fuzzing. */
#ifndef PLIANT_TESTS_ASSET_SEEDS_H
#define PLIANT_TESTS_ASSET_SEEDS_H

#include "gltf_maker.h"

/* Members of glTF files that are written by hand. */
#define SQUARE                                                                                     \
    ",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"

#define ACCESSOR "\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\""

/* A skinned, morphing triangle with an animation, of which tests change one thing. */
typedef struct skinned_case {
    const float *positions, *weights, *binds, *times, *turns;
    const uint8_t *joints;
    const char *skin, *sampler, *targets;
} skinned_case;

extern const float square[9], plain_weights[12], plain_binds[32], plain_times[3], plain_turns[12];
extern const uint8_t plain_joints[12];

skinned_case plain_case(void);

/* Adds the data of a case and writes its JSON. */
void add_case(gltf_maker *maker, const skinned_case *made, byte_string *json);

/* The plain case as a GLB file. */
byte_string make_skinned(void);

typedef struct seed {
    const char *path;
    byte_string bytes;
} seed;

/* One seed per format, and a second PLY file. */
enum {
    SEEDS = 1
#define FORMAT(kind, ending, name, magic) +1
#include "../../libs/asset/formats.inl"
};

void make_seeds(seed seeds[SEEDS]);
void free_seeds(seed seeds[SEEDS]);

#endif
