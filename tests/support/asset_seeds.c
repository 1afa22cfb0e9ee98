#include "asset_seeds.h"

#include <stdio.h>
#include <string.h>

const float square[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
const float plain_weights[12] = {1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0, 1, 0, 0};
const float plain_binds[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                               1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
const float plain_times[3] = {0, 1, 2};
const float plain_turns[12] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1};
const uint8_t plain_joints[12] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};

skinned_case plain_case(void)
{
    return (skinned_case){square,
                          plain_weights,
                          plain_binds,
                          plain_times,
                          plain_turns,
                          plain_joints,
                          "{\"joints\":[1,2],\"inverseBindMatrices\":3}",
                          "{\"input\":4,\"output\":5}",
                          "[{\"POSITION\":0}]"};
}

void add_case(gltf_maker *maker, const skinned_case *made, byte_string *json)
{
    gltf_add(maker, "VEC3", GLTF_F32, 3, made->positions);
    gltf_add(maker, "VEC4", GLTF_U8, 3, made->joints);
    gltf_add(maker, "VEC4", GLTF_F32, 3, made->weights);
    gltf_add(maker, "MAT4", GLTF_F32, 2, made->binds);
    gltf_add(maker, "SCALAR", GLTF_F32, 3, made->times);
    gltf_add(maker, "VEC4", GLTF_F32, 3, made->turns);
    char members[1200];
    snprintf(members, sizeof members,
             ",\"nodes\":[{\"mesh\":0,\"skin\":0},{\"children\":[2]},{\"translation\":[0,1,0]}],"
             "\"skins\":[%s],\"meshes\":[{\"weights\":[0.5],\"primitives\":[{\"attributes\":{"
             "\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},\"targets\":%s}]}],"
             "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":"
             "\"rotation\"}}],\"samplers\":[%s]}]",
             made->skin, made->targets, made->sampler);
    *json = gltf_json(maker, members);
}

byte_string make_skinned(void)
{
    gltf_maker maker = {0};
    byte_string json;
    skinned_case made = plain_case();
    add_case(&maker, &made, &json);
    byte_string glb = make_glb((const char *)json.at, &maker.bin);
    bytes_free(&json);
    gltf_free(&maker);
    return glb;
}

static byte_string text_seed(const char *text)
{
    byte_string bytes = {0};
    bytes_add(&bytes, text, strlen(text));
    return bytes;
}

void make_seeds(seed seeds[SEEDS])
{
    byte_string pc2 = {0}, mdd = {0}, ply = {0};
    bytes_add(&pc2, "POINTCACHE2", 12);
    const uint32_t head[] = {1, 3, 0, 0x3f800000, 2};
    bytes_add_u32(&pc2, head, 5);
    bytes_add_u32_big(&mdd, 2);
    bytes_add_u32_big(&mdd, 3);
    bytes_add_float_big(&mdd, 0.0f);
    bytes_add_float_big(&mdd, 0.5f);
    bytes_add_text(&ply, "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\n"
                         "property float y\nproperty float z\nelement face 2\nproperty list uchar "
                         "int vertex_indices\nend_header\n");
    for (int frame = 0; frame < 2; frame++) {
        bytes_add_floats(&pc2, square, 9);
        for (int i = 0; i < 9; i++) {
            bytes_add_float_big(&mdd, square[i]);
        }
    }
    for (int i = 0; i < 9; i++) {
        bytes_add_float_big(&ply, square[i]);
    }
    const uint8_t faces[] = {3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2,
                             3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0};
    bytes_add_u8(&ply, faces, sizeof faces);
    const seed made[SEEDS] = {
        {"s.obj", text_seed("o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv .5 1e0 -2\nusemtl m\nf 1//1 2/1 3\n"
                            "o b\nf -1 -2 -3 -4\n")},
        {"s.ply", ply},
        {"t.ply", text_seed("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty "
                            "float y\nproperty float z\nelement face 1\nproperty list uchar int "
                            "vertex_index\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")},
        {"s.off", text_seed("OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 1 2 3 255\n")},
        {"s.pc2", pc2},
        {"s.mdd", mdd},
        {"s.glb", make_skinned()},
        {"s.gltf",
         text_seed("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":"
                   "\"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],"
                   "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{" ACCESSOR
                   ",\"count\":3,\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":0,"
                   "\"componentType\":5121},\"values\":{\"bufferView\":0}}}]" SQUARE "}")},
    };
    memcpy(seeds, made, sizeof made);
}

void free_seeds(seed seeds[SEEDS])
{
    for (int i = 0; i < SEEDS; i++) {
        bytes_free(&seeds[i].bytes);
    }
}
