/*
 * Buffers of a glTF file and the views into them. A buffer is the binary chunk of a GLB file, a
 * data: URI or a file with a plain name in the asset's folder or below it: no scheme, no absolute
 * path, no step upward.
 */
#include "gltf.h"

#include <string.h>

static int base64_digit(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* Adds bytes to those that are given back when the file has been read. */
static pliant_result keep(gltf_doc *doc, const uint8_t *at, uint64_t size, gltf_bytes *bytes)
{
    gltf_bytes *loaded = pli_memory_grow(doc->memory, doc->loaded, &doc->loaded_capacity,
                                         doc->loaded_count + 1, sizeof *loaded);
    if (loaded == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    doc->loaded = loaded;
    *bytes = loaded[doc->loaded_count++] = (gltf_bytes){at, size};
    return PLIANT_OK;
}

static pliant_result decode_base64(gltf_doc *doc, uint32_t buffer, const char *text,
                                   gltf_bytes *bytes)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '=') {
        length--;
    }
    uint8_t *decoded = pli_memory_get(doc->memory, (uint64_t)length / 4 * 3 + 3, 1);
    if (decoded == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    uint32_t bits = 0;
    size_t size = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = base64_digit((uint8_t)text[i]);
        if (digit < 0) {
            return pli_gltf_fail(doc, "buffer", buffer, "character %zu of its data is not base64",
                                 i);
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0) {
            decoded[size++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
        }
    }
    return keep(doc, decoded, size, bytes);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Undoes %41 and the like in place; false on a zero byte or half a code. */
static bool decode_percents(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        int high = hex_digit(from[1]);
        int low = high >= 0 ? hex_digit(from[2]) : -1;
        if (low < 0 || (high == 0 && low == 0)) {
            return false;
        }
        *to++ = (char)(16 * high + low);
        from += 2;
    }
    *to = '\0';
    return true;
}

/* Whether a decoded name stays inside the folder. */
static bool is_plain_name(const char *name)
{
    if (name[0] == '\0' || name[0] == '/' || strpbrk(name, ":\\") != NULL) {
        return false;
    }
    for (const char *part = name; part != NULL; part = strchr(part, '/')) {
        part += part != name || *part == '/' ? 1 : 0;
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) {
            return false;
        }
    }
    return true;
}

/* Takes "." and empty parts out of a plain name, so that one file has one name. */
static void shorten_name(char *name)
{
    char *to = name;
    for (const char *part = name; *part != '\0';) {
        size_t length = strcspn(part, "/");
        bool last = part[length] == '\0';
        if (length > 1 || (length == 1 && part[0] != '.')) {
            memmove(to, part, length);
            to += length;
            if (!last) {
                *to++ = '/';
            }
        }
        part += length + (last ? 0 : 1);
    }
    *to = '\0';
}

/* Fails if a buffer has no bytes, or more than are there. */
static pliant_result check_length(const gltf_doc *doc, uint32_t buffer, uint64_t length,
                                  uint64_t there)
{
    return length > 0 && length <= there
               ? PLIANT_OK
               : pli_gltf_fail(doc, "buffer", buffer,
                               "byteLength is %llu, and %llu bytes are there",
                               (unsigned long long)length, (unsigned long long)there);
}

/* Bytes of an entry of doc->file_of besides its path, rounded up. */
#define ENTRY_COST 256

/* Remembers the bytes read last as the start of the file with this path. */
static pliant_result remember_file(gltf_doc *doc, const char *path)
{
    uint64_t cost = (uint64_t)strlen(path) + ENTRY_COST;
    pliant_result result = pli_memory_charge(doc->memory, (int64_t)cost);
    if (result != PLIANT_OK) {
        return result;
    }
    doc->file_memory += cost;
    doc->file_of = doc->file_of != NULL ? doc->file_of : json_object();
    json_t *place = json_integer((json_int_t)doc->loaded_count - 1);
    return json_object_set_new_nocheck(doc->file_of, path, place) == 0
               ? PLIANT_OK
               : pli_asset_fail(PLIANT_ERROR_OUT_OF_MEMORY, "no memory for the names of files");
}

/*
 * Reads the first `length` bytes of a file. If several buffers name a file, it is read again only
 * for more bytes than before. Then twice as many are read, so that this happens a few times at
 * most. At least the bytes by which a pointer of Git LFS is recognised are read.
 */
static pliant_result read_start(gltf_doc *doc, uint32_t buffer, const char *path, uint64_t length,
                                gltf_bytes *bytes)
{
    const pliant_files *files = &doc->asset->files;
    const json_t *place = json_object_get(doc->file_of, path);
    uint64_t there = 0, most = length > PLI_HEAD ? length : PLI_HEAD;
    if (place != NULL) {
        *bytes = doc->loaded[json_integer_value(place)];
        if (length <= bytes->size) {
            return check_length(doc, buffer, length, bytes->size);
        }
        most = most > 2 * bytes->size ? most : 2 * bytes->size;
    }
    uint8_t *read = NULL;
    size_t size = 0;
    pliant_result result = pli_file_size(files, path, &there);
    most = length > there ? PLI_HEAD : most;
    result =
        result == PLIANT_OK ? pli_file_read(files, doc->memory, path, most, &read, &size) : result;
    result = result == PLIANT_OK ? check_length(doc, buffer, length, there) : result;
    result = result == PLIANT_OK ? keep(doc, read, size, bytes) : result;
    return result == PLIANT_OK ? remember_file(doc, path) : result;
}

