/* The data of a page: everything that report/page.c collected, as JSON and a block of bytes. */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "parts.h"

/* The data: a JSON text that says where in the binary block behind it each array is. */
typedef struct page_data {
    report_buffer json, block;
} page_data;

static void begin_array(page_data *data, const char *name, const char *code, size_t count)
{
    report_put_text(&data->json, ",\"%s\":{\"code\":\"%s\",\"at\":%zu,\"count\":%zu}", name, code,
                    data->block.size, count);
}

static void put_words(page_data *data, const char *name, const uint32_t *words, size_t count)
{
    begin_array(data, name, "words", count);
    report_put_words(&data->block, words, count);
}

static void put_floats(page_data *data, const char *name, const float *numbers, size_t count)
{
    begin_array(data, name, "floats", count);
    report_put_floats(&data->block, numbers, count);
}

static void put_buffer(page_data *data, const char *name, const report_buffer *bytes)
{
    data->json.failed = data->json.failed || bytes->failed;
    begin_array(data, name, "bytes", bytes->size);
    report_put_bytes(&data->block, bytes->bytes, bytes->size);
}

static void put_series(page_data *data, const char *name, const report_track *series)
{
    report_put_text(&data->json, ",\"%s\":{\"width\":%u,\"frames\":%u", name, series->width,
                    series->frame_count);
    put_floats(data, "steps", series->steps, series->width);
    put_buffer(data, "coded", &series->coded);
    report_put_text(&data->json, "}");
}

static void put_mesh(page_data *data, const page_mesh *made)
{
    const report_mesh *mesh = &made->mesh;
    size_t vertices = mesh->vertex_count;
    report_put_text(&data->json, "{\"vertices\":%u,\"faces\":%u,\"modeCount\":%u,\"jointCount\":%u",
                    mesh->vertex_count, mesh->triangle_count, mesh->mode_count, mesh->joint_count);
    put_floats(data, "positions", mesh->positions, 3 * vertices);
    put_words(data, "triangles", mesh->triangles, (size_t)3 * mesh->triangle_count);
    if (mesh->mode_count > 0) {
        put_floats(data, "modes", mesh->modes, 3 * vertices * mesh->mode_count);
    }
    if (mesh->influence_offsets != NULL) {
        size_t count = mesh->influence_offsets[vertices];
        put_words(data, "offsets", mesh->influence_offsets, vertices + 1);
        put_words(data, "joints", mesh->influence_joints, count);
        put_floats(data, "weights", mesh->influence_weights, count);
    }
    report_put_text(&data->json, "}");
}

static void put_tree(page_data *data, const page_body *body)
{
    uint32_t *words = malloc((size_t)3 * body->bound_count * sizeof *words + 1);
    if (words == NULL) {
        data->json.failed = true;
        return;
    }
    for (uint32_t i = 0; i < body->bound_count; i++) {
        words[i] = body->bounds[i].level;
        words[body->bound_count + i] = body->bounds[i].triangle_count;
        words[2 * body->bound_count + i] = body->bounds[i].is_cluster ? 1 : 0;
    }
    report_put_text(&data->json, ",\"tree\":{\"count\":%u", body->bound_count);
    put_words(data, "levels", words, body->bound_count);
    put_words(data, "faces", words + body->bound_count, body->bound_count);
    put_words(data, "clusters", words + 2 * (size_t)body->bound_count, body->bound_count);
    put_series(data, "boxes", &body->boxes);
    put_buffer(data, "states", &body->box_states);
    report_put_text(&data->json, "}");
    free(words);
}

/* An earlier body with the very same states; the body's own number if there is none. */
static uint32_t find_same_states(const report *page, uint32_t body)
{
    const report_track *states = &page->bodies.items[body].series;
    for (uint32_t i = 0; i < body; i++) {
        const report_track *other = &page->bodies.items[i].series;
        if (other->width == states->width && other->frame_count == states->frame_count &&
            other->coded.size == states->coded.size && states->coded.size > 0 &&
            memcmp(other->steps, states->steps, states->width * sizeof *states->steps) == 0 &&
            memcmp(other->coded.bytes, states->coded.bytes, states->coded.size) == 0) {
            return i;
        }
    }
    return body;
}

static void put_body(page_data *data, const report *page, uint32_t index)
{
    const page_body *body = &page->bodies.items[index];
    uint32_t same = find_same_states(page, index);
    report_put_text(&data->json, "{\"name\":");
    report_put_string(&data->json, body->name);
    report_put_text(&data->json, ",\"mesh\":%u,\"closed\":%s,\"free\":%s", body->mesh,
                    body->closed ? "true" : "false", body->is_positions ? "true" : "false");
    if (same != index) {
        report_put_text(&data->json, ",\"stateOf\":%u", same);
    } else {
        put_series(data, "state", &body->series);
    }
    if (body->parts != NULL) {
        put_words(data, "parts", body->parts, page->meshes.items[body->mesh].mesh.triangle_count);
    }
    if (body->bounds != NULL) {
        put_tree(data, body);
    }
    report_put_text(&data->json, "}");
}

static void put_strings(page_data *data, const char *name, char *const *texts, uint32_t count)
{
    report_put_text(&data->json, ",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        report_put_text(&data->json, "%s", i > 0 ? "," : "");
        report_put_string(&data->json, texts[i]);
    }
    report_put_text(&data->json, "]");
}

