/*
 * The inside of a pliant_contours object: growing lists, kept from call to call, and the stages of
 * a question. Stages come in the order of the files named below; each leaves its result in lists.
 */
#ifndef PLI_CONTOUR_CONTOURS_H
#define PLI_CONTOUR_CONTOURS_H

#include "pliant/contour.h"

#include "base/array.h"
#include "body/body.h"
#include "body/refresh.h"

/* Where a contour has a point: the same parts of both meshes, whichever pair found it. */
typedef struct pli_contour_node {
    pliant_contour_feature feature[2];
    double point[3];
    uint32_t triangle[2]; /* of the first pair that has it */
    uint32_t degree;      /* segments that end here */
    double pull[3];       /* the sum of the segments' unit directions toward here: by moving along
                             it the node makes them longer */
} pli_contour_node;

/* A segment between two nodes; the first pair of normals' cross product points to node[1]. */
typedef struct pli_contour_link {
    uint32_t triangle[2];
    uint32_t node[2];
    uint64_t pair;
} pli_contour_link;

/* A place where a contour cuts an edge of a mesh. */
typedef struct pli_cut {
    uint32_t node;
    uint32_t role;     /* which of the node's features the edge is */
    uint32_t triangle; /* of the other mesh, */
    bool exact;        /* whose plane the edge crosses there */
    double share;      /* of the way from the edge's lower vertex to its higher one */
} pli_cut;

/* An edge that a node lies on, before cuts are put in order. */
typedef struct pli_edge_entry {
    uint32_t vertex[2]; /* lower and higher */
    bool is_cut;        /* false: only the ends of the edge are known to be cut */
    pli_cut cut;
} pli_edge_entry;

/* A cut point is one place on an edge; several nodes may lie there. */
typedef struct pli_cut_point {
    uint32_t first_cut, cut_count;
} pli_cut_point;

/* An edge that is cut, or whose ends both are. It has one piece more than cut points. */
typedef struct pli_cut_edge {
    uint32_t vertex[2]; /* lower and higher */
    uint32_t first_point, point_count;
    uint32_t first_piece; /* among elements */
} pli_cut_edge;

/* A face of a triangle that is enclosed by a contour in it, and by nothing else. */
typedef struct pli_hole {
    uint32_t element;
    uint32_t piece, container; /* pieces of the side: its own, and the one around it */
    int step;                  /* the winding number in it less that around it */
} pli_hole;

/* A mesh that is cut. Elements are vertices (welded ones under the lowest number), then pieces of
   cut edges, then holes: each is in one region. */
typedef enum pli_side_list {
    PLI_SIDE_POSITIONS,        /* float[3] per vertex */
    PLI_SIDE_LOWEST,           /* uint32 per vertex: of those welded and in one place */
    PLI_SIDE_STATE,            /* uint8 per vertex: PLI_VERTEX_... */
    PLI_SIDE_CUTS,             /* pli_cut, by edge, along the edge */
    PLI_SIDE_CUT_POINTS,       /* pli_cut_point */
    PLI_SIDE_EDGES,            /* pli_cut_edge, ascending by vertices */
    PLI_SIDE_PARENTS,          /* uint32 per element: a union-find forest */
    PLI_SIDE_BLOCKED,          /* uint8 per element: a contour runs along that piece of an edge */
    PLI_SIDE_COMPONENTS,       /* uint32 per vertex: a forest as if nothing were cut */
    PLI_SIDE_TRIANGLE_LINKS,   /* uint64: triangle << 32 | link, ascending */
    PLI_SIDE_HOLES,            /* pli_hole */
    PLI_SIDE_REGION_OF,        /* uint32 per element that is a root */
    PLI_SIDE_VERTEX_REGIONS,   /* uint32 per vertex */
    PLI_SIDE_TRIANGLE_REGIONS, /* uint32 per triangle; before regions are numbered: an element, or
                                  PLIANT_NO_REGION */
    PLI_SIDE_GRADIENTS,        /* float[3] per vertex */
    PLI_SIDE_LISTS
} pli_side_list;

enum { PLI_VERTEX_USED = 1, PLI_VERTEX_CUT = 2, PLI_VERTEX_OF_CUT_EDGE = 4 };

typedef struct pli_contour_side {
    pliant_body *body;
    const pliant_shape *shape;
    pliant_groups groups[2]; /* a triangle takes part if it is in one of them */
    uint32_t number;         /* 0 or 1 */
    bool torn;               /* welded vertices have been moved apart: it is not closed now */
    uint32_t first_role, last_role;   /* of nodes and links: own ones; within one body both */
    uint32_t first_piece, last_piece; /* of the object's pieces, those of this side */
    pli_array list[PLI_SIDE_LISTS];
} pli_contour_side;

