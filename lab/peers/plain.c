/*
 * The plain tree as a contestant. Two trees are walked from their roots; both nodes of a pair are
 * opened at once. Leaves test the boxes of triangles, then triangles as in triangle.hpp.
 */
#include <stdlib.h>

#include "lab/baselines/plain_boxes.h"
#include "one_side.h"
#include "peer.h"
#include "pliant/triangle.h"

typedef struct plain {
    plain_tree *trees;
    uint32_t tree_count;
    bool self;
    bool out_of_memory;
    const plain_tree *a, *b; /* trees that are walked, equal for one body with itself */
    uint64_t *stack;         /* node of a in the upper half, of b in the lower */
    pliant_pair *pairs;
    peer_range *ranges;
    size_t top, stack_capacity, pair_count, pair_capacity, range_count;
} plain;

/* Makes room for one more block of elements; returns false if memory runs out. */
static bool reserve(plain *own, void **array, size_t *capacity, size_t used, size_t size)
{
    enum { BLOCK = 8 };
    if (used + BLOCK <= *capacity) {
        return true;
    }
    size_t wanted = 2 * used + 1024;
    void *grown = realloc(*array, wanted * size);
    own->out_of_memory = own->out_of_memory || grown == NULL;
    if (grown != NULL) {
        *array = grown;
        *capacity = wanted;
    }
    return grown != NULL;
}

static void destroy(void *state)
{
    plain *own = state;
    if (own != NULL) {
        for (uint32_t i = 0; own->trees != NULL && i < own->tree_count; i++) {
            plain_tree_free(own->trees + i);
        }
        free(own->trees);
        free(own->stack);
        free(own->pairs);
        free(own->ranges);
        free(own);
    }
}

static void *create(const peer_scene *scene)
{
    plain *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    size_t most = (size_t)scene->body_count * (scene->body_count - 1) / 2 + 1;
    own->self = scene->self;
    own->tree_count = scene->body_count;
    own->trees = calloc(scene->body_count, sizeof *own->trees);
    own->ranges = malloc(most * sizeof *own->ranges);
    bool done = own->trees != NULL && own->ranges != NULL;
    for (uint32_t i = 0; done && i < scene->body_count; i++) {
        done = plain_tree_build(scene->bodies + i, own->trees + i);
    }
    if (!done) {
        destroy(own);
        return NULL;
    }
    return own;
}

static bool update(void *state, const float *const *positions)
{
    plain *own = state;
    for (uint32_t i = 0; i < own->tree_count; i++) {
        plain_tree_refit(own->trees + i, positions[i]);
    }
    return true;
}

static bool share_a_vertex(const uint32_t *p, const uint32_t *q)
{
    for (int i = 0; i < 3; i++) {
        if (p[i] == q[0] || p[i] == q[1] || p[i] == q[2]) {
            return true;
        }
    }
    return false;
}

static bool triangles_touch(const plain_tree *a, uint32_t i, const plain_tree *b, uint32_t j)
{
    const float *s[3], *t[3];
    for (int k = 0; k < 3; k++) {
        s[k] = a->points + 4 * (size_t)a->corners[3 * (size_t)i + (size_t)k];
        t[k] = b->points + 4 * (size_t)b->corners[3 * (size_t)j + (size_t)k];
    }
    if (one_side(s, t) || one_side(t, s)) {
        return false;
    }
    pliant_triangle triangles[2];
    for (int k = 0; k < 3; k++) {
        memcpy(triangles[0].corner[k], s[k], sizeof triangles[0].corner[k]);
        memcpy(triangles[1].corner[k], t[k], sizeof triangles[1].corner[k]);
    }
    return pliant_triangle_overlap(&triangles[0], &triangles[1]);
}

/* Tests triangle i of a with triangle j of b, whose boxes meet. */
static void test_pair(plain *own, uint32_t i, uint32_t j)
{
    const plain_tree *a = own->a, *b = own->b;
    bool within = a == b;
    if ((within && share_a_vertex(a->corners + 3 * (size_t)i, b->corners + 3 * (size_t)j)) ||
        !triangles_touch(a, i, b, j)) {
        return;
    }
    void *pairs = own->pairs;
    if (reserve(own, &pairs, &own->pair_capacity, own->pair_count, sizeof *own->pairs)) {
        uint32_t s = a->names[i], t = b->names[j];
        own->pairs = pairs;
        own->pairs[own->pair_count++] = within && s > t ? (pliant_pair){t, s} : (pliant_pair){s, t};
    }
}

