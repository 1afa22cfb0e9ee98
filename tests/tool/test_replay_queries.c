/* Every recorded query, by its row of the table: all its options and its result are recorded, field
   by field, and replayed. */
#include "fixture.h"
#include "queries.h"
#include "recorded_world.h"
#include "tool/replay/file.h"
#include "tool/replay/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/recording.h"

#include "scene/recorded.inl"

enum { ITEMS = 5, STRIDE = 4 };

typedef struct stage {
    pliant_shape *shape;
    pliant_body *body[2];
    pliant_body_id id[2];
    query_place place;
    written_bytes written;
    float points[STRIDE * ITEMS];
    pliant_ray rays[ITEMS];
    query_arguments arguments;
} stage;

/* Two spheres that touch, the second of which has moved there in a step. */
static void set_stage(stage *s)
{
    gallery_settings settings = {.triangles = 80, .seed = 1};
    gallery_scene *sphere = gallery_create(&gallery_spheres, &settings);
    pliant_shape_def shape = fixture_shape_def(&sphere->bodies[0]);
    shape.proxy_triangles = 8;
    *s = (stage){.shape = NULL};
    assert_ok(pliant_shape_create(test_context, &shape, &s->shape));
    gallery_destroy(sphere);
    assert_ok(pliant_scene_create(test_context, NULL, &s->place.scene));
    assert_ok(pliant_volume_create(test_context, NULL, &s->place.volume));
    pliant_member_def def = pliant_member_def_default();
    def.self = def.proxies = true;
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_create(s->shape, NULL, &s->body[i]));
        assert_ok(pliant_scene_add(s->place.scene, s->body[i], &def, &s->id[i]));
    }
    assert_ok(pliant_scene_begin_step(s->place.scene));
    float *moved = malloc(3 * sizeof *moved * pliant_shape_get_vertex_count(s->shape));
    uint32_t count = pliant_shape_get_vertex_count(s->shape);
    assert_ok(pliant_body_evaluate(s->body[1], NULL, count, moved));
    for (uint32_t i = 0; i < 3 * count; i++) {
        moved[i] += i % 3 == 0 ? 0.5f : 0.125f;
    }
    assert_ok(pliant_body_set_positions(s->body[1], moved, 0));
    free(moved);
    for (int i = 0; i < ITEMS; i++) {
        float x = 0.25f * (float)i - 0.5f;
        s->rays[i] = (pliant_ray){{x, 0.1f, 3.0f}, {0.0f, 0.0f, -1.0f}, i < 4 ? 9.0f : 0.5f};
        memcpy(&s->points[STRIDE * i], (const float[STRIDE]){x, 0.2f, 1.5f, 77.0f},
               STRIDE * sizeof(float));
    }
    s->arguments = query_arguments_default();
    s->arguments.rays = s->rays;
    s->arguments.points = s->points;
    s->arguments.ray_count = s->arguments.point_count = ITEMS;
    s->arguments.stride = STRIDE * sizeof(float);
    s->arguments.distance = 0.125f;
    s->arguments.max_distance = 4.0f;
    s->arguments.volume_options.resolution = 16;
    s->arguments.box = (pliant_box){{-1.0f, -1.0f, -1.0f}, {0.5f, INFINITY, 0.5f}};
    s->arguments.every_option = true;
    pliant_recording_options options = pliant_recording_options_default();
    options.write = written_bytes_take;
    options.write_user = &s->written;
    assert_ok(pliant_scene_record(s->place.scene, &options));
}

static void clear_stage(stage *s)
{
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_scene_remove(s->place.scene, s->id[i]));
        pliant_body_destroy(s->body[i]);
    }
    pliant_volume_destroy(s->place.volume);
    pliant_scene_destroy(s->place.scene);
    pliant_shape_destroy(s->shape);
    free(s->written.bytes);
}

/* A chunk of a recording in memory. */
typedef struct chunk {
    uint32_t kind;
    uint64_t at, size; /* of the content */
} chunk;

