/* Blocks that are used where they lie: read-only memory, checked like any other, given back once.
 */
#include "models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shape_exercise.h"

/* A block in memory that can only be read, which ends where memory ends. */
typedef struct mapped_block {
    char *pages;
    size_t length; /* of all pages */
    const void *data;
    uint64_t size;
    int released; /* times it was given back */
} mapped_block;

static void give_back(void *user, const void *data, uint64_t size)
{
    mapped_block *m = user;
    assert_ptr_equal(data, m->data);
    assert_int_equal(size, m->size);
    m->released++;
}

static mapped_block map_block(const pliant_shape *shape)
{
    mapped_block m = {0};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    assert_ok(pliant_shape_write(shape, NULL, 0, &m.size));
    size_t held = ((size_t)m.size + page - 1) / page * page;
    m.length = held + page;
    m.pages = mmap(NULL, m.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(m.pages != MAP_FAILED);
    char *data = m.pages + held - m.size;
    assert_ok(pliant_shape_write(shape, data, m.size, &m.size));
    m.data = data;
    assert_int_equal(mprotect(m.pages, held, PROT_READ), 0);
    assert_int_equal(mprotect(m.pages + held, page, PROT_NONE), 0);
    return m;
}

static void unmap(mapped_block *m)
{
    munmap(m->pages, m->length);
}

/* Every question about bodies of a borrowed shape, none of which writes to it, and the same bytes
   as ever. */
static void borrowed_shapes_are_only_read(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 41);
    for (int kind = 0; kind < MODEL_KINDS; kind++) {
        model_case c = model_case_create(kind, MODEL_SMOOTH, 1.0, 0.0, 300, &r);
        c.proxy_triangles = 64;
        pliant_shape *made =
            model_case_shape(test_context, &c, PLIANT_BOUND_AUTO, fixture_usual_tree);
        pliant_shape *shape = NULL;
        mapped_block m = map_block(made);
        assert_ok(pliant_shape_borrow(test_context, m.data, m.size, give_back, &m, &shape));
        assert_true(pliant_shape_get_memory(shape) < 1024);
        assert_null(pliant_shape_get_user(shape));
        assert_ok(pliant_shape_set_user(shape, &c));
        assert_ptr_equal(pliant_shape_get_user(shape), &c);
        for (int update = 0; update <= PLIANT_UPDATE_FRONT; update++) {
            assert_true(shape_exercise(test_context, shape, (pliant_update)update));
        }
        assert_ok(pliant_shape_validate(shape));
        uint64_t size = 0;
        char *again = malloc((size_t)m.size);
        assert_ok(pliant_shape_write(shape, again, m.size, &size));
        assert_int_equal(size, m.size);
        assert_memory_equal(again, m.data, (size_t)size);
        free(again);
        pliant_body *body[2] = {NULL, NULL};
        float box[2][6];
        assert_ok(pliant_body_create(made, NULL, &body[0]));
        assert_ok(pliant_body_create(shape, NULL, &body[1]));
        for (int i = 0; i < 2; i++) {
            pliant_box found;
            model_case_set(&c, body[i]);
            assert_ok(pliant_body_get_bounds(body[i], &found));
            memcpy(box[i], &found, sizeof found);
        }
        assert_memory_equal(box[0], box[1], sizeof box[0]);
        pliant_body_destroy(body[0]);
        assert_ok(pliant_body_set_user(body[1], &r));
        assert_ptr_equal(pliant_body_get_user(body[1]), &r);
        assert_int_equal(m.released, 0);
#ifdef NDEBUG /* other builds end here, and say who uses it */
        pliant_shape_destroy(shape);
        assert_int_equal(m.released, 0); /* the body still needs it */
        pliant_body_destroy(body[1]);
#else
        pliant_body_destroy(body[1]);
        pliant_shape_destroy(shape);
#endif
        assert_int_equal(m.released, 1);
        pliant_shape_destroy(made);
        model_case_destroy(&c);
        unmap(&m);
    }
}