static void put_frames(page_data *data, const report *page)
{
    enum { COLUMNS = 6 };
    static const char *const names[COLUMNS] = {"clip",  "number",   "contactBytes",
                                               "nodes", "clusters", "verticesRead"};
    size_t count = page->frames.count;
    uint32_t *words = malloc(count * sizeof *words + 1);
    float *times = malloc(count * sizeof *times + 1);
    report_put_text(&data->json, ",\"frames\":{\"count\":%u", page->frames.count);
    if (words == NULL || times == NULL) {
        data->json.failed = true;
        count = 0;
    }
    for (int column = 0; column < (page->has_cost ? COLUMNS : 3); column++) {
        for (size_t i = 0; i < count; i++) {
            const page_frame *frame = &page->frames.items[i];
            const uint64_t values[COLUMNS] = {frame->clip,          frame->number,
                                              frame->contact_bytes, frame->cost.nodes,
                                              frame->cost.clusters, frame->cost.vertices};
            words[i] = (uint32_t)values[column];
        }
        put_words(data, names[column], words, count);
    }
    for (size_t i = 0; i < count; i++) {
        times[i] = page->frames.items[i].time;
    }
    put_floats(data, "time", times, count);
    put_buffer(data, "contacts", &page->contacts);
    if (page->passes.size > 0) {
        put_buffer(data, "passes", &page->passes);
    }
    if (page->contours.size > 0) {
        for (size_t i = 0; i < count; i++) {
            words[i] = page->frames.items[i].contour_bytes;
        }
        put_words(data, "contourBytes", words, count);
        put_buffer(data, "contours", &page->contours);
        report_put_text(&data->json, ",\"contourStep\":%.9g", page->contour_step);
    }
    report_put_text(&data->json, "}");
    free(words);
    free(times);
}

static void put_all(page_data *data, const report *page)
{
    report_put_text(&data->json, "{\"version\":%d,\"kind\":", REPORT_DATA_VERSION);
    report_put_string(&data->json, page->kind);
    report_put_text(&data->json, ",\"title\":");
    report_put_string(&data->json, page->title);
    report_put_text(&data->json, ",\"description\":");
    report_put_string(&data->json, page->description);
    report_put_text(&data->json, ",\"pliant\":\"%s\"", PLIANT_VERSION_TEXT);
    put_strings(data, "clips", page->clips.items, page->clips.count);
    put_strings(data, "notes", page->notes.items, page->notes.count);
    report_put_text(&data->json, ",\"meshes\":[");
    for (uint32_t i = 0; i < page->meshes.count; i++) {
        report_put_text(&data->json, "%s", i > 0 ? "," : "");
        put_mesh(data, &page->meshes.items[i]);
    }
    report_put_text(&data->json, "],\"bodies\":[");
    for (uint32_t i = 0; i < page->bodies.count; i++) {
        report_put_text(&data->json, "%s", i > 0 ? "," : "");
        put_body(data, page, i);
    }
    report_put_text(&data->json, "],\"parts\":[");
    for (uint32_t i = 0; i < page->parts.count; i++) {
        report_put_text(&data->json, "%s{\"body\":%u,\"name\":", i > 0 ? "," : "",
                        page->parts.items[i].body);
        report_put_string(&data->json, page->parts.items[i].name);
        report_put_text(&data->json, "}");
    }
    report_put_text(&data->json, "],\"pairs\":[");
    for (uint32_t i = 0; i < page->pairs.count; i++) {
        report_put_text(&data->json, "%s[%u,%u]", i > 0 ? "," : "", page->pairs.items[i].a,
                        page->pairs.items[i].b);
    }
    report_put_text(&data->json, "],\"up\":\"%c\"", page->up);
    if (page->findings.size > 0) {
        report_put_text(&data->json, ",\"findings\":[");
        report_put_bytes(&data->json, page->findings.bytes, page->findings.size);
        report_put_text(&data->json, "]");
    }
    data->json.failed = data->json.failed || page->findings.failed;
    if (page->has_cost) {
        report_put_text(
            &data->json, ",\"whole\":{\"nodes\":%llu,\"clusters\":%llu,\"vertices\":%llu}",
            (unsigned long long)page->whole.nodes, (unsigned long long)page->whole.clusters,
            (unsigned long long)page->whole.vertices);
    }
    put_frames(data, page);
    report_put_text(&data->json, "}");
}

/* All of a page's data; false: there was no memory. */
static bool put_file(report *page, report_buffer *file)
{
    report_end_frame(page);
    page_data data = {0};
    if (!page->failed) {
        put_all(&data, page);
        unsigned char length[4];
        for (int i = 0; i < 4; i++) {
            length[i] = (unsigned char)(data.json.size >> 8 * i);
        }
        report_put_bytes(file, length, sizeof length);
        report_put_bytes(file, data.json.bytes, data.json.size);
        report_put_bytes(file, data.block.bytes, data.block.size);
    }
    bool good = !page->failed && !data.json.failed && !data.block.failed && !file->failed;
    report_buffer_free(&data.json);
    report_buffer_free(&data.block);
    return good;
}

bool report_pack(report *page, report_block *block)
{
    report_buffer file = {0};
    bool good = put_file(page, &file) && report_compress(file.bytes, file.size, block);
    report_buffer_free(&file);
    return good;
}

bool report_write(report *page, FILE *stream)
{
    report_buffer file = {0};
    bool good =
        put_file(page, &file) && report_fill_template(stream, page->title, file.bytes, file.size,
                                                      page->extra != NULL ? page->extra : "");
    report_buffer_free(&file);
    return good;
}
