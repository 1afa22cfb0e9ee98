/*
 * All queries of the library in all their forms, as rows of a table that interface/generate makes.
 * A test calls each of them, copies its result and its statistics, and compares two copies, without
 * naming a query. A query that is added to interface/queries.toml has its row at once.
 */
#ifndef PLIANT_TESTS_QUERIES_H
#define PLIANT_TESTS_QUERIES_H

#include <pliant/pliant.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUERY_ARGUMENTS
#include "queries.inl"
#undef QUERY_ARGUMENTS

/* Objects of a call; a form takes those that it needs. */
typedef struct query_place {
    pliant_query *query;
    pliant_scene *scene;
    pliant_volume *volume;
    pliant_contours *contours;
    pliant_body *body[2];       /* FORM_SELF and queries of one body: the first */
    pliant_body *const *bodies; /* of a form whose body_count is QUERY_MANY */
    uint32_t body_count;
} query_place;

typedef enum query_form { FORM_BODIES = 0, FORM_SELF, FORM_SCENE, QUERY_FORMS } query_form;
typedef enum query_length {
    QUERY_BY_FIELD = 0,
    QUERY_ONE,
    QUERY_RAYS,
    QUERY_RAYS_AND_ONE,
    QUERY_POINTS,
    QUERY_VERTICES,
    QUERY_TRIANGLES
} query_length;
typedef enum query_owner {
    QUERY_OF_QUERY,
    QUERY_OF_SCENE,
    QUERY_OF_VOLUME,
    QUERY_OF_CONTOURS
} query_owner;
typedef enum query_number {
    QUERY_UNSIGNED,
    QUERY_SIGNED,
    QUERY_FLOAT,
    QUERY_POINTER,
    QUERY_STRUCTS /* no number: the elements have a type */
} query_number;

typedef struct query_type query_type;

/* Numbers of a struct, or an array that it points to. Members of structs within it are its own,
 * with names such as "gap.distance". */
typedef struct query_field {
    const char *name;
    size_t offset;
    query_number number;
    size_t size;                       /* of one number or element */
    uint32_t count;                    /* numbers in a row, or per element of an array */
    bool is_array, optional;           /* optional: may be NULL although its length is not 0 */
    query_length length;               /* of an array */
    size_t length_offset, length_size; /* by a field; else the offset is the body: 0 or 1 */
    const query_type *elements;
} query_field;

struct query_type {
    const char *name;
    size_t size;
    const query_field *fields;
    uint32_t field_count;
};

/* The options of a call. */
typedef struct query_options {
    const query_type *type;
    size_t offset; /* in query_arguments */
} query_options;

/* A form of a query. */
typedef struct query_call {
    const char *name; /* NULL: the query has no such form */
    pliant_result (*call)(const query_place *place, const query_arguments *arguments, void *result);
    const query_type *result;
    query_length length; /* of the caller's array of results: QUERY_ONE, RAYS or POINTS */
    uint32_t body_count; /* 0 to 2 or QUERY_MANY */
    query_owner owner;   /* of the statistics */
    const char *text;    /* the call in C, its variables called as the members here */
    query_options options[2];
} query_call;

#define QUERY_MANY UINT32_MAX

typedef struct query_row {
    const char *name;
    bool over_step, changes;           /* changes: sets states of bodies */
    pliant_recorded_question recorded; /* 0: never */
    const char *uses;                  /* fields of scene_options, with spaces between */
    query_call forms[QUERY_FORMS];
} query_row;

extern const query_row query_rows[];
extern const uint32_t query_row_count;

/* Returns the row of a name, which must exist. */
const query_row *query_find(const char *name);

/* Arguments with the defaults of all options; rays, points and box are empty. */
#define query_arguments_default() QUERY_EMPTY_ARGUMENTS

/* One number of a result: field[0] of the result, or of element[0] of its array field[0], and so
 * on for arrays in elements. */
typedef struct query_value {
    const query_field *field[3];
    uint32_t element[2];
    uint32_t number; /* of numbers in a row */
    bool is_length;  /* of the array field[0], or field[1] within it */
    uint64_t bits;   /* of a length: the elements; UINT64_MAX: NULL instead of an optional array */
} query_value;

/* A result and its statistics, independent of the objects of the call. Times and memory are left
 * out. */
typedef struct query_copy {
    const query_call *call;
    pliant_result result;
    char error[256];
    query_value *values;
    uint64_t count;
    uint64_t statistics; /* from this value on, there are statistics */
    uint64_t capacity;
    uint64_t hash; /* of result, error and values, without statistics */
    uint64_t cost; /* hash of the statistics */
} query_copy;

/* Calls a form that the row has and keeps the result in a copy, whose memory is used again. With
 * the option `events` the events of the scene are part of the result. */
void query_run(const query_row *row, query_form form, const query_place *place,
               const query_arguments *arguments, query_copy *copy);
void query_copy_free(query_copy *copy);

/* Copies any struct that a table has. */
void query_copy_struct(query_copy *copy, const query_type *type, const void *from);

/* Returns true if both are equal bit by bit. Otherwise writes the first difference to `text`, such
 * as "pairs[3].gap.distance is 1 instead of 2". */
bool query_copies_equal(const query_copy *expected, const query_copy *found, bool statistics,
                        char text[256]);

/* Keeps the elements first to first + count - 1 of all arrays, as elements from 0 on: the part of a
   scene's result that is of two bodies. Drops all else, and `bodies`, `undecided`, `crossings`. */
void query_copy_slice(const query_copy *copy, uint64_t first, uint64_t count, query_copy *slice);

/* Returns the number with a name of an element of an array, such as ("bodies", 2, "first"); name
 * of array NULL: of the result itself. */
uint64_t query_copy_number(const query_copy *copy, const char *array, uint32_t element,
                           const char *name);

#endif
