/*
 * Which bodies of a file touch, in which frames, and what of that is new: a library, of which
 * `pliant check` is the command. Settings in, findings out; it prints nothing.
 *
 *     check state = {.settings = check_default_settings()};
 *     state.settings.files = ...
 *     check_result result = check_fill(&state);    (check_error() says what is wrong)
 *     ... read state, or hand it to a writer ...
 *     check_free(&state);
 *
 * A check is filled once, stage by stage: parts from the asset (what the user calls bodies), clips
 * with their frames, then what touches in every frame, then rows that sum frames up. Whoever writes
 * a table, JSON, CSV or a page only reads it.
 */
#ifndef TOOL_CHECK_CHECK_H
#define TOOL_CHECK_CHECK_H

#include <stdio.h>

#include "pliant/asset.h"
#include "pliant/contour.h"
#include "pliant/query.h"
#include "pliant/volume.h"

#include "finding.h"
#include "surface.h"

#define CHECK_SCHEMA 2
#define CHECK_NONE   UINT32_MAX

#if defined(__GNUC__)
#define CHECK_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CHECK_PRINTF(text, first)
#endif

typedef enum check_result {
    CHECK_DONE = 0,
    CHECK_BAD_INPUT, /* the settings or a file */
    CHECK_STOPPED,   /* by settings.progress */
    CHECK_FAILED,    /* anything else, */
    CHECK_NO_MEMORY  /* but this */
} check_result;

typedef enum check_split {
    CHECK_SPLIT_NODE = 0,  /* a body is what the file calls one */
    CHECK_SPLIT_PRIMITIVE, /* one body for each material of each */
    CHECK_SPLIT_COMPONENT  /* one body for each connected piece of each */
} check_split;

typedef enum check_against {
    CHECK_AGAINST_DEFAULT = 0, /* REST if something moves, else NONE */
    CHECK_AGAINST_REST,
    CHECK_AGAINST_NONE,
    CHECK_AGAINST_FRAME /* a frame of each clip */
} check_against;

/* Whether bodies are compared with themselves. */
typedef enum check_self {
    CHECK_SELF_DEFAULT = 0, /* if there is only one body */
    CHECK_SELF_ON
} check_self;

/* A depth: in units of the file, or in percent of the smaller body's size. */
typedef struct check_limit {
    double value;
    bool is_percent;
} check_limit;

/* What to look at, and how. */
typedef struct check_settings {
    const char *const *files;
    uint32_t file_count;
    const char *const *clip_files; /* only their clips are read; bound by names of joints */
    uint32_t clip_file_count;
    bool together;       /* the clips of each file are played as one */
    const char *clips;   /* names or patterns; NULL: all */
    const char *ignored; /* names or patterns; NULL: nothing */
    const char *allowed; /* what may be missing without an error (check_allows()); NULL: nothing */
    double rate;         /* frames a second; 0: what each clip's keys say (check_own_rate()) */
    bool has_first, has_last;
    uint32_t first, last; /* frames to look at, both included, where they are set */
    check_self self;
    bool volume;      /* measure how much closed bodies overlap */
    bool contours;    /* measure the curves along which bodies cross, and what lies inside */
    uint32_t steps;   /* straight steps from each frame to the next, in which what meets and
                         touches at neither end is looked for; 0: nobody looks between frames */
    double clearance; /* 0: touching only */
    check_split split;
    check_against against;
    uint32_t against_frame;
    bool repair;           /* weights that cannot be used count as 0 (pliant_asset_def.repair) */
    const char *scene;     /* of glTF files with several; NULL: the one that each shows */
    const char *title;     /* of a page; NULL: the name of the first file */
    const char *extra;     /* of a page (report_set_extra()); NULL: nothing */
    const char *reference; /* path of what was accepted (reference.c); NULL: nothing */
    check_limit near;      /* the reach; default 2 % */
    check_limit min_depth; /* what is no deeper is never a finding */
    bool has_max_depth, has_max_area; /* findings within these limits do not fail: */
    check_limit max_depth;
    double max_area;     /* square units of the file */
    bool keep_sites;     /* for who accepts: every site, not only those of findings */
    uint32_t between;    /* so many poses are looked at between each two frames too, as far as the
                            file has any and nothing is looked for on the way between frames; for who
                            accepts: what they show belongs to the frame before */
    uint32_t threads;    /* at most so many; 0 counts as 1 */
    pliant_isa isa;      /* at most this instruction set */
    bool keep_lines;     /* a writer draws contours and what lies inside */
    bool keep_triangles; /* a writer needs the triangle pairs, not only their number */
    pliant_files source; /* of all files; its functions are NULL: the file system */
    /* Unless NULL, called now and then, always from the thread that called check_fill(). False ends
       the check: CHECK_STOPPED. */
    bool (*progress)(void *user, uint32_t frames_done, uint32_t frame_count);
    void *progress_user;
} check_settings;

