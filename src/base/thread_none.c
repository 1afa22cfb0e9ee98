#include "thread.h"

void pli_lock_init(pli_lock *lock)
{
    (void)lock;
}

void pli_lock_destroy(pli_lock *lock)
{
    (void)lock;
}

void pli_lock_take(pli_lock *lock)
{
    (void)lock;
}

void pli_lock_release(pli_lock *lock)
{
    (void)lock;
}

void pli_condition_init(pli_condition *condition)
{
    (void)condition;
}

void pli_condition_destroy(pli_condition *condition)
{
    (void)condition;
}

/* Without a second thread nobody comes here. */
void pli_condition_wait(pli_condition *condition, pli_lock *lock)
{
    (void)condition;
    (void)lock;
}

void pli_condition_signal(pli_condition *condition)
{
    (void)condition;
}

bool pli_thread_start(pli_thread *thread, void (*run)(void *argument), void *argument)
{
    (void)thread;
    (void)run;
    (void)argument;
    return false;
}

void pli_thread_join(pli_thread *thread)
{
    (void)thread;
}

void pli_thread_yield(void)
{
}
