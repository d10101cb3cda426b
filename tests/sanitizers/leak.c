/* Makes a scorer and forgets it. */
#include "cupel.h"

static void make_and_forget(void) {
    cupel_scorer *volatile scorer = NULL;
    cupel_scorer *made = NULL;
    cupel_scorer_recency_new(&made, NULL);
    scorer = made;
    (void)scorer;
}

int main(void) {
    volatile char over[4096];
    make_and_forget();
    /* Nothing on the stack may look like the address. */
    for (unsigned i = 0; i < sizeof over; i++) {
        over[i] = 0;
    }
    return 0;
}
