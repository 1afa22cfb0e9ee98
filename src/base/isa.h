/* Which instruction set to use. */
#ifndef PLI_BASE_ISA_H
#define PLI_BASE_ISA_H

#include "pliant/base.h"

/* Whether the library carries kernels beyond plain C. */
#if defined(__x86_64__) && defined(__GNUC__)
#define PLI_HAVE_X86 1
#else
#define PLI_HAVE_X86 0
#endif

/* The best set that the running machine has and `cap` allows. */
pliant_isa pli_isa_choose(pliant_isa cap);

#endif
