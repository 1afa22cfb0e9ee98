/* From records of one pair of parts to regions and sites, which are added to the worker's lists. */
#ifndef TOOL_CHECK_SITES_H
#define TOOL_CHECK_SITES_H

#include "accepted.h"
#include "regions.h"

/* Says of every contact whether it is near something accepted (NULL: nothing is). */
void check_forgive_contacts(check_worker *worker, const check_record *records, size_t count,
                            const check_accepted *accepted);

/* Contacts whose groups were measured. */
pliant_result check_add_contacts(check_worker *worker, const check_record *records, size_t count,
                                 bool *is_new);

/* Records that do not touch. */
pliant_result check_add_loose(check_worker *worker, const check_record *records, size_t count,
                              check_kind kind, const check_accepted *accepted, bool *is_new);

#endif
