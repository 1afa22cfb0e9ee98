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
