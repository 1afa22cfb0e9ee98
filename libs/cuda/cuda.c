/* Devices. */
#include "library.h"

#include "emulator.h"
#ifdef PLI_CUDA_HAS_GPU
#include "gpu.h"
#endif

PLIANT_DEFINE_DEFAULT(pliant_cuda_def)
{
    return (pliant_cuda_def){
        .tag = PLIANT_TAG(PLI_MAGIC_pliant_cuda_def, pliant_cuda_def),
    };
}

const char *pliant_cuda_version(void)
{
#ifdef PLI_CUDA_HAS_GPU
    return PLIANT_VERSION_TEXT " (cuda emulator)";
#else
    return PLIANT_VERSION_TEXT " (emulator)";
#endif
}

static pliant_result open_device(const pliant_cuda_def *def, pli_cuda_device **device)
{
    switch (def->kind) {
    case PLIANT_CUDA_EMULATED:
        *device = pli_cuda_emulate();
        return *device != NULL ? PLIANT_OK
                               : pliant_fail(PLIANT_ERROR_OUT_OF_MEMORY,
                                             "there is no memory for an emulated device");
    case PLIANT_CUDA_GPU:
#ifdef PLI_CUDA_HAS_GPU
        return pli_cuda_open_gpu(def->device, def->stream, device);
#else
        return pliant_fail(PLIANT_ERROR_STATE, "this libpliant_cuda was built without CUDA; "
                                               "PLIANT_CUDA_EMULATED needs no GPU");
#endif
    }
    return pli_cuda_fail(PLIANT_ERROR_RANGE, "kind is %d; there is no such device", (int)def->kind);
}

pliant_result pliant_cuda_create(pliant_context *context, const pliant_cuda_def *def,
                                 pliant_cuda **cuda)
{
    if (context == NULL || cuda == NULL) {
        return pli_cuda_fail(PLIANT_ERROR_ARGUMENT, "pliant_cuda_create: %s is NULL",
                             context == NULL ? "context" : "cuda");
    }
    pliant_cuda_def settings = pliant_cuda_def_default();
    pliant_result result = PLIANT_OK;
    if (def != NULL) {
        result = pliant_check_tag(def->tag, PLIANT_TAG(PLI_MAGIC_pliant_cuda_def, pliant_cuda_def),
                                  "pliant_cuda_def");
        if (result != PLIANT_OK) {
            return result;
        }
        settings = *def;
    }
    result = pliant_context_join(context);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_cuda *made = pliant_context_allocate(context, sizeof *made);
    if (made == NULL) {
        pliant_context_leave(context);
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *made = (pliant_cuda){.context = context, .users = 1};
    result = open_device(&settings, &made->device);
    if (result != PLIANT_OK) {
        pliant_context_release(context, made, sizeof *made);
        pliant_context_leave(context);
        return result;
    }
    *cuda = made;
    return PLIANT_OK;
}

void pli_cuda_leave(pliant_cuda *cuda)
{
    if (--cuda->users == 0) {
        pliant_context *context = cuda->context;
        cuda->device->destroy(cuda->device);
        pliant_context_release(context, cuda, sizeof *cuda);
        pliant_context_leave(context);
    }
}

void pliant_cuda_destroy(pliant_cuda *cuda)
{
    if (cuda != NULL) {
        pli_cuda_leave(cuda);
    }
}

const char *pliant_cuda_get_name(const pliant_cuda *cuda)
{
    return cuda != NULL ? cuda->device->name : NULL;
}
