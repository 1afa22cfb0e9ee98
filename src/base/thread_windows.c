#include "thread.h"

#include <process.h>
#include <windows.h>

_Static_assert(sizeof(pli_lock) == sizeof(SRWLOCK), "a lock is a slim reader-writer lock");
_Static_assert(sizeof(pli_condition) == sizeof(CONDITION_VARIABLE), "and a condition its variable");

void pli_lock_init(pli_lock *lock)
{
    InitializeSRWLock((SRWLOCK *)lock);
}

/* Locks and conditions of this kind hold nothing. */
void pli_lock_destroy(pli_lock *lock)
{
    (void)lock;
}

void pli_lock_take(pli_lock *lock)
{
    AcquireSRWLockExclusive((SRWLOCK *)lock);
}

void pli_lock_release(pli_lock *lock)
{
    ReleaseSRWLockExclusive((SRWLOCK *)lock);
}

void pli_condition_init(pli_condition *condition)
{
    InitializeConditionVariable((CONDITION_VARIABLE *)condition);
}

void pli_condition_destroy(pli_condition *condition)
{
    (void)condition;
}

void pli_condition_wait(pli_condition *condition, pli_lock *lock)
{
    SleepConditionVariableSRW((CONDITION_VARIABLE *)condition, (SRWLOCK *)lock, INFINITE, 0);
}

void pli_condition_signal(pli_condition *condition)
{
    WakeConditionVariable((CONDITION_VARIABLE *)condition);
}

static unsigned __stdcall thread_main(void *argument)
{
    const pli_thread *thread = argument;
    thread->run(thread->argument);
    return 0;
}

/* Not CreateThread: the C library sets up what belongs to a thread of its own here. */
bool pli_thread_start(pli_thread *thread, void (*run)(void *argument), void *argument)
{
    thread->run = run;
    thread->argument = argument;
    thread->handle = (void *)_beginthreadex(NULL, 0, thread_main, thread, 0, NULL);
    return thread->handle != NULL;
}

void pli_thread_join(pli_thread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

void pli_thread_yield(void)
{
    SwitchToThread();
}