static bool next_chunk(const written_bytes *written, chunk *c)
{
    uint64_t at = c->at == 0 ? 16 : c->at + c->size + 8;
    if (at == written->size) {
        return false;
    }
    memcpy(&c->kind, written->bytes + at, sizeof c->kind);
    memcpy(&c->size, written->bytes + at + 8, sizeof c->size);
    c->at = at + 16;
    return true;
}

static chunk last_of_kind(const written_bytes *written, uint32_t kind)
{
    chunk last = {0}, c = {0};
    while (next_chunk(written, &c)) {
        last = c.kind == kind ? c : last;
    }
    return last;
}

/* Runs a query; returns the bytes that it wrote of its arguments, NULL if it was rejected. */
static uint8_t *record_query(stage *s, const query_row *row, uint64_t *size)
{
    const query_call *call = &row->forms[FORM_SCENE];
    uint64_t before = s->written.size;
    void *found = calloc(ITEMS, call->result->size);
    pliant_result result = call->call(&s->place, &s->arguments, found);
    free(found);
    chunk c = last_of_kind(&s->written, PLIANT_CHUNK_QUESTION);
    bool recorded = c.at > before;
    if (recorded != (result == PLIANT_OK)) {
        fail_msg("%s: %s, and is %srecorded", row->name, pliant_result_get_name(result),
                 recorded ? "" : "not ");
    }
    if (!recorded) {
        return NULL;
    }
    uint8_t *bytes = malloc(c.size);
    memcpy(bytes, s->written.bytes + c.at, c.size);
    *size = c.size;
    return bytes;
}

static void *options_of(stage *s, const pli_recorded_field *fields)
{
    return fields == scene_options_fields      ? (void *)&s->arguments.scene_options
           : fields == scene_select_fields     ? (void *)&s->arguments.scene_select
           : fields == volume_options_fields   ? (void *)&s->arguments.volume_options
           : fields == distance_options_fields ? (void *)&s->arguments.distance_options
                                               : NULL;
}

static bool pass_body(void *user, pliant_body_id body)
{
    return user == NULL && body.generation != 0;
}

static bool pass_pair(void *user, pliant_body_id a, pliant_body_id b)
{
    return user == NULL && a.generation != 0 && b.generation != 0;
}

static bool take_contacts(void *user, const pliant_scene_pair *pair, const pliant_contacts *batch)
{
    return user == NULL && pair != NULL && batch->count > 0;
}

static bool take_meetings(void *user, const pliant_scene_pair *pair, const pliant_meetings *batch)
{
    return user == NULL && pair != NULL && batch->count > 0;
}

/* Sets a function of an options struct. */
static void set_function(stage *s, const pli_recorded_field *fields, size_t offset)
{
    pliant_scene_options *options = &s->arguments.scene_options;
    if (fields == scene_select_fields) {
        s->arguments.scene_select.filter = pass_body;
    } else if (offset == offsetof(pliant_scene_options, filter)) {
        options->filter = pass_pair;
    } else if (offset == offsetof(pliant_scene_options, callback)) {
        options->callback = take_contacts;
    } else {
        assert_int_equal(offset, offsetof(pliant_scene_options, meetings_callback));
        options->meetings_callback = take_meetings;
    }
}

/* Gives a field another value that most fields accept. */
static void change_field(stage *s, const pli_recorded_field *fields,
                         const pli_recorded_field *field)
{
    char *at = (char *)options_of(s, fields) + field->offset;
    if (field->keeps == PLI_KEEPS_FLAG && field->size == sizeof(void *)) {
        set_function(s, fields, field->offset);
    } else if (field->size == sizeof(double)) {
        uint64_t number = 0;
        memcpy(&number, at, sizeof number);
        number = number == 0 ? 1000 : number ^ 2;
        memcpy(at, &number, sizeof number);
    } else {
        at[0] = (char)(at[0] ^ 1);
    }
}

