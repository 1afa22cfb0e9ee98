/* What pliant check writes about real files does not depend on the number of threads. */
#include "check_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "temporary.h"

static char *json_of(const check *state)
{
    char folder[TEMPORARY_FOLDER], path[TEMPORARY_FILE];
    temporary_folder(folder);
    temporary_path(path, folder, "report");
    FILE *stream = temporary_open(path);
    assert_int_equal(check_write_json(state, stream), CHECK_DONE);
    check_write_csv(state, stream);
    assert_int_equal(check_write_table(state, stream), CHECK_DONE);
    long size = ftell(stream);
    assert_true(size > 0);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    rewind(stream);
    assert_int_equal(fread(text, 1, (size_t)size, stream), size);
    text[size] = '\0';
    fclose(stream);
    temporary_remove(folder);
    return text;
}

static char *json_by_threads(const char *file, uint32_t threads, bool volume, double rate)
{
    check_settings settings = check_fixture_settings();
    settings.self = settings.keep_triangles = true;
    settings.volume = settings.contours = volume;
    settings.threads = threads;
    settings.rate = fixture_scale() < 1.0 ? rate / 4.0 : rate;
    check state;
    check_fixture_fill_real(&state, file, settings);
    char *text = json_of(&state);
    check_free(&state);
    return text;
}

/* How frames are spread over threads decides what each thread's bodies have seen before; where
   nothing moves, threads share one frame. */
static void threads_do_not_change_a_byte(void **unused)
{
    (void)unused;
    static const struct {
        const char *path;
        bool volume;
        double rate;
    } files[] = {{"characters/robot.glb", true, 4.0},
                 {"characters/dressed-person.glb", false, 8.0},
                 {"meshes/human_man.obj", true, 1.0}};
    static const uint32_t threads[] = {2, 7};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char *first = json_by_threads(files[i].path, 1, files[i].volume, files[i].rate);
        assert_true(strlen(first) > 1000);
        for (size_t k = 0; k < sizeof threads / sizeof threads[0]; k++) {
            char *text = json_by_threads(files[i].path, threads[k], files[i].volume, files[i].rate);
            if (strcmp(first, text) != 0) {
                fail_msg("%s: %u threads give another report than one", files[i].path, threads[k]);
            }
            free(text);
        }
        free(first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_a_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
