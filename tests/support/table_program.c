/* The C program of a failing world of table_world.h: data, then the calls in their order. */
#include "table_world.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void print_float(FILE *to, float x)
{
    if (x == floorf(x) && fabsf(x) < 1e6f && (x != 0.0f || !signbit(x))) {
        fprintf(to, "%.0f", (double)x);
    } else if (isfinite(x)) {
        fprintf(to, "%a", (double)x);
    } else {
        fputs(x > 0.0f ? "INFINITY" : x < 0.0f ? "-INFINITY" : "NAN", to);
    }
}

/* Begins an array; its numbers follow. */
static void begin_array(FILE *to, const char *type, const char *name, uint32_t number)
{
    fprintf(to, "static const %s %s_%u[] = {", type, name, number);
}

static void print_floats(FILE *to, const char *name, uint32_t number, const float *x, size_t count)
{
    begin_array(to, "float", name, number);
    for (size_t i = 0; i < count; i++) {
        fputs(i % 12 == 0 ? "\n    " : " ", to);
        print_float(to, x[i]);
        fputs(",", to);
    }
    fputs("};\n", to);
}

static void print_integers(FILE *to, const char *name, uint32_t number, const uint32_t *x,
                           size_t count)
{
    begin_array(to, "uint32_t", name, number);
    for (size_t i = 0; i < count; i++) {
        fprintf(to, "%s%u,", i % 12 == 0 ? "\n    " : " ", x[i]);
    }
    fputs("};\n", to);
}

/* ------------------------------------------------------------------ bodies */

/* The body as a life has it, before any event. */
static void print_arrays(FILE *to, const table_world *w, const table_life *l, uint32_t i)
{
    const table_body *b = &w->bodies[i];
    const table_actor *a = &l->actors[i];
    print_floats(to, "rest", i, a->rest, 3 * (size_t)a->vertex_count);
    print_integers(to, "triangles", i, a->triangles, 3 * (size_t)a->triangle_count);
    if (b->groups != NULL) {
        begin_array(to, "uint16_t", "groups", i);
        for (uint32_t t = 0; t < a->triangle_count; t++) {
            fprintf(to, " %u,", a->group[t]);
        }
        fputs("};\n", to);
    }
    if (b->mode_count > 0) {
        begin_array(to, "float", "modes", i);
        for (uint32_t k = 0; k < b->mode_count * a->vertex_count; k++) {
            const float *mode = b->modes + 3 * (size_t)(k / a->vertex_count) * b->mesh.vertex_count;
            for (uint32_t c = 0; c < 3; c++) {
                fputs(c == 0 ? "\n    " : " ", to);
                print_float(to, mode[3 * (size_t)a->kept[k % a->vertex_count] + c]);
                fputs(",", to);
            }
        }
        fputs("};\n", to);
    }
    if (b->offsets != NULL) {
        uint32_t offsets[1024] = {0}, joints[3072], count = 0;
        float weights[3072];
        for (uint32_t v = 0; v < a->vertex_count; v++) {
            for (uint32_t k = b->offsets[a->kept[v]]; k < b->offsets[a->kept[v] + 1]; k++) {
                joints[count] = b->joints[k];
                weights[count++] = b->weights[k];
            }
            offsets[v + 1] = count;
        }
        print_integers(to, "offsets", i, offsets, a->vertex_count + 1);
        print_integers(to, "joints", i, joints, count);
        print_floats(to, "weights", i, weights, count);
    }
}

static void print_body(FILE *to, const table_world *w, const table_life *l, uint32_t i)
{
    const table_body *b = &w->bodies[i];
    fprintf(to, "    def = pliant_shape_def_default();\n    def.positions = rest_%u;\n", i);
    fprintf(to, "    def.vertex_count = %u;\n    def.triangles = triangles_%u;\n",
            l->actors[i].vertex_count, i);
    fprintf(to, "    def.triangle_count = %u;\n", l->actors[i].triangle_count);
    if (b->groups != NULL) {
        fprintf(to, "    def.groups = groups_%u;\n", i);
    }
    if (b->mode_count > 0) {
        fprintf(to, "    def.mode_count = %u;\n    def.modes = modes_%u;\n", b->mode_count, i);
    }
    if (b->joint_count > 0) {
        fprintf(to, "    def.joint_count = %u;\n", b->joint_count);
    }
    if (b->offsets != NULL) {
        fprintf(to, "    def.influence_offsets = offsets_%u;\n", i);
        fprintf(to, "    def.influence_joints = joints_%u;\n", i);
        fprintf(to, "    def.influence_weights = weights_%u;\n", i);
    }
    if (b->error > 0.0f) {
        fprintf(to, "    def.error = %af;\n", (double)b->error);
    }
    if (b->proxy_triangles > 0) {
        fprintf(to, "    def.proxy_triangles = %u;\n", b->proxy_triangles);
    }
    fprintf(to,
            "    def.partition = s->partition;\n    def.arity = s->arity;\n"
            "    def.leaf_size = s->leaf_size;\n    def.islands = s->islands;\n"
            "    def.bound = %s;\n    OK(pliant_shape_create(context, &def, &shape[%u]));\n"
            "    OK(pliant_body_create(shape[%u], &of_body, &world[%u]));\n",
            b->spheres ? "PLIANT_BOUND_SPHERE" : "s->bound", i, i, i);
}

