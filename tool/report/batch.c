#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "file.h"

struct report_batch {
    char *title;
    report_buffer json; /* up to the rows so far */
    const report_block **blocks;
    uint32_t row_count, block_count;
    bool failed;
};

report_batch *report_batch_create(const char *title, const char *description)
{
    report_batch *page = calloc(1, sizeof *page);
    size_t size = strlen(title) + 1;
    if (page == NULL || (page->title = malloc(size)) == NULL) {
        free(page);
        return NULL;
    }
    memcpy(page->title, title, size);
    report_put_text(&page->json,
                    "{\"version\":%d,\"kind\":\"batch\",\"title\":", REPORT_DATA_VERSION);
    report_put_string(&page->json, title);
    report_put_text(&page->json, ",\"description\":");
    report_put_string(&page->json, description);
    report_put_text(&page->json, ",\"pliant\":\"%s\",\"files\":[", PLIANT_VERSION_TEXT);
    return page;
}

void report_batch_destroy(report_batch *page)
{
    report_buffer_free(&page->json);
    free((void *)page->blocks);
    free(page->title);
    free(page);
}

void report_batch_add(report_batch *page, const report_batch_row *row)
{
    int block = -1;
    if (row->block != NULL) {
        const report_block **grown = (const report_block **)realloc(
            (void *)page->blocks, ((size_t)page->block_count + 1) * sizeof(report_block *));
        if (grown == NULL) {
            page->failed = true;
            return;
        }
        page->blocks = grown;
        grown[page->block_count] = row->block;
        block = (int)page->block_count++;
    }
    report_put_text(&page->json, "%s{\"name\":", page->row_count++ > 0 ? "," : "");
    report_put_string(&page->json, row->name);
    report_put_text(&page->json, ",\"line\":");
    report_put_string(&page->json, row->line);
    report_put_text(&page->json,
                    ",\"status\":%d,\"failing\":%u,\"known\":%u,\"frames\":%u,\"depth\":%.6g,"
                    "\"percent\":%.3g,\"block\":%d}",
                    row->status, row->failing, row->known, row->frames, row->depth, row->percent,
                    block);
}

bool report_batch_write(report_batch *page, FILE *stream)
{
    report_buffer file = {0};
    unsigned char length[4];
    report_put_text(&page->json, "]}");
    for (int i = 0; i < 4; i++) {
        length[i] = (unsigned char)(page->json.size >> 8 * i);
    }
    report_put_bytes(&file, length, sizeof length);
    report_put_bytes(&file, page->json.bytes, page->json.size);
    report_block own = {0};
    bool good = !page->failed && !page->json.failed && !file.failed &&
                report_compress(file.bytes, file.size, &own);
    if (good) {
        report_fill_blocks(stream, page->title, "", &own, page->blocks, page->block_count);
    }
    report_block_free(&own);
    report_buffer_free(&file);
    return good;
}
