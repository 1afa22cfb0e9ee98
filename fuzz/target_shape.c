/* Fuzzing of the shape block's reader: reads the bytes as they are, and once more with a checksum
   that fits them, and asks everything about the shape if there is one. */
#include "shape/shape.h"
#include "shape_exercise.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_and_use(pliant_context *context, const void *data, size_t size)
{
    pliant_shape *shape = NULL;
    if (pliant_shape_read(context, data, size, &shape) == PLIANT_OK &&
        !shape_exercise(context, shape, (pliant_update)(size / 64 % (PLIANT_UPDATE_FRONT + 1)))) {
        abort();
    }
    pliant_shape_destroy(shape);
}

static void read_sealed(pliant_context *context, const uint8_t *data, size_t size)
{
    if (size < sizeof(pli_block_header) || size % PLI_ALIGNMENT != 0) {
        return;
    }
    pli_block_header *copy = aligned_alloc(PLI_ALIGNMENT, size);
    if (copy != NULL) {
        memcpy(copy, data, size);
        copy->size = size;
        pli_block_seal(copy);
        read_and_use(context, copy, size);
        free(copy);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pliant_context *context = NULL;
    if (pliant_context_create(NULL, &context) == PLIANT_OK) {
        read_and_use(context, data, size);
        read_sealed(context, data, size);
    }
    pliant_context_destroy(context);
    return 0;
}
