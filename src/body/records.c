/* Where the records of a body lie: a block for the eager part, then pages of the context's pool. */
#include "body/body.h"

#include "base/error.h"
#include "body/refresh.h"

/* Bytes of the eager block. A cluster comes to lie there where the eager part turns out smaller
   than it was, and what reads one may run past its end. */
static size_t eager_block_size(const pliant_body *body)
{
    const pli_cluster smallest = {.slot_count = 16, .vertex_count = 1};
    bool has_room = body->eager_size >= pli_cluster_record_size(&smallest);
    return body->eager_size + (has_room ? PLI_RECORD_SLACK : 0);
}

void pli_body_release_eager_block(pliant_body *body)
{
    pli_release(body->context, body->eager_block, eager_block_size(body));
    body->eager_block = body->arena.next = body->arena.end = NULL;
}

uint64_t pli_body_record_memory(const pliant_body *body)
{
    return body->page_count * PLI_PAGE_SIZE +
           (body->eager_block != NULL ? eager_block_size(body) : 0);
}

#ifdef PLI_DEBUG
/* The records below one mirror the shape's tree: nothing where there is no child, and nothing
   half made. */
static bool are_records_valid(const pliant_body *body, const pli_node_record *record, uint32_t node)
{
    const pli_node *constant = &body->nodes[node];
    bool valid = constant->child_count <= PLI_WIDTH;
    for (uint32_t lane = 0; lane < PLI_WIDTH && valid; lane++) {
        const void *below = record->child[lane];
        uint32_t child = constant->child[lane];
        if (lane >= constant->child_count) {
            valid = below == NULL && record->box.side[0][lane] > record->box.side[3][lane];
        } else if (below != NULL) {
            valid = below != PLI_CLAIMED;
            valid = valid && (child & PLI_CLUSTER_BIT || are_records_valid(body, below, child));
        }
    }
    return valid;
}
#endif

void pli_body_forget(pliant_body *body)
{
    PLI_ASSERT_VALID(!body->ready || body->root.child[0] == NULL ||
                     are_records_valid(body, body->root.child[0], 0));
    if (body->rebuild != NULL && body->ready) {
        pli_body_end_state(body);
    }
    if (body->automatic && body->ready) {
        pli_adapt_eager_levels(body);
    }
    if (body->opened != NULL && body->ready) {
        pli_shift_front(body);
    }
    body->counts_before = body->counts;
    body->state++;
    if (body->host != NULL) {
        atomic_store_explicit(&body->host->changed[body->slot], 1, memory_order_relaxed);
    }
    pli_pages_return(body->context, body->pages);
    body->pages = NULL;
    body->page_count = 0;
    body->root_was_opened = body->root.child[0] != NULL;
    body->root.child[0] = NULL;
    body->ready = body->whole_bounded = false;
    body->arena.next = body->eager_block;
    body->arena.end = body->eager_block != NULL ? body->eager_block + body->eager_size : NULL;
}

/* Adds a page to the body's list; several workers may do so at once. */
static bool add_page(pliant_body *body, pli_arena *arena)
{
    pli_page *page = pli_page_take(body->context, arena->worker);
    if (page == NULL) {
        return false;
    }
    pli_page *head = body->pages;
    do {
        page->next = head;
    } while (!atomic_compare_exchange_weak(&body->pages, &head, page));
    body->page_count++;
    arena->next = page->memory;
    arena->end = page->memory + PLI_PAGE_SIZE - PLI_RECORD_SLACK;
    return true;
}

/* Where the next records come from, once `next` has reached `end`. */
static bool extend_arena(pliant_body *body, pli_arena *arena)
{
    if (arena != &body->arena || body->eager_block != NULL || body->eager_size == 0) {
        return add_page(body, arena);
    }
    body->eager_block = pli_allocate(body->context, eager_block_size(body));
    arena->next = body->eager_block;
    arena->end = body->eager_block != NULL ? arena->next + body->eager_size : NULL;
    return body->eager_block != NULL;
}

void *pli_body_allocate_record(pliant_body *body, pli_arena *arena, size_t size)
{
    while ((size_t)(arena->end - arena->next) < size) {
        if (!extend_arena(body, arena)) {
            return NULL;
        }
    }
    PLI_ASSERT(size % PLI_ALIGNMENT == 0 && arena->counts != NULL);
    char *record = arena->next;
    arena->next += size;
    /* Records of many bodies are far from the cache since the last step: fetch what comes next. */
    for (size_t i = 0; i < size && i < (size_t)(arena->end - arena->next); i += PLI_ALIGNMENT) {
        __builtin_prefetch(arena->next + i, 1, 2);
    }
    return record;
}