typedef enum pli_contour_list {
    PLI_LIST_NODES,          /* pli_contour_node */
    PLI_LIST_NODE_TABLE,     /* uint32: hash table of nodes */
    PLI_LIST_LINKS,          /* pli_contour_link */
    PLI_LIST_INCIDENT_START, /* uint32 per node, and one more */
    PLI_LIST_INCIDENT,       /* uint32: 2 * link + end, by node */
    PLI_LIST_USED,           /* uint8 per link */
    PLI_LIST_KEYS,           /* uint64, for sorting, */
    PLI_LIST_KEY_SCRATCH,
    PLI_LIST_VALUES,
    PLI_LIST_VALUE_SCRATCH,
    PLI_LIST_TOUCHES_BY_B, /* uint64: b << 32 | index */
    PLI_LIST_ENTRIES,      /* pli_edge_entry */
    /* One triangle being cut, see faces.c: */
    PLI_LIST_LOCAL, /* uint32 per node: its number in the triangle */
    PLI_LIST_STOPS,
    PLI_LIST_PLACES,
    PLI_LIST_LOCAL_NODES,
    PLI_LIST_LOCAL_LINKS,
    PLI_LIST_PATH,
    /* Regions on their way: */
    PLI_LIST_MARKS, /* pli_region_mark per region */
    /* Results: */
    PLI_LIST_CONTOURS,
    PLI_LIST_POINTS,
    PLI_LIST_SEGMENTS,
    PLI_LIST_TOUCHES,
    PLI_LIST_REGIONS,
    PLI_LIST_PIECES,
    PLI_LIST_CORNERS,
    PLI_LISTS
} pli_contour_list;

struct pliant_contours {
    pliant_context *context;
    pliant_query *query; /* for pairs and distances */
    pliant_contour_stats stats;
    bool self;
    pli_contour_side side[2];
    pli_array list[PLI_LISTS];
};

/* Elements of a list. */
#define PLI_ITEMS(type, owner, which) ((type *)(owner)->list[which].data)

/* Gives a list `count` elements; those beyond the ones it had are not set. */
pliant_result pli_list_resize(pliant_context *context, pli_array *list, size_t count);

/* Room for one element more, which is counted; NULL without memory. */
void *pli_list_add(pliant_context *context, pli_array *list);

/* Sorts the first `count` of PLI_LIST_KEYS, with PLI_LIST_VALUES alongside if `values`. */
pliant_result pli_contours_sort(pliant_contours *c, size_t count, bool values);

/* The current position of a vertex. */
static inline void pli_side_vertex(const pli_contour_side *side, uint32_t vertex, float p[3])
{
    const pli_array *list = &side->list[PLI_SIDE_POSITIONS];
    if (list->count == 0) {
        pli_body_vertex(side->body, vertex, p);
        return;
    }
    const float *from = (const float *)list->data + 3 * (size_t)vertex;
    for (int i = 0; i < 3; i++) {
        p[i] = from[i];
    }
}

static inline void pli_side_corners(const pli_contour_side *side, uint32_t triangle,
                                    float corner[3][3])
{
    const uint32_t *vertex = side->shape->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; k++) {
        pli_side_vertex(side, vertex[k], corner[k]);
    }
}

/* The side that role 0 or 1 of nodes and links speaks of. */
static inline pli_contour_side *pli_side_of_role(pliant_contours *c, uint32_t role)
{
    return &c->side[c->self ? 0 : role];
}

/* The lowest of the vertices that are welded with this one, if it lies where that does. */
uint32_t pli_side_lowest(const pli_contour_side *side, uint32_t vertex);

/* Whether a triangle takes part. */
bool pli_side_has(const pli_contour_side *side, uint32_t triangle);

/* Representatives of a forest, with paths halved on the way; the lowest number of a set. */
uint32_t pli_forest_find(uint32_t *parent, uint32_t i);
void pli_forest_join(uint32_t *parent, uint32_t i, uint32_t j);

/* nodes.c: nodes, links and touches of the pairs given. */
pliant_result pli_contours_join(pliant_contours *c, const pliant_pair *pairs, uint64_t count,
                                bool check);
/* chains.c: contours. */
pliant_result pli_contours_chain(pliant_contours *c, double *length);
/* gradient.c */
pliant_result pli_contours_pull(pliant_contours *c);
/* cuts.c: where the edges of a side are cut. */
pliant_result pli_side_cut(pliant_contours *c, pli_contour_side *side);
/* The cut edge between two vertices in PLI_SIDE_LOWEST's numbers, or NULL. */
const pli_cut_edge *pli_side_find_edge(const pli_contour_side *side, uint32_t u, uint32_t v);
/* faces.c: cuts the triangles of a side, and joins the elements of each face. */
pliant_result pli_side_cut_faces(pliant_contours *c, pli_contour_side *side);
/* regions.c: numbers the regions of a side and says what is inside. */
pliant_result pli_side_regions(pliant_contours *c, pli_contour_side *side);
/* locate.c: the winding number of a body at a point; *known is false if the point lies on it. */
pliant_result pli_contours_locate(pliant_contours *c, pliant_body *body, const float point[3],
                                  bool *known, int32_t *winding);
/* depths.c */
pliant_result pli_side_depths(pliant_contours *c, pli_contour_side *side);

#endif
