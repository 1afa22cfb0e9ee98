/*
 * Pliant: base. Results, errors, memory and the context that every other object is created from.
 *
 * Conventions that hold for the whole interface:
 *   - Objects are made by filling a definition: `pliant_x_def def = pliant_x_def_default();`, then
 *     fields, then `pliant_x_create(context, &def, &x)`. Questions take options in the same way.
 *     Type and function go by one rule: pliant_T_default() returns a pliant_T.
 *   - Definitions and options begin with a tag, a word that says which struct it is and how large.
 *     One that did not come from its default function, or that the program knows by another size
 *     than the library, is refused with PLIANT_ERROR_ARGUMENT and a sentence that says so, before
 *     more of it is read.
 *   - Names: what is done with an object is `pliant_<noun>_<verb>`, the object first; what is asked
 *     through a query, or needs no object, is `pliant_<verb>...`, the query first. A getter is
 *     `pliant_<noun>_get_<what>`, a predicate `pliant_<noun>_is_<what>` and returns bool. Outputs
 *     come last. What is true of a whole library is a noun: pliant_version(), pliant_last_error().
 *   - NULL for a definition or options stands for the defaults; where these lack what the call
 *     needs, the positions of a mesh for example, it fails as with them. NULL instead of an object
 *     to destroy is ignored. A getter or predicate that returns its value gives 0, false or NULL
 *     for a NULL object, unless its comment says otherwise. Outputs that may be NULL say so. Any
 *     other NULL is PLIANT_ERROR_ARGUMENT; only the exact tests of triangle.h and moving.h check
 *     nothing.
 *   - Fallible calls return a pliant_result. When it is not PLIANT_OK nothing has changed: outputs
 *     are untouched and every object still answers as before (exceptions say so where they occur).
 *   - Arrays are pointer, count, stride in bytes. A stride of 0 means tightly packed.
 *   - What you create you destroy, once, in any order. An object keeps what it needs: a body its
 *     shape, a pose its asset, a volume its backend, all of them their context. These live on until
 *     their last user is gone; a scene lets a dying body go. Builds of the library of CMake type
 *     Debug abort instead, with a sentence that names the object and its users, since an order that
 *     is not the reverse of creation often is a mistake.
 *   - Your code that a call runs, a filter or a callback, may use other objects, and may read those
 *     that the call is about. What would change these fails with PLIANT_ERROR_STATE; if they are
 *     destroyed, they go when the call ends.
 *   - The library never prints (but for that sentence of Debug builds), never exits, and keeps no
 *     global state except the text behind pliant_last_error(), which each thread has for itself.
 *   - Denormal flushing and rounding modes of the caller do not matter: every call computes in the
 *     default floating-point environment and restores the caller's.
 *   - In optimised builds, calls of the core library need no more than 128 KiB of stack, whatever
 *     the mesh, besides what the caller's own functions take (allocator, scheduler, callbacks) and
 *     OpenGL's driver.
 */
#ifndef PLIANT_BASE_H
#define PLIANT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(PLIANT_SHARED)
#ifdef PLIANT_BUILDING
#define PLIANT_API __declspec(dllexport)
#else
#define PLIANT_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define PLIANT_API __attribute__((visibility("default")))
#else
#define PLIANT_API
#endif

/*
 * Declares pliant_T_default(), which returns a pliant_T, for each definition or options struct T.
 * It is compiled into the program, so that the tag has the size that the program knows, and the
 * library fills in no more than that, through pliant_T_fill(size, settings): it can tell a program
 * that was compiled for another version. Bindings call the latter.
 */
#define PLIANT_DEFAULT(type)                                                                       \
    PLIANT_API void type##_fill(size_t size, type *settings);                                      \
    static inline type type##_default(void)                                                        \
    {                                                                                              \
        type settings;                                                                             \
        type##_fill(sizeof settings, &settings);                                                   \
        return settings;                                                                           \
    }

#define PLIANT_VERSION_MAJOR 0
#define PLIANT_VERSION_MINOR 1
#define PLIANT_VERSION_PATCH 0

/* The version of these headers as one number, which grows from version to version, and as text. */
#define PLIANT_VERSION                                                                             \
    (PLIANT_VERSION_MAJOR * 10000 + PLIANT_VERSION_MINOR * 100 + PLIANT_VERSION_PATCH)
