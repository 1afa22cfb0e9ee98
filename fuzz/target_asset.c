/* Fuzzing of a file reader: loads the bytes as a file named FUZZ_FILE, samples and collides. */
#include "asset_exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pliant_context *context = NULL;
    if (pliant_context_create(NULL, &context) == PLIANT_OK) {
        exercise_bytes(context, FUZZ_FILE, data, size);
    }
    pliant_context_destroy(context);
    return 0;
}