/* Changes one field of one options struct of a query; returns true if the query accepts that. */
static bool change_is_recorded(stage *s, const query_row *row, const pli_recorded_field *fields,
                               uint32_t number, const uint8_t *usual, uint64_t usual_size)
{
    query_arguments kept = s->arguments;
    uint64_t size = 0;
    change_field(s, fields, &fields[number]);
    uint8_t *bytes = record_query(s, row, &size);
    s->arguments = kept;
    bool same = bytes != NULL && size == usual_size && memcmp(bytes, usual, size) == 0;
    if (same) {
        fail_msg("%s: field %u of %u bytes is not recorded", row->name, number,
                 fields[number].size);
    }
    free(bytes);
    return bytes != NULL;
}

static void play_again(const written_bytes *written, uint64_t queries)
{
    replay_settings settings = replay_settings_default();
    replay_summary summary;
    replay_play(written->bytes, written->size, &settings, &summary);
    assert_string_equal(summary.error, "");
    assert_int_equal(summary.asked_count, queries);
    assert_int_equal(summary.differing_count, 0);
}

static void every_option_is_recorded(void **state)
{
    (void)state;
    uint32_t rows = 0, accepted = 0;
    for (uint32_t r = 0; r < query_row_count; r++) {
        const query_row *row = &query_rows[r];
        if (row->recorded == 0) {
            continue;
        }
        stage s;
        uint64_t size = 0, queries = 1;
        uint32_t number = 0;
        set_stage(&s);
        uint8_t *usual = record_query(&s, row, &size);
        assert_non_null(usual);
        memcpy(&number, usual, sizeof number);
        assert_int_equal(number, row->recorded);
        const pli_recorded_query *query = &recorded_queries[row->recorded];
        for (uint32_t a = 0; a < query->argument_count; a++) {
            const pli_recorded_argument *argument = &query->arguments[a];
            for (uint32_t f = 0; f < argument->field_count; f++) {
                if (argument->how == PLI_ARGUMENT_OPTIONS) {
                    assert_non_null(options_of(&s, argument->fields));
                    queries += change_is_recorded(&s, row, argument->fields, f, usual, size);
                }
            }
        }
        assert_ok(pliant_scene_stop_recording(s.place.scene));
        play_again(&s.written, queries);
        free(usual);
        clear_stage(&s);
        rows++;
        accepted += (uint32_t)queries - 1;
    }
    assert_true(rows >= 13 && accepted >= 40);
}

/* NULL stands for the defaults; their fields are not recorded. */
static void missing_options_stay_missing(void **state)
{
    (void)state;
    stage s;
    pliant_scene_proximities near;
    pliant_scene_volumes volumes;
    pliant_scene_ray_hit hits[ITEMS];
    pliant_scene_signed_distance distances[ITEMS];
    set_stage(&s);
    assert_ok(pliant_scene_find_within(s.place.scene, 0.125f, NULL, &near));
    assert_true(near.count > 0);
    chunk c = last_of_kind(&s.written, PLIANT_CHUNK_QUESTION);
    assert_int_equal(c.size, 8 + 4 + 1); /* number and signature, distance, no options */
    assert_ok(pliant_scene_raycast(s.place.scene, s.rays, ITEMS, NULL, hits));
    c = last_of_kind(&s.written, PLIANT_CHUNK_QUESTION);
    assert_int_equal(c.size, 8 + 8 + ITEMS * 28 + 1);
    assert_ok(pliant_scene_raycast(s.place.scene, NULL, 0, NULL, NULL));
    assert_ok(
        pliant_scene_measure_distances(s.place.scene, s.points, ITEMS, 16, NULL, NULL, distances));
    assert_ok(pliant_volume_intersect_scene(s.place.volume, s.place.scene, NULL, NULL, &volumes));
    assert_true(volumes.count > 0);
    assert_ok(pliant_scene_stop_recording(s.place.scene));
    play_again(&s.written, 5);
    clear_stage(&s);
}

/* ------------------------------------------------------------------- differences */

typedef struct named {
    uint64_t differing;
    char field[64];
} named;

static void keep_name(void *user, const replay_question *question)
{
    named *n = user;
    if (question->verdict == REPLAY_DIFFERS) {
        n->differing++;
        snprintf(n->field, sizeof n->field, "%s", question->field);
    } else {
        assert_null(question->field);
    }
}