/* What is no deeper than this, in percent of the smaller body's size, is never a finding unless the
   settings say otherwise; docs/guide/pipeline.md says why. */
#define CHECK_MIN_DEPTH_PERCENT 0.25

/* Frames of all clips together, with the poses between them. A file of 1 kB may have any number. */
#define CHECK_MOST_FRAMES 1000000

/* Pairs of parts that touch, in one frame and in all: what is kept of each takes up to 1 kB. */
#define CHECK_MOST_FOUND        100000
#define CHECK_MOST_FOUND_IN_ALL 5000000

/* All clips of no file yet, on one thread. */
check_settings check_default_settings(void);

/* What is compared with what: a body of the file, or a piece of one. */
typedef struct check_part {
    char *name;    /* unique: a name that comes again gets "#2" */
    uint32_t body; /* of the asset */
    uint32_t triangle_count;
    double diagonal; /* of the box around it in the rest pose */
} check_part;

/* Which part each triangle of a body of the asset belongs to. */
typedef struct check_body {
    uint32_t first_part, part_count;
    uint32_t piece_count;  /* connected pieces, as groups of its shape; 0: not counted */
    uint32_t *parts;       /* per triangle, CHECK_NONE: ignored; NULL: all are first_part */
    pliant_shape *shape;   /* one of the check's shapes; NULL: nothing of it is looked at */
    check_surface surface; /* empty like the shape */
} check_body;

/* The curves along which two bodies cross, or one and itself, and the regions inside the other. */
typedef struct check_contours {
    uint64_t count; /* of contours */
    double length;  /* of all of them */
    double area;    /* of all regions inside, of both bodies where both are closed */
    double depth;   /* the largest depth of a region inside */
    bool guess;     /* neither body is closed: what is inside was guessed */
    float *lines;   /* 6 numbers for each segment: its two ends; NULL unless lines are kept */
    uint64_t line_count;
    uint32_t *inside[2]; /* triangles of each body that lie inside, or partly; NULL like lines */
    uint64_t inside_count[2];
} check_contours;

/* A place where two parts touch: on each of them, in units of its mesh at rest. */
typedef struct check_site {
    float at[2][3];
    uint32_t triangles[2]; /* that these are on; CHECK_NONE: on none */
    float depth;           /* of the region that it is part of; units of the file */
    float reach[2];        /* of what was accepted: how far it forgives, in units of the meshes */
    uint32_t region;       /* of a frame: that region */
    char *reason;          /* of a reference: why it was accepted, or NULL */
} check_site;

/* What was accepted (accepted.h): pairs of parts in order. */
typedef struct check_accepted check_accepted;
typedef struct check_acceptance {
    check_accepted *pairs;
    uint32_t count;
} check_acceptance;

/* A group of contacts of two parts in one frame that hang together, or a part of one. */
typedef struct check_region {
    check_kind kind;
    check_verdict verdict;
    double depth, accepted; /* as in check_finding */
    double area, length, gap;
    uint64_t pairs;
    float position[3];
    uint32_t triangles[2]; /* of the two parts' bodies, next to that */
    double place_depth;    /* of the finding that it is part of, once that is known */
} check_region;

/* What two parts, or one part and itself, have in common in one frame. */
typedef struct check_found {
    uint32_t a, b;      /* parts, a <= b */
    uint64_t count;     /* triangle pairs that touch (with a clearance: that are too close) */
    uint64_t new_count; /* of these, pairs of regions that are new or worse */
    double depth;       /* the largest depth of a region */
    double new_depth;   /* of one that is new or worse */
    double gap;         /* the smallest distance of a pair; 0 where one touches. Between frames:
                           when the first pair meets, above 0 and up to 1, the next frame */
    bool has_volume;    /* the next two were measured */
    double volume, volume_error; /* the bodies' common volume is within volume +- volume_error */
    bool has_contours;           /* the next were measured */
    check_contours contours;
    pliant_pair *pairs; /* ascending; triangles as numbered in the asset's body of each part.
                           NULL unless they were asked for */
    bool *is_new;       /* per pair; NULL unless pairs are kept */
    check_region *regions;
    uint32_t region_count;
    check_site *sites; /* of regions that are new or worse, thinned; of all with keep_sites */
    uint32_t site_count;
    float *depths[2]; /* of a reference: how deep each vertex of the two bodies' meshes lies inside
                         the other part, 0 where it does not; NULL where none does */
    int32_t inner;    /* one lies inside the other without touching it: 0 is a in b, 1 b in a; -1 */
} check_found;

