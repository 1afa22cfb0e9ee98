/*
 * Locks, conditions and threads, as the system has them: one of thread_posix.c, thread_windows.c
 * and thread_none.c is compiled. Where there are none (PLI_NO_THREADS), locks cost nothing,
 * starting a thread fails, and nobody ever waits.
 */
#ifndef PLI_BASE_THREAD_H
#define PLI_BASE_THREAD_H

#include <stdbool.h>

#if defined(PLI_NO_THREADS)
#define PLI_HAVE_THREADS 0

typedef char pli_lock, pli_condition, pli_thread_handle;
#elif defined(_WIN32)
#define PLI_HAVE_THREADS 1

/* SRWLOCK, CONDITION_VARIABLE and HANDLE, without the thousand names of <windows.h>. */
typedef struct pli_lock {
    void *word;
} pli_lock;

typedef struct pli_condition {
    void *word;
} pli_condition;

typedef void *pli_thread_handle;
#else
#include <pthread.h>
#define PLI_HAVE_THREADS 1

typedef pthread_mutex_t pli_lock;
typedef pthread_cond_t pli_condition;
typedef pthread_t pli_thread_handle;
#endif

/* A thread of the system; it stays where it is until it has been joined. */
typedef struct pli_thread {
    void (*run)(void *argument);
    void *argument;
    pli_thread_handle handle;
} pli_thread;

void pli_lock_init(pli_lock *lock);
void pli_lock_destroy(pli_lock *lock);
void pli_lock_take(pli_lock *lock);
void pli_lock_release(pli_lock *lock);

void pli_condition_init(pli_condition *condition);
void pli_condition_destroy(pli_condition *condition);
/* Releases the lock, sleeps, and takes the lock again; it may wake for no reason. */
void pli_condition_wait(pli_condition *condition, pli_lock *lock);
/* Wakes one thread that waits, if one does. */
void pli_condition_signal(pli_condition *condition);

/* Calls run(argument) on another thread; false if the system has none to give. */
bool pli_thread_start(pli_thread *thread, void (*run)(void *argument), void *argument);
void pli_thread_join(pli_thread *thread);

/* Lets others have the core. */
void pli_thread_yield(void);

#endif