static named play_altered(const written_bytes *written, uint64_t at)
{
    named n = {.differing = 0};
    replay_settings settings = replay_settings_default();
    settings.tell = keep_name;
    settings.user = &n;
    replay_summary summary;
    written->bytes[at] ^= 1;
    replay_seal(written->bytes, written->size);
    replay_play(written->bytes, written->size, &settings, &summary);
    assert_string_equal(summary.error, "");
    written->bytes[at] ^= 1;
    return n;
}

/* A replay names the first field that differs; `field` counts those of a row's result. */
static void the_field_that_differs_is_named(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < query_row_count; r++) {
        const query_row *row = &query_rows[r];
        if (row->recorded == 0) {
            continue;
        }
        stage s;
        uint64_t size = 0;
        char before[64] = "result";
        set_stage(&s);
        free(record_query(&s, row, &size));
        assert_ok(pliant_scene_stop_recording(s.place.scene));
        chunk c = last_of_kind(&s.written, PLIANT_CHUNK_ANSWER);
        uint64_t fields = (c.size - sizeof(pliant_recorded_answer)) / sizeof(uint64_t);
        assert_int_equal(fields, recorded_queries[row->recorded].field_count);
        assert_string_equal(play_altered(&s.written, c.at).field, "result");
        assert_string_equal(play_altered(&s.written, c.at + 8).field, "count");
        assert_string_equal(play_altered(&s.written, c.at + 16).field, "count");
        assert_string_equal(play_altered(&s.written, c.at + 24).field, "checksum");
        for (uint64_t i = 0; i < fields; i++) {
            named n = play_altered(&s.written, c.at + sizeof(pliant_recorded_answer) + 8 * i);
            assert_int_equal(n.differing, 1);
            assert_string_not_equal(n.field, before);
            assert_true(n.field[0] != '\0');
            if (row->recorded == PLIANT_RECORDED_COLLIDE && (i == 0 || i == 6)) {
                assert_string_equal(n.field, i == 0 ? "complete" : "pairs.a");
            }
            memcpy(before, n.field, sizeof before);
        }
        clear_stage(&s);
    }
}

/* Of first contacts only the bodies are compared. */
static void only_bodies_of_first_contacts_are_compared(void **state)
{
    (void)state;
    stage s;
    uint64_t size = 0, not_null = 0;
    set_stage(&s);
    s.arguments.scene_options.mode = PLIANT_COLLIDE_FIRST;
    free(record_query(&s, query_find("collide"), &size));
    chunk c = last_of_kind(&s.written, PLIANT_CHUNK_ANSWER);
    uint64_t sums[18];
    assert_int_equal(c.size, sizeof(pliant_recorded_answer) + sizeof sums);
    memcpy(sums, s.written.bytes + c.at + sizeof(pliant_recorded_answer), sizeof sums);
    for (int i = 0; i < 18; i++) {
        not_null += sums[i] != 0;
    }
    assert_true(not_null == 2 && sums[1] != 0 && sums[2] != 0);
    clear_stage(&s);
}

/* ------------------------------------------------------------------- checksums */

/* The checksum of docs/recording.md, of a number of elements and `size` bytes of each. */
static uint64_t checksum_of(const void *first, uint64_t count, size_t stride, size_t size)
{
    uint64_t sum = 0, length = 8 + count * size;
    uint8_t *bytes = calloc(length + 8, 1);
    memcpy(bytes, &count, sizeof count);
    for (uint64_t i = 0; i < count; i++) {
        memcpy(bytes + 8 + i * size, (const char *)first + i * stride, size);
    }
    for (uint64_t at = 0; at < length; at += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    }
    free(bytes);
    return sum;
}

