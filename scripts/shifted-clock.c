/* Shifts the clock of every process that preloads it by OFFSET seconds. Compile it with -shared -fPIC -DOFFSET=…, or with
   -DOFFSET_FILE='"path"' for a file with the seconds as a 64-bit number, which may change at any time.

   It only adds a constant, so it is safe in signal handlers. Debian's faketime is not: Postgres reads the clock in the handler of
   its timers, faketime gave it the true time there, and a timeout of 20 ms became one of ten years. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* A deadline before this second is of a clock that starts at zero, and is not shifted. */
#define EPOCH_SECONDS 1000000000

#ifdef OFFSET_FILE
static const volatile long long *shared;
#define OFFSET (shared ? *shared : 0)

__attribute__((constructor)) static void open_offset(void) {
  int file = open(OFFSET_FILE, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(0, sizeof *shared, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) shared = mapped;
  close(file);
}
#endif

static int is_shifted(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int failed = real ? real(clock, now) : (int)syscall(SYS_clock_gettime, clock, now);
  if (!failed && is_shifted(clock)) now->tv_sec += OFFSET;
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec precise;
  if (clock_gettime(CLOCK_REALTIME, &precise)) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *to) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (to) *to = precise.tv_sec;
  return precise.tv_sec;
}

int timespec_get(struct timespec *now, int base) {
  return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, now) ? base : 0;
}

/* The kernel compares deadlines with the true clock. */
static const struct timespec *true_deadline(const struct timespec *deadline, struct timespec *copy) {
  if (!deadline || deadline->tv_sec < EPOCH_SECONDS) return deadline;
  *copy = *deadline;
  copy->tv_sec -= OFFSET;
  return copy;
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict deadline) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  struct timespec copy;
  /* dlsym would find the version for the conditions of old programs. */
  if (!real) real = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real) real = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  return real(condition, mutex, true_deadline(deadline, &copy));
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
  static int (*real)(pthread_mutex_t *, const struct timespec *);
  struct timespec copy;
  if (!real) real = dlsym(RTLD_NEXT, "pthread_mutex_timedlock");
  return real(mutex, true_deadline(deadline, &copy));
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
  static int (*real)(sem_t *, const struct timespec *);
  struct timespec copy;
  if (!real) real = dlsym(RTLD_NEXT, "sem_timedwait");
  return real(semaphore, true_deadline(deadline, &copy));
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left) {
  static int (*real)(clockid_t, int, const struct timespec *, struct timespec *);
  struct timespec copy;
  if (!real) real = dlsym(RTLD_NEXT, "clock_nanosleep");
  return real(clock, flags, flags & TIMER_ABSTIME ? true_deadline(wanted, &copy) : wanted, left);
}