/* Everything that was found in one pose. Also what a reference is. */
typedef struct check_frame {
    uint32_t clip;   /* index of the check's clips */
    uint32_t number; /* from 0, in the clip */
    double time;     /* seconds */
    check_found *found;
    uint32_t found_count; /* ascending by a, then b; none is empty */
    uint32_t *hidden;     /* bodies of the asset that a transform shrinks to nothing here */
    uint32_t hidden_count;
} check_frame;

/* Frames of a clip in which something holds, and the one in which it holds most. */
typedef struct check_span {
    uint32_t first, worst, last; /* frame numbers; CHECK_NONE if there are none */
    uint32_t frame_count;
    uint64_t pairs;     /* in the worst frame */
    uint64_t all_pairs; /* new and known ones together, in that frame */
    double depth;       /* the largest of all frames */
} check_span;

/* Two parts in all frames of a clip. */
typedef struct check_row {
    uint32_t a, b;
    check_span all, fresh; /* every contact; those that the reference does not have */
    double gap;
    bool has_volume;
    double volume, volume_error; /* in the frame in which it is largest */
    bool has_contours;
    check_contours contours; /* each number in the frame in which it is largest; no arrays */
    bool fails;              /* some finding of these two in this clip does */
} check_row;

typedef struct check_clip {
    char *name;
    uint32_t index;     /* in the asset; PLIANT_ASSET_REST where nothing moves */
    uint32_t first;     /* of the check's frames */
    uint32_t count;     /* frames that are looked at */
    uint32_t reference; /* of the check's references and acceptances; CHECK_NONE: none */
    check_row *rows;    /* ascending by a, then b */
    uint32_t row_count;
    check_row *pass_rows; /* the same of what passes through between frames; no depths */
    uint32_t pass_count;
} check_clip;

/* What was looked at. */
typedef struct check_compared {
    uint32_t bodies, clips, frames;
    uint32_t body_pairs; /* including each body that is compared with itself */
} check_compared;

typedef struct check {
    check_settings settings;
    pliant_context *asset_context, *context; /* the second one is of everything but the asset */
    pliant_asset *asset;
    pliant_shape **shapes; /* per shape of the asset; NULL where it is not needed */
    check_body *bodies;    /* per body of the asset */
    check_part *parts;
    char **ignored; /* names of parts that are left out */
    check_clip *clips;
    check_frame *frames;     /* of all clips, one after the other */
    check_frame *passes;     /* per frame: what meets before the next one of the clip and touches at
                                neither end; NULL unless that is asked for */
    check_frame *references; /* one, or one per clip; made in the same way as frames */
    check_acceptance *acceptances; /* what each of them accepts, and the reference file */
    check_acceptance filed;        /* what the reference file has, as it is there */
    check_finding *findings;       /* in the order in which they should be shown */
    char **notes;                  /* what a reader of the answer should know */
    /* How many of the above there are. */
    uint32_t shape_count, body_count, part_count, ignored_count, clip_count, frame_count;
    uint32_t reference_count, finding_count, note_count;
    uint32_t failing_count;         /* of the findings */
    uint32_t row_count, pass_count; /* over all clips */
    check_compared compared;
    char error[640]; /* what was wrong, once something failed */
} check;

/* Everything that check_free() gives back may be missing. */
void check_free(check *state);
void check_free_frame(check_frame *frame);
void check_free_found(check_found *found);

void check_free_contours(check_contours *contours);

/* Adds a sentence to the notes. */
check_result check_note(check *state, const char *format, ...) CHECK_PRINTF(2, 3);

/* Keeps the sentence and returns `result`. */
check_result check_fail(check *state, check_result result, const char *format, ...)
    CHECK_PRINTF(3, 4);
/* What is wrong with a file is bad input; running out of memory is not. */
check_result check_fail_library(check *state, pliant_result result);

/* One sentence about a stage or a writer that returned `result`, not CHECK_DONE. */
const char *check_error(const check *state, check_result result);

/* A copy in which bytes that are not printable UTF-8 are '?'. NULL without memory. */
char *check_clean_text(const char *text);

/* The word for one of something, or for another number of them. */
const char *check_plural(uint64_t count, const char *one, const char *many);

/* Whether a name fits a pattern, as in a shell: * is any text, ? any byte, [a-z] one of a set, [!a]
   none of it; a backslash takes the next character for itself. */
bool check_name_fits(const char *pattern, const char *name);

/*
 * Whether a name is in a list like "Cape,Sword_*": the whole list, or one of its items between
 * commas, is the name or a pattern that it fits. A list of NULL has nothing in it.
 */
bool check_list_has(const char *list, const char *name);

/* Copies the next item of a list; returns what follows it, NULL after the last one. */
#define CHECK_ITEM 512
const char *check_next_item(const char *list, char item[CHECK_ITEM]);

/* Whether a name is what somebody may have meant by another, which it is not. */
bool check_is_alike(const char *item, const char *name);