/* ------------------------------------------------------------------ events */

static void print_fields(FILE *to, const char *name, const query_type *type, const void *value,
                         const void *plain, const char *uses)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        const query_field *f = &type->fields[i];
        const char *at = (const char *)value + f->offset;
        bool unused = uses != NULL && strstr(uses, f->name) == NULL;
        if (f->is_array || f->number == QUERY_POINTER || f->count > 1 || unused ||
            memcmp(at, (const char *)plain + f->offset, f->size) == 0) {
            continue;
        }
        fprintf(to, "    %s.%s = ", name, f->name);
        float x = 0.0f;
        uint64_t bits = 0;
        memcpy(&bits, at, f->size);
        memcpy(&x, at, f->size < sizeof x ? 0 : sizeof x);
        if (f->number == QUERY_FLOAT) {
            print_float(to, x);
        } else {
            fprintf(to, "%" PRIu64, bits);
        }
        fputs(";\n", to);
    }
}

static void print_member(FILE *to, const table_event *e, bool add)
{
    const pliant_member_def *m = &e->member;
    fprintf(to, "    member = pliant_member_def_default();\n");
    fprintf(to, "    member.category = %" PRIu64 ";\n    member.mask = %" PRIu64 "u;\n",
            m->category, m->mask);
    fprintf(to, "    member.self = %d;\n    member.is_static = %d;\n", m->self, m->is_static);
    fprintf(to, "    member.proxies = %d;\n", m->proxies);
    if (e->grouped) {
        fprintf(to, "    member.groups = (pliant_groups){(const uint64_t[]){%" PRIu64 "}, 3};\n",
                e->groups[0]);
    }
    if (m->has_loose_box) {
        fputs("    member.has_loose_box = true;\n", to);
        for (int k = 0; k < 3; k++) {
            fprintf(to, "    member.loose_box.lower[%d] = ", k);
            print_float(to, m->loose_box.lower[k]);
            fprintf(to, ";\n    member.loose_box.upper[%d] = ", k);
            print_float(to, m->loose_box.upper[k]);
            fputs(";\n", to);
        }
    }
    if (add) {
        fprintf(to, "    OK(pliant_scene_add(scene, world[%u], &member, &id[%u]));\n", e->body,
                e->body);
    } else {
        fprintf(to, "    OK(pliant_scene_set_member(scene, id[%u], &member));\n", e->body);
    }
}

static void print_tear(FILE *to, const table_event *e)
{
    const table_tear *t = &e->tear;
    fprintf(to,
            "    OK(pliant_body_tear(world[%u], &(pliant_tear){\n"
            "        .removed = (const uint32_t[]){%u, %u}, .removed_count = %u,\n"
            "        .split = (const uint32_t[]){%u, %u}, .split_count = %u,\n"
            "        .corners = (const pliant_torn_corner[]){{%u, %u}, {%u, %u}},\n"
            "        .corner_count = %u",
            e->body, t->removed[0], t->removed[1], t->removed_count, t->split[0], t->split[1],
            t->split_count, t->corners[0].triangle, t->corners[0].vertex, t->corners[1].triangle,
            t->corners[1].vertex, t->split_count);
    if (t->welds) {
        fprintf(to, ", .welded = (const uint32_t[]){%u, %u}", t->welded[0], t->welded[1]);
    }
    fputs("}));\n", to);
}