/* Every element counts, in fields of every size. */
static void checksums_are_as_described(void **state)
{
    (void)state;
    stage s;
    pliant_scene_proximities near;
    uint64_t sums[14];
    set_stage(&s);
    assert_ok(pliant_scene_find_within(s.place.scene, 0.25f, NULL, &near));
    chunk c = last_of_kind(&s.written, PLIANT_CHUNK_ANSWER);
    assert_int_equal(c.size, sizeof(pliant_recorded_answer) + sizeof sums);
    memcpy(sums, s.written.bytes + c.at + sizeof(pliant_recorded_answer), sizeof sums);
    assert_true(near.count > 200 && near.count % 64 != 0 && near.body_pair_count == 1);
    const uint32_t slots[2] = {s.id[0].index + 1, s.id[1].index + 1};
    const size_t stride = sizeof *near.pairs;
    assert_true(sums[0] == checksum_of(&slots[0], 1, 4, 4));
    assert_true(sums[1] == checksum_of(&slots[1], 1, 4, 4));
    assert_true(sums[4] == checksum_of(&near.bodies->complete, 1, sizeof *near.bodies, 1));
    assert_true(sums[5] == checksum_of(&near.pairs->a, near.count, stride, 4));
    assert_true(sums[7] == checksum_of(&near.pairs->gap.distance, near.count, stride, 8));
    assert_true(sums[8] == checksum_of(near.pairs->gap.a.point, near.count, stride, 24));
    clear_stage(&s);
}

/* -------------------------------------------------------------------- bad bytes */

static void expect_error(const written_bytes *written, const char *error)
{
    replay_settings settings = replay_settings_default();
    replay_summary summary;
    replay_seal(written->bytes, written->size);
    replay_play(written->bytes, written->size, &settings, &summary);
    if (strstr(summary.error, error) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", error, summary.error);
    }
}

static void other_recordings_are_refused(void **state)
{
    (void)state;
    stage s;
    uint64_t size = 0;
    set_stage(&s);
    free(record_query(&s, query_find("find_within"), &size));
    assert_ok(pliant_scene_stop_recording(s.place.scene));
    uint8_t *bytes = s.written.bytes;
    bytes[8] = 1;
    expect_error(&s.written, "the recording has format 1, this program reads format 2: replay it "
                             "with the version of Pliant that recorded it, or record it again");
    bytes[8] = PLIANT_RECORDING_VERSION;
    chunk c = last_of_kind(&s.written, PLIANT_CHUNK_QUESTION);
    bytes[c.at + 4] ^= 1;
    expect_error(&s.written, "'find within' was recorded with other fields");
    bytes[c.at + 4] ^= 1;
    const uint8_t numbers[] = {0, 14, 200};
    for (size_t i = 0; i < sizeof numbers; i++) {
        bytes[c.at] = numbers[i];
        expect_error(&s.written, "unknown query");
    }
    bytes[c.at] = PLIANT_RECORDED_FIND_WITHIN;
    expect_error(&s.written, "");
    clear_stage(&s);
}

/* A chunk of a query with a byte more or fewer than its arguments need. */
static void lengths_are_checked(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < query_row_count; r++) {
        const query_row *row = &query_rows[r];
        for (int more = -1; more <= 1 && row->recorded != 0; more += 2) {
            stage s;
            uint64_t size = 0;
            set_stage(&s);
            free(record_query(&s, row, &size));
            chunk c = last_of_kind(&s.written, PLIANT_CHUNK_QUESTION);
            uint64_t end = c.at + c.size, longer = c.size + (uint64_t)more;
            uint8_t *bytes = calloc(s.written.size + 1, 1);
            memcpy(bytes, s.written.bytes, end);
            memcpy(bytes + c.at - 8, &longer, sizeof longer);
            memcpy(bytes + end + more, s.written.bytes + end, s.written.size - end);
            written_bytes altered = {.bytes = bytes, .size = s.written.size + (uint64_t)more};
            expect_error(&altered, more > 0 ? "is too long" : "is too short");
            free(bytes);
            clear_stage(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_recorded),
        cmocka_unit_test(missing_options_stay_missing),
        cmocka_unit_test(the_field_that_differs_is_named),
        cmocka_unit_test(only_bodies_of_first_contacts_are_compared),
        cmocka_unit_test(checksums_are_as_described),
        cmocka_unit_test(other_recordings_are_refused),
        cmocka_unit_test(lengths_are_checked),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