#define PLIANT_VERSION_TEXT "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended. The sentence behind pliant_last_error() names the offender. */
typedef enum pliant_result {
    PLIANT_OK = 0,
    PLIANT_ERROR_ARGUMENT,      /* a null pointer, a struct without its tag, a contradiction */
    PLIANT_ERROR_RANGE,         /* an index or a setting outside its range */
    PLIANT_ERROR_NOT_FINITE,    /* NaN or infinity where a number is needed */
    PLIANT_ERROR_TOO_LARGE,     /* counts whose sizes overflow or pass a documented limit */
    PLIANT_ERROR_OUT_OF_MEMORY, /* the allocator returned NULL */
    PLIANT_ERROR_DATA,          /* a shape block that is truncated, altered or of another version */
    PLIANT_ERROR_STATE          /* the body has no valid state until positions are set again; or
                                   a call about the object is under way */
} pliant_result;

/* The name of a result, "PLIANT_OK" for example. Never NULL. */
PLIANT_API const char *pliant_result_get_name(pliant_result result);

/*
 * One English sentence about the calling thread's latest failed call, for example
 * "triangle 17 uses vertex 4012 of 4000". Empty before the first failure. The text stays valid
 * until the same thread's next failed call.
 */
PLIANT_API const char *pliant_last_error(void);

/* The library that is running, which may differ from the header: its version and the instruction
   sets it has kernels for, best first, and what the baseline is: "0.1.0 (avx512 avx2 baseline=sse2
   plain)". Never NULL. */
PLIANT_API const char *pliant_version(void);

/*
 * Where memory comes from. Both functions may be called from any thread that uses the context.
 * `alignment` is a power of two and at most 64. allocate() returns NULL when there is no memory;
 * the call that asked then fails with PLIANT_ERROR_OUT_OF_MEMORY and leaks nothing. They must be
 * usable until the context and all objects made from it have been destroyed.
 */
typedef struct pliant_allocator {
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *memory, size_t size, size_t alignment);
    void *user;
} pliant_allocator;

/* Instruction sets that the hot loops exist for. Answers and statistics do not depend on the
 * choice. */
typedef enum pliant_isa {
    PLIANT_ISA_BEST = 0, /* the best one that the running machine has */
    PLIANT_ISA_PLAIN,    /* plain C */
    PLIANT_ISA_BASELINE, /* 128 bits, which every machine of the target has: SSE2 on x86, NEON on
                            aarch64, SIMD128 in WebAssembly compiled for it; elsewhere plain C */
    PLIANT_ISA_AVX2,
    PLIANT_ISA_AVX512 /* F, VL, BW, DQ, VBMI, VBMI2: Ice Lake, Zen 4 and later */
} pliant_isa;

/* "plain", "baseline", "avx2" or "avx512". Never NULL. */
PLIANT_API const char *pliant_isa_get_name(pliant_isa isa);

/* One piece of work: piece number `index` of `argument`, run by worker number `worker`. */
typedef void (*pliant_task)(void *argument, uint32_t index, uint32_t worker);

/*
 * Your own job system. run() must call task(argument, i, worker) once for every i below `count`, on
 * any threads and in any order, and return when all calls have returned. Calls that run at the same
 * time must get different worker numbers, all below `worker_count`. It may be called from any
 * thread that uses the context, but never from within a task. If it passes a number that is out of
 * range, a piece twice or a worker twice at the same time, or leaves a piece out, the call that
 * needed it fails with a sentence that says so; of arrays that are filled piece by piece
 * (pliant_volume_locate_points()) some entries may have been written. Like the allocator it must be
 * usable until the last object is gone.
 */
typedef struct pliant_scheduler {
    void (*run)(void *user, pliant_task task, void *argument, uint32_t count);
    void *user;
    uint32_t worker_count; /* 1 to 256 */
} pliant_scheduler;

/* How much a sentence of the log matters. */
typedef enum pliant_log_level {
    PLIANT_LOG_INFO = 0, /* a choice that the library made: another broad phase, more memory */
    PLIANT_LOG_WARNING   /* an answer that is not all of it, an odd mesh, a recording that ended */
} pliant_log_level;

/*
 * Who is told what no result says: a budget that was spent, a broad phase that was switched, an
 * array that grew to a mebibyte or more, a shape with degenerate or duplicate triangles, an
 * instruction set that is not there, a recording that was given up. A sentence comes when such a
 * thing happens, never per body or pair of a call that has nothing to report. log() may be called
 * from any thread that uses the context, the context's workers included, by several at a time, and
 * in the middle of a call: it must not call the library about objects of this context. The sentence
 * lives until it returns.
 */
