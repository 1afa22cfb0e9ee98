#include "file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tool/text/markup.h"
#include "buffer.h"
#include "page.h"

#ifdef PLIANT_HAVE_ZLIB
#include <zlib.h>
#endif

/* tool/report/page.html, as the build makes an array of it. */
extern const unsigned char page_template[];
extern const size_t page_template_size;

#ifdef PLIANT_HAVE_ZLIB

static bool compress_data(const unsigned char *data, size_t size, report_buffer *packed)
{
    z_stream stream = {0};
    if (deflateInit2(&stream, 6, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        return false;
    }
    enum { CHUNK = 1 << 16 };
    int state = Z_OK;
    size_t read = 0;
    while (state != Z_STREAM_END && !packed->failed) {
        if (stream.avail_in == 0 && read < size) {
            size_t part = size - read < CHUNK ? size - read : CHUNK;
            stream.next_in = (Bytef *)(uintptr_t)(data + read); /* it is only read */
            stream.avail_in = (uInt)part;
            read += part;
        }
        unsigned char out[CHUNK];
        stream.next_out = out;
        stream.avail_out = CHUNK;
        state = deflate(&stream, read == size ? Z_FINISH : Z_NO_FLUSH);
        if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
            break;
        }
        report_put_bytes(packed, out, CHUNK - stream.avail_out);
    }
    deflateEnd(&stream);
    return state == Z_STREAM_END && !packed->failed;
}

#else

/* The same format without compression: blocks of bytes as they are. */
static bool compress_data(const unsigned char *data, size_t size, report_buffer *packed)
{
    size_t at = 0;
    do {
        size_t count = size - at < 65535 ? size - at : 65535;
        unsigned char head[5] = {at + count == size, (unsigned char)count,
                                 (unsigned char)(count >> 8), (unsigned char)~count,
                                 (unsigned char)(~count >> 8)};
        report_put_bytes(packed, head, sizeof head);
        report_put_bytes(packed, data + at, count);
        at += count;
    } while (at < size);
    return !packed->failed;
}

#endif

/* Where the next place to fill in is; the template's end if there is none. */
static size_t find(size_t from, const char *mark)
{
    size_t length = strlen(mark);
    for (; from + length <= page_template_size; from++) {
        if (memcmp(&page_template[from], mark, length) == 0) {
            return from;
        }
    }
    return page_template_size;
}

bool report_compress(const void *data, size_t size, report_block *block)
{
    report_buffer packed = {0};
    if (!compress_data(data, size, &packed)) {
        report_buffer_free(&packed);
        return false;
    }
    *block = (report_block){packed.bytes, packed.size};
    return true;
}

void report_block_free(report_block *block)
{
    free(block->bytes);
    *block = (report_block){0};
}

void report_fill_blocks(FILE *stream, const char *title, const char *extra, const report_block *own,
                        const report_block *const *more, uint32_t count)
{
    static const char *const marks[3] = {"PLIANT-TITLE", "PLIANT-EXTRA", "PLIANT-DATA"};
    size_t at = 0;
    for (int i = 0; i < 3; i++) {
        size_t place = find(at, marks[i]);
        fwrite(&page_template[at], 1, place - at, stream);
        at = place + strlen(marks[i]);
        if (i == 0) {
            markup_text(stream, title);
        } else if (i == 1) {
            fprintf(stream, "{%s}", extra);
        } else {
            markup_base64(stream, own->bytes, own->size);
        }
    }
    for (uint32_t i = 0; i < count; i++) { /* each ends where the template ends the first one */
        fprintf(stream, "</script>\n<script type=\"text/plain\" id=\"pliant-block-%u\">", i);
        markup_base64(stream, more[i]->bytes, more[i]->size);
    }
    /* web/build.mjs saw to it that all places are there, so something follows the last one. */
    if (at < page_template_size) {
        fwrite(&page_template[at], 1, page_template_size - at, stream);
    }
}

bool report_fill_template(FILE *stream, const char *title, const void *data, size_t size,
                          const char *extra)
{
    report_block own = {0};
    if (!report_compress(data, size, &own)) {
        return false;
    }
    report_fill_blocks(stream, title, extra, &own, NULL, 0);
    report_block_free(&own);
    return true;
}
