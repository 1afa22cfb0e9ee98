/*
 * What a report is made of. A finding is one place at which two bodies, or one and itself, do
 * something that a person may want to look at, over all frames of one clip in which it happens.
 *
 * Writers read `findings` of a check (check.h), which are in the order in which they should be
 * shown: what fails first, and of these what is deepest.
 */
#ifndef TOOL_CHECK_FINDING_H
#define TOOL_CHECK_FINDING_H

#include <stdbool.h>
#include <stdint.h>

/* What the two do. */
typedef enum check_kind {
    CHECK_CONTACT = 0, /* their surfaces cross or touch in a frame */
    CHECK_CONTAINMENT, /* one lies inside the other and touches it nowhere */
    CHECK_PASS,        /* triangles meet between two frames, and touch in neither */
    CHECK_CLEARANCE    /* they touch nowhere, but come closer than the clearance */
} check_kind;

/* What the reference says about it. */
typedef enum check_verdict {
    CHECK_KNOWN = 0, /* no worse than what was accepted there */
    CHECK_SHALLOW,   /* not accepted, but no deeper than --min-depth */
    CHECK_NEW,       /* farther than the reach from everything accepted */
    CHECK_WORSE      /* near something accepted, but deeper */
} check_verdict;

typedef struct check_finding {
    uint32_t clip; /* of the check */
    uint32_t a, b; /* parts, a <= b; in a containment `inner` says which one is inside */
    uint32_t inner;
    check_kind kind;
    check_verdict verdict;
    bool fails;   /* it is why the check fails; false: known, or within --max-depth, --max-area */
    double depth; /* units of the file, in the deepest frame; 0 for a clearance */
    double accepted; /* the depth that was accepted there; 0 where nothing was */
    double size;     /* units of the file: the diagonal at rest of the smaller body; depth / size is
                        what is shown in percent */
    double area;     /* of the surface inside the other body, largest of all frames; 0 if unknown */
    double length;   /* of the curve along which they cross, largest of all frames */
    double gap;      /* the smallest distance; above 0 for a clearance and a containment only */
    bool has_volume; /* the next two were measured */
    double volume, volume_error;   /* the largest volume that the two bodies share: within these */
    uint32_t frame_count;          /* in which it happens */
    uint32_t first, deepest, last; /* numbers of frames; of a pass the frames before it happens */
    uint64_t pairs;                /* touching pairs of triangles in the deepest frame */
    uint64_t new_pairs;            /* of these, pairs that are not forgiven */
    float position[3];             /* where to look, in the deepest frame */
    char *place; /* the joint, else the material, that is nearest there; never NULL, may be "" */
} check_finding;

/* "contact", "containment", "pass", "clearance"; "known", "shallow", "new", "worse". */
const char *check_kind_name(check_kind kind);
const char *check_verdict_name(check_verdict verdict);

#endif
