/* EXT_meshopt_compression, through meshoptimizer where it is there. */
#include "gltf.h"

#include <string.h>

#ifndef PLI_HAVE_MESHOPTIMIZER

pliant_result pli_gltf_decompress(gltf_doc *doc, uint32_t view, const json_t *extension,
                                  gltf_bytes *bytes)
{
    (void)extension;
    (void)bytes;
    return pli_gltf_fail(
        doc, "bufferView", view,
        "it is compressed, and this build lacks meshoptimizer (libmeshoptimizer-dev)");
}

#else

#include <meshoptimizer.h>

typedef struct compressed {
    uint64_t count, stride;
    const char *mode, *filter;
} compressed;

static bool is(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

/* The decoders assert what the extension's specification demands; so it is checked here. */
static pliant_result check(gltf_doc *doc, uint32_t view, const compressed *form)
{
    bool attributes = is(form->mode, "ATTRIBUTES");
    if (!attributes && !is(form->mode, "TRIANGLES") && !is(form->mode, "INDICES")) {
        return pli_gltf_fail(doc, "bufferView", view, "'%s' is not a mode of compression",
                             PLI_SHOW(form->mode));
    }
    bool good_stride = attributes ? form->stride > 0 && form->stride <= 256 && form->stride % 4 == 0
                                  : form->stride == 2 || form->stride == 4;
    bool good_count = form->count > 0 && (!is(form->mode, "TRIANGLES") || form->count % 3 == 0);
    if (!good_stride || !good_count) {
        return pli_gltf_fail(doc, "bufferView", view, "%llu elements of %llu bytes with mode %s",
                             (unsigned long long)form->count, (unsigned long long)form->stride,
                             form->mode);
    }
    bool good_filter =
        is(form->filter, "NONE") || (attributes && is(form->filter, "EXPONENTIAL")) ||
        (attributes && is(form->filter, "QUATERNION") && form->stride == 8) ||
        (attributes && is(form->filter, "OCTAHEDRAL") && (form->stride == 4 || form->stride == 8));
    if (attributes && is(form->filter, "COLOR")) {
        return pli_gltf_fail(doc, "bufferView", view,
                             "filter COLOR (KHR_meshopt_compression) is unknown to this build; "
                             "export with EXT_meshopt_compression");
    }
    return good_filter
               ? PLIANT_OK
               : pli_gltf_fail(doc, "bufferView", view, "filter '%s' with mode %s and %llu bytes",
                               PLI_SHOW(form->filter), form->mode,
                               (unsigned long long)form->stride);
}

static pliant_result read_form(gltf_doc *doc, uint32_t view, const json_t *extension,
                               compressed *form)
{
    const char *mode = json_string_value(json_object_get(extension, "mode"));
    const json_t *filter = json_object_get(extension, "filter");
    form->mode = mode != NULL ? mode : "";
    form->filter = filter == NULL ? "NONE" : json_string_value(filter);
    if (form->filter == NULL) {
        return pli_gltf_fail(doc, "bufferView", view, "its filter is not a text");
    }
    pliant_result result =
        pli_gltf_get_count(doc, "bufferView", view, extension, "count", 0, &form->count);
    result = result == PLIANT_OK ? pli_gltf_get_count(doc, "bufferView", view, extension,
                                                      "byteStride", 0, &form->stride)
                                 : result;
    return result == PLIANT_OK ? check(doc, view, form) : result;
}

static int decode(const compressed *form, void *out, const gltf_bytes *bytes)
{
    size_t count = (size_t)form->count, stride = (size_t)form->stride;
    size_t size = (size_t)bytes->size;
    if (is(form->mode, "TRIANGLES")) {
        return meshopt_decodeIndexBuffer(out, count, stride, bytes->at, size);
    }
    if (is(form->mode, "INDICES")) {
        return meshopt_decodeIndexSequence(out, count, stride, bytes->at, size);
    }
    int failure = meshopt_decodeVertexBuffer(out, count, stride, bytes->at, size);
    if (failure != 0) {
        return failure;
    }
    if (is(form->filter, "OCTAHEDRAL")) {
        meshopt_decodeFilterOct(out, count, stride);
    } else if (is(form->filter, "QUATERNION")) {
        meshopt_decodeFilterQuat(out, count, stride);
    } else if (is(form->filter, "EXPONENTIAL")) {
        meshopt_decodeFilterExp(out, count, stride);
    }
    return 0;
}

/*
 * Streams begin with a byte that tells the codec and its version: 0xa0 for attributes, 0xe0 for
 * triangles, 0xd0 for indices. KHR_meshopt_compression allows version 1 of attributes, which
 * meshoptimizer knows from 0.22 on; what a build does not know is not damaged.
 */
static bool is_of_later_version(const compressed *form, const gltf_bytes *bytes)
{
    unsigned codec = is(form->mode, "ATTRIBUTES")  ? 0xa0
                     : is(form->mode, "TRIANGLES") ? 0xe0
                                                   : 0xd0;
    unsigned newest = codec != 0xa0 || MESHOPTIMIZER_VERSION >= 220 ? 1 : 0;
    unsigned first = bytes->size > 0 ? bytes->at[0] : 0;
    return (first & 0xf0) == codec && (first & 0x0f) > newest;
}

static pliant_result fail_version(const gltf_doc *doc, uint32_t view, const gltf_bytes *bytes)
{
    return pli_gltf_fail(doc, "bufferView", view,
                         "its compression is of version %u (KHR_meshopt_compression), unknown to "
                         "meshoptimizer %d.%d of this build; export with EXT_meshopt_compression",
                         bytes->at[0] & 0x0fu, MESHOPTIMIZER_VERSION / 1000,
                         MESHOPTIMIZER_VERSION / 10 % 100);
}

pliant_result pli_gltf_decompress(gltf_doc *doc, uint32_t view, const json_t *extension,
                                  gltf_bytes *bytes)
{
    compressed form = {0};
    pliant_result result = read_form(doc, view, extension, &form);
    if (result != PLIANT_OK) {
        return result;
    }
    if (is_of_later_version(&form, bytes)) {
        return fail_version(doc, view, bytes);
    }
    uint8_t *out = pli_memory_get(doc->memory, form.count, (size_t)form.stride);
    if (out == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    if (decode(&form, out, bytes) != 0) {
        return pli_gltf_fail(doc, "bufferView", view, "its compressed data is damaged");
    }
    *bytes = (gltf_bytes){out, form.count * form.stride};
    return PLIANT_OK;
}

#endif