static pliant_result read_file(gltf_doc *doc, uint32_t buffer, const char *uri, uint64_t length,
                               gltf_bytes *bytes)
{
    size_t folder = (size_t)(pli_base_name(doc->path) - doc->path);
    size_t name = strlen(uri);
    char *path = pli_memory_get(doc->memory, (uint64_t)folder + name + 1, 1);
    if (path == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    memcpy(path, doc->path, folder);
    memcpy(path + folder, uri, name + 1);
    if (!decode_percents(path + folder) || !is_plain_name(path + folder)) {
        return pli_gltf_fail(doc, "buffer", buffer,
                             "'%s' is not the name of a file in the asset's folder", PLI_SHOW(uri));
    }
    shorten_name(path + folder);
    pliant_result result = read_start(doc, buffer, path, length, bytes);
    pli_memory_drop(doc->memory, path);
    return result;
}

/* Reads the first `length` bytes of the binary chunk of a GLB file. */
static pliant_result read_bin(gltf_doc *doc, uint32_t buffer, uint64_t length, gltf_bytes *bytes)
{
    uint8_t *read = NULL;
    if (buffer != 0 || doc->bin_offset == 0) {
        return pli_gltf_fail(doc, "buffer", buffer, "it has neither a URI nor a binary chunk");
    }
    pliant_result result = check_length(doc, buffer, length, doc->bin_size);
    result = result == PLIANT_OK ? pli_file_read_range(&doc->asset->files, doc->memory, doc->path,
                                                       doc->bin_offset, length, &read)
                                 : result;
    return result == PLIANT_OK ? keep(doc, read, length, bytes) : result;
}

/* Reads a buffer, of which only `length` bytes matter. */
static pliant_result read_buffer(gltf_doc *doc, uint32_t buffer, const json_t *object,
                                 uint64_t length, gltf_bytes *bytes)
{
    const json_t *member = json_object_get(object, "uri");
    const char *uri = json_string_value(member);
    if (member == NULL) {
        return read_bin(doc, buffer, length, bytes);
    }
    if (uri == NULL) {
        return pli_gltf_fail(doc, "buffer", buffer, "its uri is not a text");
    }
    if (strncmp(uri, "data:", 5) != 0) {
        return read_file(doc, buffer, uri, length, bytes);
    }
    const char *comma = strchr(uri, ',');
    if (comma == NULL || comma - uri < 7 || strncmp(comma - 7, ";base64", 7) != 0) {
        return pli_gltf_fail(doc, "buffer", buffer, "its data: URI is not base64");
    }
    pliant_result result = decode_base64(doc, buffer, comma + 1, bytes);
    return result == PLIANT_OK ? check_length(doc, buffer, length, bytes->size) : result;
}

pliant_result pli_gltf_buffer(gltf_doc *doc, uint32_t buffer, gltf_bytes *bytes)
{
    gltf_bytes *known = &doc->buffer_bytes[buffer];
    if (known->at != NULL) {
        *bytes = *known;
        return PLIANT_OK;
    }
    const json_t *object = json_array_get(doc->buffers, buffer);
    uint64_t length = 0;
    pliant_result result =
        pli_gltf_get_count(doc, "buffer", buffer, object, "byteLength", 0, &length);
    result = result == PLIANT_OK ? read_buffer(doc, buffer, object, length, bytes) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    bytes->size = length;
    *known = *bytes;
    return PLIANT_OK;
}

/* A range of a buffer, as views and compressed views give it. */
static pliant_result read_range(gltf_doc *doc, uint32_t view, const json_t *object,
                                gltf_bytes *bytes)
{
    uint32_t buffer = PLI_NONE;
    uint64_t offset = 0, length = 0;
    pliant_result result =
        pli_gltf_get_index(doc, "bufferView", view, object, "buffer", doc->buffers, &buffer);
    if (result == PLIANT_OK && buffer == PLI_NONE) {
        return pli_gltf_fail(doc, "bufferView", view, "it names no buffer");
    }
    result = result == PLIANT_OK
                 ? pli_gltf_get_count(doc, "bufferView", view, object, "byteOffset", 0, &offset)
                 : result;
    result = result == PLIANT_OK
                 ? pli_gltf_get_count(doc, "bufferView", view, object, "byteLength", 0, &length)
                 : result;
    result = result == PLIANT_OK ? pli_gltf_buffer(doc, buffer, bytes) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    if (length == 0 || offset > bytes->size || length > bytes->size - offset) {
        return pli_gltf_fail(doc, "bufferView", view,
                             "%llu bytes from %llu on, in a buffer of %llu",
                             (unsigned long long)length, (unsigned long long)offset,
                             (unsigned long long)bytes->size);
    }
    *bytes = (gltf_bytes){bytes->at + offset, length};
    return PLIANT_OK;
}

const json_t *pli_gltf_compression(const json_t *view)
{
    const json_t *extensions = json_object_get(view, "extensions");
    const json_t *found = json_object_get(extensions, "EXT_meshopt_compression");
    return found != NULL ? found : json_object_get(extensions, "KHR_meshopt_compression");
}

pliant_result pli_gltf_view(gltf_doc *doc, uint32_t view, gltf_bytes *bytes)
{
    gltf_bytes *known = &doc->view_bytes[view];
    if (known->at != NULL) {
        *bytes = *known;
        return PLIANT_OK;
    }
    const json_t *object = json_array_get(doc->views, view);
    if (!json_is_object(object)) {
        return pli_gltf_fail(doc, "bufferView", view, "it is not an object");
    }
    const json_t *compression = pli_gltf_compression(object);
    pliant_result result = read_range(doc, view, compression != NULL ? compression : object, bytes);
    if (result == PLIANT_OK && compression != NULL) {
        result = pli_gltf_decompress(doc, view, compression, bytes);
    }
    if (result == PLIANT_OK) {
        *known = *bytes;
    }
    return result;
}
