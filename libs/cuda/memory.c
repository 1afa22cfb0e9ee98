/* Memory of the device, and errors. */
#include "library.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t pli_cuda_bytes(uint64_t count, size_t size)
{
    return size > 0 && count > SIZE_MAX / size ? SIZE_MAX : (size_t)count * size;
}

pliant_result pli_cuda_fail(pliant_result result, const char *format, ...)
{
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return pliant_fail(result, sentence);
}

pliant_result pli_cuda_replace(pliant_cuda *cuda, pli_cuda_array *array, size_t size)
{
    pli_cuda_device *device = cuda->device;
    if (array->data != NULL && size <= array->size) {
        return PLIANT_OK;
    }
    void *data = size == SIZE_MAX   ? NULL
                 : array->is_shared ? device->allocate_shared(device, size)
                                    : device->allocate(device, size);
    if (data == NULL) {
        return pli_cuda_fail(PLIANT_ERROR_OUT_OF_MEMORY,
                             "the device has no memory for %zu more bytes", size);
    }
    pli_cuda_release(cuda, array);
    array->data = data;
    array->size = size;
    return PLIANT_OK;
}

void pli_cuda_release(pliant_cuda *cuda, pli_cuda_array *array)
{
    pli_cuda_device *device = cuda->device;
    if (array->data != NULL) {
        (array->is_shared ? device->release_shared : device->release)(device, array->data);
    }
    array->data = NULL;
    array->size = 0;
}

pliant_result pli_cuda_upload_bytes(pliant_cuda *cuda, void *to, const void *from, size_t size)
{
    return cuda->device->upload(cuda->device, to, from, size)
               ? PLIANT_OK
               : pli_cuda_fail(PLIANT_ERROR_STATE, "the device failed: %s", cuda->device->error);
}

pliant_result pli_cuda_download_bytes(pliant_cuda *cuda, void *to, const void *from, size_t size)
{
    return cuda->device->download(cuda->device, to, from, size)
               ? PLIANT_OK
               : pli_cuda_fail(PLIANT_ERROR_STATE, "the device failed: %s", cuda->device->error);
}