/* Prints an event that sets a state. */
static void print_state(FILE *to, const table_event *e, uint32_t number)
{
    uint32_t body = e->body;
    if (e->deed == TABLE_SET_POSITIONS) {
        fprintf(to,
                "    OK(s->shares ? pliant_body_share_positions(world[%u], numbers_%u, 0)\n"
                "                 : pliant_body_set_positions(world[%u], numbers_%u, 0));\n",
                body, number, body, number);
    } else if (e->deed == TABLE_SET_COORDINATES) {
        fprintf(to, "    OK(pliant_body_set_coordinates(world[%u], numbers_%u, %u));\n", body,
                number, e->number_count);
    } else if (e->deed == TABLE_SET_TRANSFORMS) {
        fprintf(to, "    OK(pliant_body_set_transforms(world[%u], numbers_%u, %u, 0));\n", body,
                number, e->number_count / 12);
    } else if (e->numbers != NULL) {
        fprintf(to, "    OK(pliant_body_set_world(world[%u], numbers_%u));\n", body, number);
    } else {
        fprintf(to, "    OK(pliant_body_set_world(world[%u], NULL));\n", body);
    }
}

static void print_change(FILE *to, const table_event *e, uint32_t number, bool *present)
{
    switch (e->deed) {
    case TABLE_SET_POSITIONS:
    case TABLE_SET_COORDINATES:
    case TABLE_SET_TRANSFORMS:
    case TABLE_SET_WORLD:
        print_state(to, e, number);
        break;
    case TABLE_TEAR:
        print_tear(to, e);
        break;
    case TABLE_BEGIN_STEP:
        fprintf(to, "    OK(pliant_body_begin_step(world[%u]));\n", e->body);
        break;
    case TABLE_END_STEP:
        fprintf(to, "    OK(pliant_body_end_step(world[%u]));\n", e->body);
        break;
    case TABLE_ADD:
    case TABLE_SET_MEMBER:
        if (e->deed == TABLE_ADD || present[e->body]) {
            print_member(to, e, !present[e->body]);
            present[e->body] = true;
        }
        break;
    case TABLE_REMOVE:
        if (present[e->body]) {
            fprintf(to, "    OK(pliant_scene_remove(scene, id[%u]));\n", e->body);
            present[e->body] = false;
        }
        break;
    case TABLE_REPLACE: /* in its place in `bodies`, too */
        if (present[e->body]) {
            fprintf(to, "    OK(pliant_scene_remove(scene, id[%u]));\n", e->body);
        }
        fprintf(to,
                "    for (uint32_t i = 0; i < body_count; i++) {\n"
                "        bodies[i] = bodies[i] == world[%u] ? NULL : bodies[i];\n    }\n"
                "    pliant_body_destroy(world[%u]);\n"
                "    OK(pliant_body_create(shape[%u], &of_body, &world[%u]));\n"
                "    for (uint32_t i = 0; i < body_count; i++) {\n"
                "        bodies[i] = bodies[i] == NULL ? world[%u] : bodies[i];\n    }\n",
                e->body, e->body, e->body, e->body, e->body);
        present[e->body] = false;
        break;
    case TABLE_QUERY:
        break;
    }
}

static void print_places(FILE *to, const table_event *e, const query_call *call)
{
    const query_arguments *a = &e->arguments;
    if (strstr(call->text, "rays") != NULL) {
        fprintf(to, "    const uint64_t ray_count = %" PRIu64 ";\n", a->ray_count);
        fputs("    const pliant_ray rays[] = {", to);
        for (uint64_t i = 0; i < a->ray_count; i++) {
            const pliant_ray *ray = &e->rays[i];
            fprintf(to, "\n        {{%a, %a, %a}, {%a, %a, %a}, ", (double)ray->origin[0],
                    (double)ray->origin[1], (double)ray->origin[2], (double)ray->direction[0],
                    (double)ray->direction[1], (double)ray->direction[2]);
            print_float(to, ray->t_max);
            fputs("},", to);
        }
        fputs("};\n", to);
    }
    if (strstr(call->text, "points") != NULL && call->length == QUERY_POINTS) {
        fprintf(to, "    const uint64_t point_count = %" PRIu64 ";\n    const size_t stride = 0;\n",
                a->point_count);
        fputs("    const float points[] = {", to);
        for (uint64_t i = 0; i < 3 * a->point_count; i++) {
            print_float(to, e->points[i]);
            fputs(", ", to);
        }
        fputs("};\n", to);
    }
    if (strstr(call->text, "&box") != NULL) {
        fputs("    pliant_box box;\n", to);
        for (int k = 0; k < 3; k++) {
            fprintf(to, "    box.lower[%d] = ", k);
            print_float(to, a->box.lower[k]);
            fprintf(to, ";\n    box.upper[%d] = ", k);
            print_float(to, a->box.upper[k]);
            fputs(";\n", to);
        }
    }
}

