/* The inside of libpliant_cuda on the processor's side. */
#ifndef PLI_CUDA_LIBRARY_H
#define PLI_CUDA_LIBRARY_H

#include "pliant/cuda.h"
#include "pliant/extend.h"
#include "pliant/view.h"

#include "device.h"

enum { PLI_MAGIC_pliant_cuda_def = 0x5080 };

struct pliant_cuda {
    pliant_context *context;
    pli_cuda_device *device;
    uint64_t users; /* scenes, and the caller until he destroys it */
};

/* An array on the device. */
typedef struct pli_cuda_array {
    void *data;
    size_t size;    /* bytes */
    bool is_shared; /* the processor reads it where it lies */
} pli_cuda_array;

/* Eight clusters of a shape whose vertices follow from a state (pli_cuda_lazy). */
typedef struct pli_cuda_octet {
    uint32_t first_mode, mode_count; /* of `octet_modes` */
    uint64_t first_bound;            /* of `bounds` */
} pli_cuda_octet;

/* What a shape takes on the device: one array, whose parts `shape` points to. */
typedef struct pli_cuda_upload {
    const pliant_shape *of;
    pli_cuda_array data;
    pli_cuda_array self;  /* the pli_cuda_shape itself, */
    pli_cuda_shape shape; /* which is this */
    pli_cuda_array fans;  /* kernel_fans.h; once they were asked for */
    PLIANT_ARRAY(pli_cuda_octet) octets;
    const float *bounds; /* on the device, as those of pli_cuda_shape */
    const uint32_t *octet_modes;
    pliant_shape_view view;
    uint64_t units; /* of vertices that all its clusters take */
    bool has_welds; /* of vertices with each other */
} pli_cuda_upload;

/* A body of a scene. */
typedef struct pli_cuda_member {
    pliant_body *body;    /* in the state that came from the program, if one did; keeps the shape */
    uint32_t shape;       /* of the scene's uploads */
    pli_cuda_body device; /* as the device has it, but for the place of its clusters */
    pli_cuda_array positions, state, groups; /* what was copied there */
    bool is_free;                            /* it is given by positions */
} pli_cuda_member;

/* The arrays of a scene that do not grow with the answer. */
typedef enum pli_cuda_table {
    PLI_CUDA_TABLE_BODIES,
    PLI_CUDA_TABLE_SITES,
    PLI_CUDA_TABLE_FREE,
    PLI_CUDA_TABLE_LAZY,
    PLI_CUDA_TABLE_BODY_BOXES,
    PLI_CUDA_TABLE_OCTET_BOXES,
    PLI_CUDA_TABLE_BOXES,
    PLI_CUDA_TABLE_MARKS,
    PLI_CUDA_TABLE_COUNTERS,
    PLI_CUDA_TABLE_ORDER,
    PLI_CUDA_TABLE_NAMES,  /* with fans */
    PLI_CUDA_TABLE_GROUPS, /* those asked for */
    PLI_CUDA_TABLES
} pli_cuda_table;

/* Arrays that go with queues besides their own. */
typedef enum pli_cuda_store {
    PLI_CUDA_STORE_BASES = PLI_CUDA_QUEUES,
    PLI_CUDA_STORE_SCATTERED,
    PLI_CUDA_STORE_SORTED,
    PLI_CUDA_STORE_FIRST,
    PLI_CUDA_STORE_BUCKETS, /* from here on of no fixed size per entry */
    PLI_CUDA_STORE_DIGITS,
    PLI_CUDA_STORES
} pli_cuda_store;

struct pliant_cuda_scene {
    pliant_cuda *cuda;
    pliant_context *context;
    PLIANT_ARRAY(pli_cuda_member) members;
    PLIANT_ARRAY(pli_cuda_upload) uploads;
    bool is_laid_out;   /* tables are those of the members */
    bool bodies_change; /* the device's bodies are not those of the members */
    bool needs_reset;   /* no step has left the device as the next one needs it */
    bool has_answer;
    bool expects_few;                              /* contacts, as the question before had */
    uint32_t most_triangles;                       /* of a body */
    bool has_self, has_free_self, has_welded_self; /* bodies asked about themselves; such that are
                                                      given by positions, or have welded vertices */
    bool has_groups;                               /* bodies of which not all groups take part */
    uint64_t capacity[PLI_CUDA_QUEUES];
    pli_cuda_array table[PLI_CUDA_TABLES], store[PLI_CUDA_STORES];
    pli_cuda_array report; /* counters, and whether they were told */
    pli_cuda_step step;
    pliant_cuda_stats stats;
    PLIANT_ARRAY(pli_cuda_key) keys; /* of what the device left to the processor and touches */
    uint32_t sweep_from; /* bodies from which they are paired by sorting; tests lower it */
    bool forces_exact;   /* for tests */
};

