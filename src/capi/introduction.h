/* cupel.h: which pieces of context are worth keeping */