static void print_options(FILE *to, const table_event *e, const query_options *options)
{
    const query_arguments plain = query_arguments_default();
    const char *name = options->type->name + strlen("pliant_");
    bool of_scene = strcmp(name, "scene_options") == 0;
    fprintf(to, "    %s %s = %s_default();\n", options->type->name, name, options->type->name);
    print_fields(to, name, options->type, (const char *)&e->arguments + options->offset,
                 (const char *)&plain + options->offset, of_scene ? e->row->uses : NULL);
    for (uint32_t i = 0; i < options->type->field_count && e->grouped; i++) {
        const char *field = options->type->fields[i].name;
        if (strncmp(field, "groups_", 7) == 0) {
            fprintf(to, "    %s.groups_%c = (pliant_groups){(const uint64_t[]){%" PRIu64 "}, 3};\n",
                    name, field[7], e->groups[field[7] - 'a']);
        }
    }
    if (e->filtered && (of_scene || strcmp(name, "scene_select") == 0)) {
        fprintf(to, "    static uint32_t salt = %u;\n    %s.filter = filter_%s;\n", e->salt, name,
                of_scene ? "pair" : "body");
        fprintf(to, "    %s.filter_user = &salt;\n", name);
    }
}

/* A query in a block of its own; of the last one the field is printed that differed. */
static void print_query(FILE *to, const table_event *e, const char *field)
{
    const query_call *call = &e->row->forms[e->form];
    const char *type = call->result->name;
    fputs("    {\n", to);
    for (int k = 0; k < 2 && call->options[k].type != NULL; k++) {
        print_options(to, e, &call->options[k]);
    }
    print_places(to, e, call);
    if (strstr(call->text, "distance,") != NULL) {
        bool most = strstr(call->text, "max_distance,") != NULL;
        fprintf(to, "    const float %s = ", most ? "max_distance" : "distance");
        print_float(to, most ? e->arguments.max_distance : e->arguments.distance);
        fputs(";\n", to);
    }
    if (call->body_count == 1 || call->body_count == 2) {
        fprintf(to, "    pliant_body *const body[] = {world[%u], world[%u]};\n", e->body, e->other);
    }
    if (strncmp(type, "query_", 6) == 0) {
        type = "struct { const uint32_t *triangles; uint64_t count; }";
    }
    fprintf(to, "    %s found%s;\n    memset(&found, 0, sizeof found);\n", type,
            call->length == QUERY_ONE ? "" : "[8]");
    fprintf(to, "    OK(%s);\n", call->text);
    if (field[0] != '\0') {
        fprintf(to, "    printf(\"%s is %%.17g\\n\", (double)found%s%s);\n", field,
                field[0] == '[' ? "" : ".", field);
    }
    fputs("    }\n", to);
}

/* --------------------------------------------------------------------- all */

static const char head[] =
    "#include <math.h>\n#include <pliant/pliant.h>\n#include <stdio.h>\n#include <string.h>\n\n"
    "#define OK(call) \\\n    do { \\\n        if ((call) != PLIANT_OK) { \\\n"
    "            printf(\"line %d: %s\\n\", __LINE__, pliant_last_error()); \\\n        } \\\n"
    "    } while (0)\n\n"
    "typedef struct settings {\n    pliant_isa isa;\n    uint32_t workers;\n"
    "    pliant_broad broad;\n    pliant_update update;\n    pliant_rebuild rebuild;\n"
    "    bool coherent, shares;\n    pliant_partition partition;\n"
    "    uint32_t arity, leaf_size;\n    pliant_islands islands;\n    pliant_bound_kind bound;\n"
    "} settings;\n\n";
static const char filters[] =
    "static bool filter_pair(void *user, pliant_body_id a, pliant_body_id b)\n{\n"
    "    return (a.index * 7 + b.index * 13 + *(const uint32_t *)user) % 5 != 0;\n}\n\n"
    "static bool filter_body(void *user, pliant_body_id id)\n{\n"
    "    return (id.index * 7 + *(const uint32_t *)user) % 5 != 0;\n}\n\n";
static const char objects[] =
    "    pliant_context *context = NULL;\n    pliant_scene *scene = NULL;\n"
    "    pliant_query *query = NULL;\n    pliant_contours *contours = NULL;\n"
    "    pliant_volume *volume = NULL;\n    pliant_shape *shape[5] = {NULL};\n"
    "    pliant_body *world[5] = {NULL}, *bodies[5];\n    uint32_t body_count = 0;\n"
    "    pliant_body_id id[5];\n"
    "    pliant_context_def of_context = pliant_context_def_default();\n"
    "    pliant_scene_def of_scene = pliant_scene_def_default();\n"
    "    pliant_body_def of_body = pliant_body_def_default();\n    pliant_shape_def def;\n"
    "    pliant_member_def member;\n    of_context.isa = s->isa;\n"
    "    of_context.workers = s->workers;\n    of_scene.broad = s->broad;\n"
    "    of_body.update = s->update;\n    of_body.rebuild = s->rebuild;\n"
    "    of_body.coherent = s->coherent;\n"
    "    OK(pliant_context_create(&of_context, &context));\n"
    "    OK(pliant_scene_create(context, &of_scene, &scene));\n"
    "    OK(pliant_query_create(context, &query));\n"
    "    OK(pliant_contours_create(context, &contours));\n"
    "    OK(pliant_volume_create(context, NULL, &volume));\n"
    "    (void)bodies, (void)body_count, (void)id, (void)member, (void)contours, (void)volume;\n";
