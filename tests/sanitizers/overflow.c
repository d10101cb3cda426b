/*
 * Lends an array that is shorter than it is said to be: the library reads past its end. A sanitizer that says nothing about
 * this is not in the library.
 */
#include <stdlib.h>

#include "cupel.h"

int main(void) {
    cupel_scorer *scorer = NULL;
    cupel_decay_step *steps = malloc(sizeof *steps);
    cupel_clock *clock = NULL;
    steps[0] = (cupel_decay_step){1, 1.0};
    cupel_clock_fixed_new(0, &clock, NULL);
    cupel_scorer_decay_step_new(clock, steps, 2, 0.5, &scorer, NULL);
    return 0;
}
