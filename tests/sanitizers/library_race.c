/* Two threads that change one batch, which the header forbids. */
#include <pthread.h>

#include "cupel.h"

static cupel_batch *batch;

static void *work(void *argument) {
    for (int i = 0; i < 200000; i++) {
        cupel_batch_clear(batch, NULL);
    }
    return argument;
}

int main(void) {
    static const char json[] = "{\"content\": \"a\", \"tokens\": 1}";
    pthread_t other;
    cupel_batch_new(0, &batch, NULL);
    cupel_batch_append_json(batch, json, sizeof json - 1, NULL);
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    cupel_batch_free(batch);
    return 0;
}