static const char tail[] =
    "    pliant_volume_destroy(volume);\n    pliant_contours_destroy(contours);\n"
    "    pliant_query_destroy(query);\n    pliant_scene_destroy(scene);\n"
    "    for (int i = 0; i < 5; i++) {\n        pliant_body_destroy(world[i]);\n"
    "        pliant_shape_destroy(shape[i]);\n    }\n    pliant_context_destroy(context);\n}\n\n"
    "int main(void)\n{\n";

static void print_settings(FILE *to, const table_settings *s)
{
    fprintf(to, "    live(&(settings){%d, %u, %d, %d, %d, %d, %d, %d, %u, %u, %d, %d});\n", s->isa,
            s->workers, s->broad, s->update, s->rebuild, s->coherent, s->shares, s->tree.partition,
            s->tree.arity, s->tree.leaf_size, s->islands, s->bound);
}

/* The field that a text such as "pairs[3].a is 5 instead of 6" names, or nothing. */
static void find_field(const char *text, char field[96])
{
    const char *end = strstr(text, " is ");
    size_t length = end != NULL ? (size_t)(end - text) : 0;
    bool named = length > 0 && length < 96 && memchr(text, ' ', length) == NULL;
    memcpy(field, text, named ? length : 0);
    field[named ? length : 0] = '\0';
}

static void print_data(FILE *to, const table_world *w, const table_life *l)
{
    for (uint32_t i = 0; i < w->body_count; i++) {
        if (!w->bodies[i].left_out) {
            print_arrays(to, w, l, i);
        }
    }
    for (uint32_t i = 0; i < w->event_count; i++) {
        const table_event *e = &w->events[i];
        const table_body *b = &w->bodies[e->body];
        if (e->left_out || e->numbers == NULL || b->left_out) {
            continue;
        }
        float kept[3 * 1024];
        const table_actor *a = &l->actors[e->body];
        bool some = e->deed == TABLE_SET_POSITIONS && b->compact;
        for (uint32_t v = 0; v < a->vertex_count && some; v++) {
            memcpy(kept + 3 * (size_t)v, e->numbers + 3 * (size_t)a->kept[v], 3 * sizeof *kept);
        }
        print_floats(to, "numbers", i, some ? kept : e->numbers,
                     some ? 3 * (size_t)a->vertex_count : e->number_count);
    }
}

void table_program(FILE *to, const table_world *w, const table_failure *failure)
{
    static table_life l; /* it keeps the arrays of each body */
    bool present[TABLE_BODIES] = {false};
    char field[96];
    find_field(failure->text, field);
    table_life_begin(&l, w, &table_plain);
    fprintf(to, "/* %s: %s\n   ", w->events[failure->event].row->name, failure->text);
    table_settings_print(to, &failure->settings[0]);
    fprintf(to, "   instead of: ");
    table_settings_print(to, &failure->settings[1]);
    fprintf(to, "*/\n%s", head);
    print_data(to, w, &l);
    fprintf(to, "\n%sstatic void live(const settings *s)\n{\n%s", filters, objects);
    for (uint32_t i = 0; i < w->body_count; i++) {
        if (!w->bodies[i].left_out) {
            print_body(to, w, &l, i);
            fprintf(to, "    bodies[body_count++] = world[%u];\n", i);
        }
    }
    for (uint32_t i = 0; i <= failure->event; i++) {
        const table_event *e = &w->events[i];
        bool gone = e->left_out || (e->deed != TABLE_QUERY && w->bodies[e->body].left_out);
        if (!gone && e->deed == TABLE_QUERY) {
            print_query(to, e, i == failure->event ? field : "");
        } else if (!gone) {
            print_change(to, e, i, present);
        }
    }
    fputs(tail, to);
    print_settings(to, &failure->settings[0]);
    print_settings(to, &failure->settings[1]);
    fputs("    return 0;\n}\n", to);
    table_life_end(&l);
}
