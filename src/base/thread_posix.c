#include "thread.h"

#include <sched.h>
#include <stddef.h>

void pli_lock_init(pli_lock *lock)
{
    pthread_mutex_init(lock, NULL);
}

void pli_lock_destroy(pli_lock *lock)
{
    pthread_mutex_destroy(lock);
}

void pli_lock_take(pli_lock *lock)
{
    pthread_mutex_lock(lock);
}

void pli_lock_release(pli_lock *lock)
{
    pthread_mutex_unlock(lock);
}

void pli_condition_init(pli_condition *condition)
{
    pthread_cond_init(condition, NULL);
}

void pli_condition_destroy(pli_condition *condition)
{
    pthread_cond_destroy(condition);
}

void pli_condition_wait(pli_condition *condition, pli_lock *lock)
{
    pthread_cond_wait(condition, lock);
}

void pli_condition_signal(pli_condition *condition)
{
    pthread_cond_signal(condition);
}

static void *thread_main(void *argument)
{
    const pli_thread *thread = argument;
    thread->run(thread->argument);
    return NULL;
}

bool pli_thread_start(pli_thread *thread, void (*run)(void *argument), void *argument)
{
    thread->run = run;
    thread->argument = argument;
    return pthread_create(&thread->handle, NULL, thread_main, thread) == 0;
}

void pli_thread_join(pli_thread *thread)
{
    pthread_join(thread->handle, NULL);
}

void pli_thread_yield(void)
{
    sched_yield();
}
