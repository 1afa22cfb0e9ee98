/*
 * Pliant: for libraries beside the core, readers of files for example, and for bindings: what their
 * objects need to behave like those of the core. Programs need none of it. Another way to fill the
 * images of volumes is in pliant/backend.h.
 */
#ifndef PLIANT_EXTEND_H
#define PLIANT_EXTEND_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a copy of `sentence` what pliant_last_error() says on this thread, as far as 255 bytes go,
   and returns `result`, so that a call can end in it. */
PLIANT_API pliant_result pliant_fail(pliant_result result, const char *sentence);

/*
 * The first word of a definition or options struct. `magic` is a number of 16 bits that says which
 * struct it is, and is never used again; 0x504c to 0x50ff are those of Pliant itself. The struct
 * has less than 65536 bytes.
 */
#define PLIANT_TAG(magic, type) ((uint32_t)(magic) << 16 | (uint16_t)sizeof(type))

/* Stands before the body of a function that returns the defaults of a struct, with its tag, and
   makes of it what PLIANT_DEFAULT() declares. */
#define PLIANT_DEFINE_DEFAULT(type)                                                                \
    static type type##_ours(void);                                                                 \
    void type##_fill(size_t size, type *settings)                                                  \
    {                                                                                              \
        const type ours = type##_ours();                                                           \
        pliant_copy_settings(&ours, sizeof ours, size, settings);                                  \
    }                                                                                              \
    static type type##_ours(void)

/* Copies a struct that begins with a tag to one that a program takes for `size` bytes: no more than
   these, 0 where there is nothing to copy, and a tag with that size. NULL is ignored. */
PLIANT_API void pliant_copy_settings(const void *ours, size_t our_size, size_t size,
                                     void *settings);

/* Fails with PLIANT_ERROR_ARGUMENT and the usual sentence, which names `type` and both sizes, where
   a tag is not the one expected. Read nothing else of a struct before. */
PLIANT_API pliant_result pliant_check_tag(uint32_t given, uint32_t expected, const char *type);

/* Memory from the context's allocator, aligned to 64 bytes; NULL, with the sentence of
   PLIANT_ERROR_OUT_OF_MEMORY, if there is none. Any thread may ask. */
PLIANT_API void *pliant_context_allocate(pliant_context *context, size_t size);

/* Gives memory of pliant_context_allocate() back; `size` as given there. NULL is ignored. */
PLIANT_API void pliant_context_release(pliant_context *context, void *memory, size_t size);

/*
 * An array of elements of one size in a context's memory, aligned to 64 bytes. {0} is an empty one.
 * PLIANT_ARRAY() is the same for elements of a type, in C: functions take its member `array`.
 *
 *     PLIANT_ARRAY(float) weights = {0};
 *     pliant_context_reserve_array(context, 100, sizeof *weights.data, &weights.array)
 */
typedef struct pliant_array {
    void *data;
    size_t count;        /* elements in use; the owner counts them */
    size_t capacity;     /* elements that there is memory for */
    size_t element_size; /* bytes; set by the first call that reserves any */
} pliant_array;

#define PLIANT_ARRAY(type)                                                                         \
    union {                                                                                        \
        pliant_array array;                                                                        \
        struct {                                                                                   \
            type *data;                                                                            \
            size_t count, capacity;                                                                \
        };                                                                                         \
    }

/* Makes room for `capacity` elements and keeps the bytes of all earlier ones, counted or not.
   Growing at least doubles the memory. Returns false, with the sentence of the error, if memory
   runs out or the size overflows; the array is then as before. */
PLIANT_API bool pliant_context_reserve_array(pliant_context *context, size_t capacity,
                                             size_t element_size, pliant_array *array);

/* Gives the memory of an array back and leaves it empty. NULL is ignored. */
PLIANT_API void pliant_context_release_array(pliant_context *context, pliant_array *array);

/*
 * Calls task(user, i, worker) for each i below `count` and returns after the last call. The calls
 * run on the workers of the context, in the default floating-point environment. Calls at the same
 * time have different workers, below pliant_context_get_worker_count(). Threads of the context take
 * the lowest i that is left; the thread that calls this function is worker 0. Do not call it from a
 * task of the same context. Fails if the program's own scheduler breaks the contract of
 * pliant_scheduler.
 */
PLIANT_API pliant_result pliant_context_run(pliant_context *context, pliant_task task, void *user,
                                            uint32_t count);

/* A caller's floating-point environment. */
typedef struct pliant_float_env {
    uint64_t words[8];
} pliant_float_env;

/*
 * Saves the floating-point environment of this thread and sets the default one: round to nearest,
 * denormals kept, no traps. The code between enter and leave must be one call of a function marked
 * PLIANT_NOINLINE, because compilers may move arithmetic across both. NULL is ignored.
 */
PLIANT_API void pliant_float_env_enter(pliant_float_env *saved);

/* Restores the environment that pliant_float_env_enter() saved. NULL is ignored. */
PLIANT_API void pliant_float_env_leave(const pliant_float_env *saved);

#if defined(__GNUC__)
#define PLIANT_NOINLINE __attribute__((noinline))
#else
#define PLIANT_NOINLINE
#endif

/*
 * An object that keeps a pointer to the context begins to live: the context lives on until it
 * leaves. Every call that makes one begins with it, for it fails with PLIANT_ERROR_ARGUMENT where
 * the context was made by another copy of the core than the one that this library is linked with:
 * two copies in one program, one of them static for example, do not know each other's objects.
 */
PLIANT_API pliant_result pliant_context_join(pliant_context *context);

/* That object has ended. It is the very last thing that it does, since with its last user the
   context is gone. */
PLIANT_API void pliant_context_leave(pliant_context *context);

#ifdef __cplusplus
}
#endif

#endif