static void test_leaves(plain *own, uint32_t i, uint32_t j)
{
    const plain_node *p = own->a->nodes + i, *q = own->b->nodes + j;
    if (p->count == 1 && q->count == 1) { /* their boxes are those of the leaves */
        if (own->a != own->b || i != j) {
            test_pair(own, p->first, q->first);
        }
        return;
    }
    for (uint32_t s = p->first; s < p->first + p->count; s++) {
        plain_box box = plain_triangle_box(own->a, s);
        uint32_t begin = own->a == own->b && i == j ? s + 1 : q->first;
        for (uint32_t t = begin; t < q->first + q->count; t++) {
            if (plain_boxes_meet(box, plain_triangle_box(own->b, t))) {
                test_pair(own, s, t);
            }
        }
    }
}

static inline void visit(plain *own, uint32_t i, uint32_t j)
{
    if (plain_boxes_meet(plain_node_box(own->a->nodes + i), plain_node_box(own->b->nodes + j))) {
        own->stack[own->top++] = (uint64_t)i << 32 | j;
    }
}

/* Opens every node of a pair that is not a leaf. */
static void open(plain *own, uint32_t i, uint32_t j)
{
    const plain_node *p = own->a->nodes + i, *q = own->b->nodes + j;
    if (own->a == own->b && i == j) {
        own->stack[own->top++] = (uint64_t)p->first << 32 | p->first;
        own->stack[own->top++] = (uint64_t)(p->first + 1) << 32 | (p->first + 1);
        visit(own, p->first, p->first + 1);
        return;
    }
    uint32_t first = p->count > 0 ? i : p->first, last = p->count > 0 ? i : p->first + 1;
    uint32_t other = q->count > 0 ? j : q->first, end = q->count > 0 ? j : q->first + 1;
    for (uint32_t s = first; s <= last; s++) {
        for (uint32_t t = other; t <= end; t++) {
            visit(own, s, t);
        }
    }
}

/* Walks the trees a and b; stops at the first pair if only one is wanted. */
static void walk(plain *own, bool first_only)
{
    size_t before = own->pair_count;
    void *stack = own->stack;
    own->top = 0;
    if (!reserve(own, &stack, &own->stack_capacity, 0, sizeof *own->stack)) {
        return;
    }
    own->stack = stack;
    own->stack[own->top++] = 0;
    while (own->top > 0 && !own->out_of_memory && !(first_only && own->pair_count > before)) {
        uint64_t both = own->stack[--own->top];
        uint32_t i = (uint32_t)(both >> 32), j = (uint32_t)both;
        if (own->a->nodes[i].count > 0 && own->b->nodes[j].count > 0) {
            test_leaves(own, i, j);
        } else if (stack = own->stack,
                   reserve(own, &stack, &own->stack_capacity, own->top, sizeof *own->stack)) {
            own->stack = stack;
            open(own, i, j);
        }
    }
    if (first_only && own->pair_count > before) {
        own->pair_count = before + 1;
    }
}

static void collide(plain *own, uint32_t a, uint32_t b, bool first_only)
{
    size_t before = own->pair_count;
    own->a = own->trees + a;
    own->b = own->trees + b;
    if (plain_boxes_meet(plain_node_box(own->a->nodes), plain_node_box(own->b->nodes))) {
        walk(own, first_only);
    }
    if (own->pair_count > before) {
        own->ranges[own->range_count++] = (peer_range){a, b, before, own->pair_count - before};
    }
}

static bool query(void *state, bool first_only, peer_answer *answer)
{
    plain *own = state;
    own->pair_count = own->range_count = 0;
    own->out_of_memory = false;
    if (own->self) {
        collide(own, 0, 0, first_only);
    }
    for (uint32_t a = 0; !own->self && a < own->tree_count; a++) {
        for (uint32_t b = a + 1; b < own->tree_count; b++) {
            collide(own, a, b, first_only);
        }
    }
    *answer = (peer_answer){own->pairs, own->ranges, (uint32_t)own->range_count};
    return !own->out_of_memory;
}

const peer_kind peer_plain = {
    .name = "plain tree, refit",
    .key = "vs_plain",
    .library = NULL,
    .can_self = true,
    .create = create,
    .update = update,
    .query = query,
    .destroy = destroy,
};
