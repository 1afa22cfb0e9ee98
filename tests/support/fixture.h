/* What the tests of shapes, bodies and queries share: contexts that count and fail, and scenes. */
#ifndef PLIANT_TESTS_FIXTURE_H
#define PLIANT_TESTS_FIXTURE_H

#include "assert_ok.h"
#include "brute.h"
#include "gallery/gallery.h"

/* An allocator that counts what it gives and can be told to fail. */
typedef struct counting_allocator {
    uint64_t calls;                  /* allocations so far */
    uint64_t live;                   /* not yet released */
    uint64_t live_bytes, peak_bytes; /* now, and at most */
    uint64_t fail_at;     /* the allocation with this number fails (counted from 1; 0: none) */
    bool fail_from_there; /* and all behind it */
} counting_allocator;

/* A context over a counting allocator; NULL if its own allocation was told to fail. */
pliant_context *fixture_context(counting_allocator *allocator);

/* The same with a scheduler, which must allocate on one thread at a time: nothing is locked. */
pliant_context *fixture_context_of(counting_allocator *allocator, pliant_scheduler scheduler);

/* A context that uses an instruction set and so many workers; asserts success. */
pliant_context *fixture_context_with(pliant_isa isa, uint32_t workers);

/* What the tests of one program ask with; made and destroyed by the functions behind, of which the
   second pair has the query as well. */
extern pliant_context *test_context;
extern pliant_query *test_query;
int test_context_set_up(void **state);
int test_context_tear_down(void **state);
int test_query_set_up(void **state);
int test_query_tear_down(void **state);

/* Tree settings to try. */
typedef struct fixture_tree {
    pliant_partition partition;
    uint32_t arity, leaf_size;
} fixture_tree;

/* What shapes have by default. */
extern const fixture_tree fixture_usual_tree;

/* The usual definition of a shape of a mesh, whose arrays it points to. */
pliant_shape_def fixture_shape_def(const gallery_mesh *mesh);

/* A shape of one body of a scene; asserts success. */
pliant_shape *fixture_shape(pliant_context *context, const gallery_mesh *mesh, fixture_tree tree);

/* A shape of a sphere of about so many triangles. */
pliant_shape *fixture_sphere(pliant_context *context, uint32_t triangles, fixture_tree tree);

/* What is known of a shape's mesh; asserts success. */
pliant_shape_quality fixture_quality(const pliant_shape *shape);

/* Every vertex of a shape is used, and no triangle is degenerate or there twice. */
void fixture_assert_tidy(const pliant_shape *shape);

/* How the bytes of two things compare, whatever they stand for. */
int fixture_compare_bytes(const void *a, const void *b, size_t size);

/* How many times the usual number of cases to run: PLIANT_TEST_SCALE, 1 by default. */
double fixture_scale(void);

/* `usual` times the scale, at least 1. */
uint32_t fixture_count(uint32_t usual);

/* The same, but so many at any scale: fewer would not meet what they look for. */
uint32_t fixture_at_least(uint32_t least, uint32_t usual);

#endif