/* From a file, as it is meant. */
static void files_are_mapped(void **state)
{
    (void)state;
    pliant_shape *made = fixture_sphere(test_context, 1280, fixture_usual_tree), *shape = NULL;
    uint64_t size = 0;
    assert_ok(pliant_shape_write(made, NULL, 0, &size));
    void *block = malloc((size_t)size);
    assert_ok(pliant_shape_write(made, block, size, &size));
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(block, 1, (size_t)size, file), size);
    fflush(file);
    void *data = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fileno(file), 0);
    assert_true(data != MAP_FAILED);
    assert_ok(pliant_shape_borrow(test_context, data, size, NULL, NULL, &shape));
    assert_true(shape_exercise(test_context, shape, PLIANT_UPDATE_AUTO));
    pliant_shape_destroy(shape);
    munmap(data, (size_t)size);
    fclose(file);
    free(block);
    pliant_shape_destroy(made);
}

/* What is wrong is refused, and not given back: it was never borrowed. */
static void bad_blocks_are_not_borrowed(void **state)
{
    (void)state;
    pliant_shape *made = fixture_sphere(test_context, 80, fixture_usual_tree), *shape = NULL;
    mapped_block m = {0};
    assert_ok(pliant_shape_write(made, NULL, 0, &m.size));
    char *room = aligned_alloc(64, (size_t)m.size + 64);
    m.data = room;
    assert_ok(pliant_shape_write(made, room, m.size, &m.size));
    for (uint64_t length = 0; length < m.size; length += 7) {
        assert_int_equal(pliant_shape_borrow(test_context, room, length, give_back, &m, &shape),
                         PLIANT_ERROR_DATA);
    }
    for (uint64_t at = 0; at < m.size; at++) {
        room[at] ^= (char)(1 << at % 8);
        assert_int_equal(pliant_shape_borrow(test_context, room, m.size, give_back, &m, &shape),
                         PLIANT_ERROR_DATA);
        room[at] ^= (char)(1 << at % 8);
    }
    for (uint32_t past = 1; past < 64; past++) {
        char sentence[80];
        memmove(room + past, room + past - 1, (size_t)m.size);
        assert_int_equal(
            pliant_shape_borrow(test_context, room + past, m.size, give_back, &m, &shape),
            PLIANT_ERROR_ARGUMENT);
        snprintf(sentence, sizeof sentence, "begins %u bytes past a multiple of 64", past);
        assert_non_null(strstr(pliant_last_error(), sentence));
    }
    assert_null(shape);
    assert_int_equal(m.released, 0);
    pliant_shape_destroy(made);
    free(room);
}

/* Without memory there is no shape, and the block stays the caller's. */
static void failures_leave_the_block(void **state)
{
    (void)state;
    pliant_shape *made = fixture_sphere(test_context, 320, fixture_usual_tree);
    mapped_block m = map_block(made);
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    uint64_t live = allocator.live;
    pliant_result result = PLIANT_ERROR_OUT_OF_MEMORY;
    pliant_shape *shape = NULL;
    uint64_t failures = 0;
    while (result != PLIANT_OK) {
        allocator.fail_at = allocator.calls + ++failures;
        result = pliant_shape_borrow(context, m.data, m.size, give_back, &m, &shape);
        assert_true(result == PLIANT_OK || result == PLIANT_ERROR_OUT_OF_MEMORY);
        assert_true(result == PLIANT_OK || allocator.live == live);
        assert_int_equal(m.released, 0);
    }
    assert_true(failures > 2);
    allocator.fail_at = 0;
    assert_true(allocator.live_bytes < m.size);
    pliant_shape_destroy(shape);
    assert_int_equal(m.released, 1);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
    pliant_shape_destroy(made);
    unmap(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borrowed_shapes_are_only_read),
        cmocka_unit_test(files_are_mapped),
        cmocka_unit_test(bad_blocks_are_not_borrowed),
        cmocka_unit_test(failures_leave_the_block),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