typedef struct pliant_logger {
    void (*log)(void *user, pliant_log_level level, const char *sentence); /* NULL: nobody */
    void *user;
} pliant_logger;

/* What a call is busy with. Questions that a scene asks of single bodies have the stages of a query
   within those of the scene. */
typedef enum pliant_stage {
    PLIANT_STAGE_SCENE_BOUNDS = 0, /* of bodies in a new state */
    PLIANT_STAGE_SCENE_BROAD,      /* which boxes of bodies meet */
    PLIANT_STAGE_SCENE_FILTER,     /* categories, masks, the caller's filter */
    PLIANT_STAGE_SCENE_NARROW,     /* pairs of bodies are compared */
    PLIANT_STAGE_SCENE_COLLECT,    /* what the workers found is brought together */
    PLIANT_STAGE_SCENE_SORT,       /* and put in order */
    PLIANT_STAGE_QUERY_UPDATE,     /* the eager part of the update */
    PLIANT_STAGE_QUERY_TRAVERSE,   /* the walk, with refreshes on demand and triangle tests */
    PLIANT_STAGE_QUERY_SORT,
    PLIANT_STAGE_VOLUME_IMAGE, /* boxes and layered depth images */
    PLIANT_STAGE_VOLUME_QUERY, /* what follows from them */
    PLIANT_STAGE_SHAPE_MESH,   /* checking, copying, welding */
    PLIANT_STAGE_SHAPE_TREE,
    PLIANT_STAGE_SHAPE_LAYOUT, /* the block without a model */
    PLIANT_STAGE_SHAPE_MODEL   /* coefficients and skin blocks */
} pliant_stage;

/* The name of a stage, "scene narrow" for example, which lives forever. Never NULL. */
PLIANT_API const char *pliant_stage_get_name(pliant_stage stage);

/* The worker of a stage as a whole, on the thread that called the library. */
#define PLIANT_NO_WORKER UINT32_MAX

/*
 * Told when stages begin and end, for profilers. Calls on one thread are strictly nested, and every
 * stage that began ends, on failure too. A stage is announced on the calling thread, with worker
 * PLIANT_NO_WORKER; where workers share it, each share once more, with the worker's number, on the
 * thread that does it. They must not call the library about objects of this context. Both or none
 * of the two are set.
 */
typedef struct pliant_stage_hooks {
    void (*begin)(void *user, pliant_stage stage, uint32_t worker);
    void (*end)(void *user, pliant_stage stage, uint32_t worker);
    void *user;
} pliant_stage_hooks;

/* What a context is made of. */
typedef struct pliant_context_def {
    uint32_t tag;               /* set by pliant_context_def_default() */
    pliant_allocator allocator; /* default: the C library's */
    pliant_isa isa;             /* at most this instruction set; default PLIANT_ISA_BEST */
    uint32_t workers;           /* threads for scenes, the caller's included, 1 to 256; default 1.
                                   They sleep between calls; where calls come less than half a
                                   millisecond apart they stay awake, for up to a millisecond. A
                                   build without threads does their work on the caller's */
    pliant_scheduler scheduler; /* if run is set, used instead of threads of our own */
    pliant_logger logger;       /* default: nobody is told */
    pliant_stage_hooks hooks;   /* default: none */
} pliant_context_def;

/* Carries what all objects share: the allocator and the pool of pages that bodies draw from. */
typedef struct pliant_context pliant_context;

PLIANT_DEFAULT(pliant_context_def)

/* Creates a context; `def` may be NULL for the defaults. */
PLIANT_API pliant_result pliant_context_create(const pliant_context_def *def,
                                               pliant_context **context);

/* Destroys a context. It is not to be used any more, but objects made from it are, as before: its
   memory and its threads go with the last of them. NULL is ignored. */
PLIANT_API void pliant_context_destroy(pliant_context *context);

/* How many workers scenes of the context use. */
PLIANT_API uint32_t pliant_context_get_worker_count(const pliant_context *context);

/* The instruction set that objects of the context use: never PLIANT_ISA_BEST. */
PLIANT_API pliant_isa pliant_context_get_isa(const pliant_context *context);

/* Bytes the context holds by itself: its pool of pages that no body uses at the moment. */
PLIANT_API uint64_t pliant_context_get_memory(const pliant_context *context);

#ifdef __cplusplus
}
#endif

#endif
