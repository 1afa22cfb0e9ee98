/*
 * Included before every file of a build for scripts/mutants. A planted mutant asks here if it acts.
 */
#ifndef PLIANT_MUTATION_POINT_H
#define PLIANT_MUTATION_POINT_H

extern int pliant_mutant;

/* Records that the program came to a mutant; returns 0. */
int pliant_mutant_reached(int number);

/* 1 if mutant `number` acts. While tests are recorded, pliant_mutant is -1 and none acts. */
#define PLIANT_MUTANT(number)                                                                      \
    (pliant_mutant == (number) || (pliant_mutant < 0 && pliant_mutant_reached(number)))

#endif