/* Whether an item "A+B" of a list stands for two names, in either order. */
bool check_list_has_pair(const char *list, const char *a, const char *b);

/* All stages after the settings: fills a check, whoever reads it. check_free() also after a
   failure. */
check_result check_fill(check *state);

/* Returns a context with so many workers, or as many as can be started, and their number: 1 to 256.
   NULL without memory. */
pliant_context *check_start_threads(uint32_t *threads);

/* The stages. */
check_result check_make_parts(check *state);     /* bodies, shapes, parts */
check_result check_make_clips(check *state);     /* clips, frames and their times */
check_result check_read_reference(check *state); /* what was accepted */
check_result check_all_frames(check *state);     /* references and what is found in every frame */
check_result check_sum_up(check *state);         /* rows, findings, notes */
check_result check_find_findings(check *state);
void check_free_findings(check *state);

/* Joins what the frames `first` to `first + count - 1` and the reference file accept. */
check_result check_make_acceptance(check *state, const check_frame *frame,
                                   check_acceptance *acceptance);
void check_free_acceptance(check_acceptance *acceptance);

/* The number of frames that a clip of the asset has, their rate, and the time and number of one. */
double check_clip_frames(const check *state, uint32_t clip);
double check_clip_rate(const check *state, uint32_t clip);
double check_frame_time(const check *state, uint32_t clip, uint32_t frame);
uint32_t check_frame_number(const check *state, uint32_t clip, uint32_t frame);

/* Frames a second as the keys of a clip have them, or 30. */
double check_own_rate(const pliant_asset_clip *clip);

/*
 * Doubts (doubts.c): what would make an OK say more than was looked at is an error, unless the
 * settings allow it by one of these words: "still", clips that move nothing; "unused", names and
 * patterns that fit nothing; "missing", files of a sequence that are not there; "nothing", that
 * there is no pair of bodies to compare.
 */
bool check_allows(const check *state, const char *word);
check_result check_doubt_settings(check *state); /* words, and names that fit no body */
check_result check_doubt_clips(check *state);    /* clips that move nothing, missing files */

/* The names of all bodies of an asset as they are shown: one that comes again gets a number. NULL
   without memory. Release them by check_free_names(). */
char **check_body_names(const pliant_asset *asset);
void check_free_names(char **names, uint32_t count);

/* Connected pieces of a mesh, welded by position: a number per triangle, ascending by the first
   triangle of each piece. */
check_result check_find_pieces(const pliant_asset_mesh *mesh, uint32_t *pieces, uint32_t *count);

/* The shortest move that parts two touching triangles; 0 if they only touch. A depth that is not
   above `matters` may come out larger, but not above `matters`: the search ends there. */
double check_pair_depth(const pliant_triangle *a, const pliant_triangle *b, double matters);

/* Looks at one pose after the other, with a scene of its own; one for each thread. */
typedef struct check_worker check_worker;
check_worker *check_worker_create(const check *state, bool is_reference, pliant_result *result);
void check_worker_destroy(check_worker *worker);

/*
 * Finds what touches in frame->clip at frame->time. What is no worse than
 * `accepted` (NULL: nothing) is known. On failure pliant_last_error() says why.
 */
pliant_result check_worker_look(check_worker *worker, check_frame *frame,
                                const check_acceptance *accepted, bool keep_triangles);

/*
 * Finds what meets on the way from a frame, which was looked at last, to one at time `end` of the
 * same clip, and touches at neither end (passing.c).
 */
pliant_result check_worker_pass(check_worker *worker, const check_frame *from, double end,
                                const check_acceptance *accepted, bool keep_triangles,
                                check_frame *pass);

/* When the first pair of two parts meets behind a frame, in seconds of the clip. */
double check_pass_time(const check *state, const check_frame *pass, const check_found *found);

/* The pairs of two parts in a frame, or NULL. */
const check_found *check_find(const check_frame *frame, uint32_t a, uint32_t b);

/* Writers. Write errors stay in the stream. */
check_result check_write_table(const check *state, FILE *stream);
check_result check_write_json(const check *state, FILE *stream);
void check_write_csv(const check *state, FILE *stream);
/* A page to look at; see tool/report/page.h. The second one is its data alone, for a page of many.
 */
check_result check_write_page(check *state, FILE *stream);
struct report_block;
check_result check_pack_page(check *state, struct report_block *block);

/* "body + suit", "body with itself", or "eye inside head". */
void check_finding_bodies(const check *state, const check_finding *finding, char *text,
                          size_t capacity);

/* Whether something new touches, or passes through, in more pairs than may. */
bool check_has_failed(const check *state);

/* "node", "rest", "frame:3" ... as on the command line. */
const char *check_split_name(check_split split);
void check_against_text(const check *state, char *text, size_t capacity);

#endif
