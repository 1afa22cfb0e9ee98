/* The figure in its coat, checked as a file would be. The file is made in memory. */
#include "demo.h"

#include <stdlib.h>
#include <string.h>

#include "demo_work.h"
#include "export.h"
#include "tool/report/buffer.h"

#define FILE_NAME "figure.glb"
#define RATE      30.0
#define TRIANGLES 40000 /* of the figure; as characters of games have */

/* pliant_files of one file in memory. */
static bool file_size(void *user, const char *path, uint64_t *size)
{
    const export_file *file = user;
    *size = file->size;
    return strcmp(path, FILE_NAME) == 0;
}

static bool file_read(void *user, const char *path, uint64_t offset, void *buffer, uint64_t count)
{
    const export_file *file = user;
    if (strcmp(path, FILE_NAME) != 0 || offset > file->size || count > file->size - offset) {
        return false;
    }
    memcpy(buffer, (const unsigned char *)file->bytes + offset, (size_t)count);
    return true;
}

static cli_status say_how(const check *state, check_result result)
{
    return result == CHECK_DONE ? CLI_DONE : cli_fail(CLI_FAILED, "%s", check_error(state, result));
}

static cli_status make_file(const demo_request *request, export_file *file)
{
    gallery_settings settings = {
        .steps = request->steps, .seed = 1, .triangles = TRIANGLES, .isa = request->limits.isa};
    gallery_scene *scene = gallery_create(&gallery_figure, &settings);
    pliant_result result = scene != NULL ? export_make(scene, scene->body_count, RATE, file)
                                         : PLIANT_ERROR_OUT_OF_MEMORY;
    gallery_destroy(scene);
    if (result == PLIANT_OK) {
        return CLI_DONE;
    }
    return result == PLIANT_ERROR_OUT_OF_MEMORY ? demo_fail_memory() : demo_fail_library();
}

static cli_status write_page(void *user, FILE *stream)
{
    check *state = user;
    return say_how(state, check_write_page(state, stream));
}

/* Says what the check saved, on the terminal and on the page. */
static cli_status tell_work(check *state, report_buffer *extra)
{
    demo_work work;
    char text[600];
    cli_status status = demo_measure_work(state, &work);
    if (status != CLI_DONE) {
        return status;
    }
    demo_describe_work(&work, text, sizeof text);
    printf("%s\n", text);
    report_put_text(extra, "\"work\":");
    report_put_string(extra, text);
    report_put_bytes(extra, "", 1); /* the end of the text */
    state->settings.extra = (const char *)extra->bytes;
    return extra->failed ? demo_fail_memory() : CLI_DONE;
}

static cli_status check_file(const demo_request *request, export_file *file, check *state)
{
    static const char *const files[] = {FILE_NAME};
    state->settings = check_default_settings();
    state->settings.files = files;
    state->settings.file_count = 1;
    state->settings.threads = request->limits.threads;
    state->settings.isa = request->limits.isa;
    state->settings.title = "What touches when a dressed figure walks";
    state->settings.keep_triangles = true;
    state->settings.source = (pliant_files){.size = file_size, .read = file_read, .user = file};
    return say_how(state, check_fill(state));
}

cli_status demo_check_figure(const demo_request *request)
{
    check state = {0};
    export_file file = {.bytes = NULL};
    report_buffer extra = {0};
    cli_status status = make_file(request, &file);
    status = status == CLI_DONE ? check_file(request, &file, &state) : status;
    if (status == CLI_DONE) {
        printf("%s\n", state.settings.title);
        status = say_how(&state, check_write_table(&state, stdout));
    }
    status = status == CLI_DONE ? tell_work(&state, &extra) : status;
    status = status == CLI_DONE
                 ? demo_write_page(request->folder, "report.html", write_page, &state)
                 : status;
    check_free(&state);
    report_buffer_free(&extra);
    free(file.bytes);
    return status;
}
