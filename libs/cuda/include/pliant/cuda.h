/*
 * Pliant: the same pairs on a GPU, in a library of its own (libpliant_cuda). Shapes and states go
 * to the device, or lie there already; the contacts of a scene are found there, and stay there
 * unless they are asked for. The answer is that of definition D3 and D4: the same list as the
 * processor's, pair by pair, in the same order.
 *
 * It pays where bodies are large or many and positions are on the device anyway: what takes the
 * processor less than about a tenth of a millisecond takes the device longer, and copying positions
 * to it costs more than the question.
 *
 * One thread at a time may use a device and what was made with it.
 */
#ifndef PLIANT_CUDA_H
#define PLIANT_CUDA_H

#include "pliant/query.h"
#include "pliant/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who does the work. */
typedef enum pliant_cuda_kind {
    PLIANT_CUDA_GPU = 0, /* a GPU, by CUDA */
    /* The processor plays the device, one lane after the other: for tests, and to develop on
       machines without a GPU. Its pointers are the program's own. */
    PLIANT_CUDA_EMULATED
} pliant_cuda_kind;

typedef struct pliant_cuda_def {
    uint32_t tag;          /* set by pliant_cuda_def_default() */
    pliant_cuda_kind kind; /* default PLIANT_CUDA_GPU */
    int32_t device;        /* CUDA's number of the GPU; default 0 */
    void *stream; /* cudaStream_t that everything is done on, yours; NULL (the default): one
                     of its own. Kernels of yours on the same stream come before and after
                     without waiting */
} pliant_cuda_def;

PLIANT_DEFAULT(pliant_cuda_def)

/* A device. */
typedef struct pliant_cuda pliant_cuda;

/* Opens a device; `def` may be NULL for the defaults. Fails with PLIANT_ERROR_STATE where there is
   no such GPU, or the library was built without CUDA. */
PLIANT_API pliant_result pliant_cuda_create(pliant_context *context, const pliant_cuda_def *def,
                                            pliant_cuda **cuda);

/* Destroys a device. Scenes that use it keep it until they are destroyed. NULL is ignored. */
PLIANT_API void pliant_cuda_destroy(pliant_cuda *cuda);

/* What the device is called: "NVIDIA H200" or "emulated". */
PLIANT_API const char *pliant_cuda_get_name(const pliant_cuda *cuda);

/* The version of this library and whether it was built with CUDA: "0.1.0 (cuda emulator)" or "0.1.0
   (emulator)". Never NULL. */
PLIANT_API const char *pliant_cuda_version(void);

/* Bodies on a device. */
typedef struct pliant_cuda_scene pliant_cuda_scene;

PLIANT_API pliant_result pliant_cuda_scene_create(pliant_cuda *cuda, pliant_cuda_scene **scene);

/* Destroys a scene, its bodies and the contacts of its latest answer. NULL is ignored. */
PLIANT_API void pliant_cuda_scene_destroy(pliant_cuda_scene *scene);

/*
 * Adds a body in the rest state of its shape, which is brought to the device once for all bodies of
 * it; `def` may be NULL for the defaults. Bodies are numbered from 0 in the order in which they
 * come. The scene keeps the shape. Proxies and loose boxes are refused, and so is the shape of a
 * torn body.
 */
PLIANT_API pliant_result pliant_cuda_scene_add(pliant_cuda_scene *scene, const pliant_shape *shape,
                                               const pliant_member_def *def, uint32_t *body);

PLIANT_API uint32_t pliant_cuda_scene_get_body_count(const pliant_cuda_scene *scene);

/* Where the numbers of a state lie. */
typedef enum pliant_cuda_memory {
    PLIANT_CUDA_HOST = 0, /* in the program's memory: they are checked and copied */
    /* On the device: they are borrowed, and read by each question until they are set again.
       Strides are multiples of 4 bytes. What is not finite is found by the question that reads it;
       it fails, and answers again once the numbers are. */
    PLIANT_CUDA_DEVICE
} pliant_cuda_memory;

/*
 * Sets the state of a body, as pliant_body_set_state() does: what is NULL stays as it is. If it
 * fails, nothing has changed. Positions are refused for shapes with modes or influences.
 */
PLIANT_API pliant_result pliant_cuda_scene_set_state(pliant_cuda_scene *scene, uint32_t body,
                                                     const pliant_state *state,
                                                     pliant_cuda_memory memory);

/* Triangle a of body_a touches triangle b of body_b. Four numbers of 32 bits: an array of contacts
   is a table of `count` rows and four columns to whoever takes DLPack's tensors. */
typedef struct pliant_cuda_contact {
    uint32_t body_a, body_b; /* body_a <= body_b */
    uint32_t a, b;           /* a < b within one body */
} pliant_cuda_contact;

/* The answer. The array belongs to the scene and lives until its next question. */
typedef struct pliant_cuda_contacts {
    const pliant_cuda_contact *on_device; /* ascending by bodies, then by triangles; NULL if none */
    uint64_t count;
} pliant_cuda_contacts;

/*
 * Which triangles touch: of every two bodies that category and mask let through, and of each body
 * with itself that was added with `self`, as pliant_collide() and pliant_collide_self() have it.
 * With PLIANT_COLLIDE_FIRST the lowest pair of every two bodies that touch, and no other.
 * Of `options`, NULL for the defaults, mode, neighbours and groups count; segments, separations,
 * budgets and callbacks are refused. Moving bodies and features cannot be asked about on a device
 * yet.
 *
 * When the call returns, the count is known. The contacts are on the device for all that is done on
 * pliant_cuda_def.stream behind the call; where the stream is the library's own, for everybody.
 * Queues that turn out too small grow, and the step is run again: no answer is cut short. Without
 * memory for that the call fails with PLIANT_ERROR_OUT_OF_MEMORY and the scene is as before.
 */
PLIANT_API pliant_result pliant_cuda_scene_collide(pliant_cuda_scene *scene,
                                                   const pliant_collide_options *options,
                                                   pliant_cuda_contacts *contacts);

/* The contacts of the latest answer, copied to the program's memory; `contacts` has room for
   `capacity` of them, which must be enough. */
PLIANT_API pliant_result pliant_cuda_scene_copy_contacts(pliant_cuda_scene *scene,
                                                         pliant_cuda_contact *contacts,
                                                         uint64_t capacity);

/* What the latest answer took. Counts are those of its last run. */
typedef struct pliant_cuda_stats {
    uint64_t body_pairs;    /* bodies compared */
    uint64_t octet_pairs;   /* octets: eight clusters in a row, whose boxes meet */
    uint64_t cluster_pairs; /* clusters whose boxes meet */
    uint64_t clusters_evaluated;
    uint64_t triangle_tests;  /* pairs of triangles looked at */
    uint64_t undecided;       /* of these, by floating-point arithmetic */
    uint64_t left_to_host;    /* of these, by whole numbers of 128 bits on the device */
    uint64_t contacts;        /* pairs found */
    uint64_t runs;            /* 1, and one more for each time that queues had to grow */
    uint64_t sorts_by_digits; /* 1 where contacts lay so close together that they were sorted so */
    uint64_t device_bytes;    /* held on the device by the scene */
} pliant_cuda_stats;

PLIANT_API pliant_result pliant_cuda_scene_get_stats(const pliant_cuda_scene *scene,
                                                     pliant_cuda_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
