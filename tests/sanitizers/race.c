/* Two threads that write one variable: a sanitizer that says nothing about this one is not there. */
#include <pthread.h>

static int shared;

static void *work(void *argument) {
    for (int i = 0; i < 100000; i++) {
        shared++;
    }
    return argument;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