/* memory.c ------------------------------------------------------------------------------------ */

/* count * size, or SIZE_MAX where that is too much for anyone. */
size_t pli_cuda_bytes(uint64_t count, size_t size);

/* An array of the device in place of another, which goes; if that fails, with an error, the other
   stays. Enough is left as it is. */
pliant_result pli_cuda_replace(pliant_cuda *cuda, pli_cuda_array *array, size_t size);
void pli_cuda_release(pliant_cuda *cuda, pli_cuda_array *array);

/* Copies; errors are the device's. */
pliant_result pli_cuda_upload_bytes(pliant_cuda *cuda, void *to, const void *from, size_t size);
pliant_result pli_cuda_download_bytes(pliant_cuda *cuda, void *to, const void *from, size_t size);

/* A formatted error. */
pliant_result pli_cuda_fail(pliant_result result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* cuda.c -------------------------------------------------------------------------------------- */

void pli_cuda_leave(pliant_cuda *cuda);

/* shape.c ------------------------------------------------------------------------------------- */

/* Brings a shape to the device. */
pliant_result pli_cuda_upload_shape(pliant_cuda *cuda, const pliant_shape *shape,
                                    pli_cuda_upload *upload);
void pli_cuda_upload_release(pliant_cuda *cuda, pli_cuda_upload *upload);

/* fans.c -------------------------------------------------------------------------------------- */

/* Brings the fans of a shape's vertices to the device, if they are not there. */
pliant_result pli_cuda_upload_fans(pliant_cuda *cuda, pli_cuda_upload *upload);

/* layout.c ------------------------------------------------------------------------------------ */

/* Makes tables for the members as they are, and brings changed bodies to the device. */
pliant_result pli_cuda_lay_out(pliant_cuda_scene *scene);

/* What the scene holds there. */
uint64_t pli_cuda_held_bytes(const pliant_cuda_scene *scene);

/* queues.c ------------------------------------------------------------------------------------ */

/* Makes queues at least as long as asked for; if that fails, none is shorter than before. */
pliant_result pli_cuda_reserve(pliant_cuda_scene *scene, const uint64_t wanted[PLI_CUDA_QUEUES]);

/* Where nobody asked for more: how long queues are at first. */
void pli_cuda_first_capacity(const pliant_cuda_scene *scene, uint64_t wanted[PLI_CUDA_QUEUES]);

/* order.c ------------------------------------------------------------------------------------- */

/* Sorts the first `count` keys of step->touching by their digits in a set, bit d being digit d
   (kernel_sort.h). */
pliant_result pli_cuda_sort_by_digits(pliant_cuda_scene *scene, uint64_t count, uint32_t digits);

/* The digits that contacts of the scene differ in. */
uint32_t pli_cuda_contact_digits(const pliant_cuda_scene *scene);

/* host.c -------------------------------------------------------------------------------------- */

/*
 * Decides what the device left open, and brings what touches there: behind the keys that are in
 * step->touching, or with FIRST to the least of each pair of bodies, and sorts again.
 * counters[PLI_CUDA_TOUCHING] becomes what is to be sorted, or would be if there were room: then
 * nothing was brought.
 */
pliant_result pli_cuda_decide_open(pliant_cuda_scene *scene, uint64_t *counters);

/* collide.c ----------------------------------------------------------------------------------- */

/* Begins kernels on a step. */
pliant_result pli_cuda_begin(pliant_cuda_scene *scene, const pli_cuda_kernel *kernels,
                             uint32_t count, const pli_cuda_step *step);

/* The same for kernels with `scatter` among them; returns with what that reports. */
pliant_result pli_cuda_count(pliant_cuda_scene *scene, const pli_cuda_kernel *kernels,
                             uint32_t count, const pli_cuda_step *step, uint64_t *counters);

#endif
