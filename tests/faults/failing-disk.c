// Preloaded library that simulates a failing disk for the files under one folder (TRIAL_FOLDER). It logs all writes and
// flushes to TRIAL_NOTES, so that a power cut can be simulated. It causes the failures and the shift of the clock that
// the shared page TRIAL_FAULTS requests. failing-disk.ts builds and preloads the library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAX_FILES 65536

// Shared page: the requested faults and the count of failures so far. failing-disk.ts uses the same layout.
struct faults {
  int64_t full;    // 1: the free space is limited to `room` bytes
  int64_t room;
  int64_t unflushed; // 1: every flush fails
  int64_t failed;
  int64_t ahead;   // shift of the clock, in seconds
};

static struct faults *faults;
static const char *folder;
static size_t folder_length;
static int notes = -1;
static unsigned char watched[MAX_FILES];
// Serializes all calls, so that the log has the order of the events.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = dlsym(RTLD_NEXT, name)

__attribute__((constructor)) static void initialize(void) {
  folder = getenv("TRIAL_FOLDER");
  folder_length = folder ? strlen(folder) : 0;
  const char *shared = getenv("TRIAL_FAULTS"), *notes_path = getenv("TRIAL_NOTES");
  int page = shared ? open(shared, O_RDWR | O_CLOEXEC) : -1;
  if (page >= 0) {
    void *at = mmap(NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
    if (at != MAP_FAILED) faults = at;
    close(page);
  }
  if (notes_path) notes = open(notes_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_inside(const char *path) {
  return folder && !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]);
}

// Node may close a file without a call of this library. A socket may then reuse the file number.
static int is_watched(int file) {
  struct stat known;
  if (file < 0 || file >= MAX_FILES || !watched[file]) return 0;
  return !fstat(file, &known) && (S_ISREG(known.st_mode) || S_ISDIR(known.st_mode));
}

static uint64_t inode_of(int file) {
  struct stat known;
  return fstat(file, &known) ? 0 : known.st_ino;
}

// Log entry: type, file number, offset and byte count, then the bytes.
static void note(char what, uint64_t file, int64_t at, const struct iovec *bytes, int count) {
  if (notes < 0) return;
  struct { int64_t what, file, at, length; } head = {what, (int64_t)file, at, 0};
  struct iovec all[IOV_MAX];
  all[0].iov_base = &head;
  all[0].iov_len = sizeof head;
  for (int i = 0; i < count && i + 1 < IOV_MAX; i++) {
    all[i + 1] = bytes[i];
    head.length += bytes[i].iov_len;
  }
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  if (real(notes, all, count + 1) < 0) abort();
}

static void note_names(char what, uint64_t file, const char *one, const char *other) {
  struct iovec names[] = {{(void *)one, strlen(one)}, {"\n", 1}, {(void *)other, strlen(other)}};
  note(what, file, 0, names, 3);
}

static int has_room(size_t wanted) {
  if (!faults || !faults->full) return 1;
  if (faults->room >= (int64_t)wanted) {
    faults->room -= wanted;
    return 1;
  }
  faults->room = 0;
  faults->failed++;
  errno = ENOSPC;
  return 0;
}

static int track_opened(int file, const char *path, int flags, int was_there) {
  if (file < 0 || file >= MAX_FILES) return file;
  watched[file] = is_inside(path);
  if (!watched[file] || (flags & O_DIRECTORY)) return file;
  uint64_t number = inode_of(file);
  if (!was_there) note_names('N', number, path, "");
  if (was_there && (flags & O_TRUNC)) note('T', number, 0, NULL, 0);
  return file;
}

static int open_and_track(const char *name, const char *path, int flags, mode_t mode) {
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, name);
  if (!is_inside(path)) return track_opened(real(path, flags, mode), path, flags, 1);
  pthread_mutex_lock(&mutex);
  struct stat known;
  int was_there = !stat(path, &known), file = -1;
  // A new directory entry needs space too.
  if (was_there || !(flags & O_CREAT) || has_room(256)) file = track_opened(real(path, flags, mode), path, flags, was_there);
  pthread_mutex_unlock(&mutex);
  return file;
}

#define MODE_OF(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list more; \
    va_start(more, flags); \
    mode = va_arg(more, int); \
    va_end(more); \
  }

int open(const char *path, int flags, ...) { MODE_OF(flags) return open_and_track("open", path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return open_and_track("open64", path, flags, mode); }

int close(int file) {
  REAL(int, "close", int);
  if (file >= 0 && file < MAX_FILES) watched[file] = 0;
  return real(file);
}

static ssize_t write_and_log(int file, const struct iovec *bytes, int count, off_t at, int moves) {
  size_t wanted = 0;
  for (int i = 0; i < count; i++) wanted += bytes[i].iov_len;
  pthread_mutex_lock(&mutex);
  if (!has_room(wanted)) {
    pthread_mutex_unlock(&mutex);
    return -1;
  }
  struct stat known;
  if (moves) {
    int flags = fcntl(file, F_GETFL);
    at = flags & O_APPEND && !fstat(file, &known) ? known.st_size : lseek(file, 0, SEEK_CUR);
  }
  ssize_t (*plain)(int, const struct iovec *, int) = dlsym(RTLD_NEXT, "writev");
  ssize_t (*placed)(int, const struct iovec *, int, off_t) = dlsym(RTLD_NEXT, "pwritev");
  ssize_t done = moves ? plain(file, bytes, count) : placed(file, bytes, count, at);
  if (done == (ssize_t)wanted) note('W', inode_of(file), at, bytes, count);
  pthread_mutex_unlock(&mutex);
  return done;
}

#define ONE(buffer, length) (struct iovec[]){{(void *)(buffer), (length)}}, 1

ssize_t write(int file, const void *buffer, size_t length) {
  REAL(ssize_t, "write", int, const void *, size_t);
  return is_watched(file) ? write_and_log(file, ONE(buffer, length), 0, 1) : real(file, buffer, length);
}
ssize_t pwrite(int file, const void *buffer, size_t length, off_t at) {
  REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
  return is_watched(file) ? write_and_log(file, ONE(buffer, length), at, 0) : real(file, buffer, length, at);
}
ssize_t pwrite64(int file, const void *buffer, size_t length, off64_t at) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  return is_watched(file) ? write_and_log(file, ONE(buffer, length), at, 0) : real(file, buffer, length, at);
}
ssize_t writev(int file, const struct iovec *bytes, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  return is_watched(file) ? write_and_log(file, bytes, count, 0, 1) : real(file, bytes, count);
}
ssize_t pwritev(int file, const struct iovec *bytes, int count, off_t at) {
  REAL(ssize_t, "pwritev", int, const struct iovec *, int, off_t);
  return is_watched(file) ? write_and_log(file, bytes, count, at, 0) : real(file, bytes, count, at);
}
ssize_t pwritev64(int file, const struct iovec *bytes, int count, off64_t at) {
  REAL(ssize_t, "pwritev64", int, const struct iovec *, int, off64_t);
  return is_watched(file) ? write_and_log(file, bytes, count, at, 0) : real(file, bytes, count, at);
}

static int truncate_and_log(const char *name, int file, off_t length) {
  int (*real)(int, off_t) = dlsym(RTLD_NEXT, name);
  if (!is_watched(file)) return real(file, length);
  pthread_mutex_lock(&mutex);
  int failed = real(file, length);
  if (!failed) note('T', inode_of(file), length, NULL, 0);
  pthread_mutex_unlock(&mutex);
  return failed;
}
int ftruncate(int file, off_t length) { return truncate_and_log("ftruncate", file, length); }
int ftruncate64(int file, off64_t length) { return truncate_and_log("ftruncate64", file, length); }

static int flush_and_log(const char *name, int file) {
  int (*real)(int) = dlsym(RTLD_NEXT, name);
  if (!is_watched(file)) return real(file);
  pthread_mutex_lock(&mutex);
  int failed = 0;
  if (faults && faults->unflushed) {
    faults->failed++;
    errno = EIO;
    failed = -1;
  } else {
    struct stat known;
    char link[64], path[PATH_MAX] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    // The simulation does not need a real flush, so the flush is only logged.
    if (!fstat(file, &known) && !S_ISDIR(known.st_mode)) note('S', known.st_ino, 0, NULL, 0);
    else if (readlink(link, path, sizeof path - 1) > 0) note_names('D', 0, path, "");
  }
  pthread_mutex_unlock(&mutex);
  return failed;
}
int fsync(int file) { return flush_and_log("fsync", file); }
int fdatasync(int file) { return flush_and_log("fdatasync", file); }

int unlink(const char *path) {
  REAL(int, "unlink", const char *);
  if (!is_inside(path)) return real(path);
  pthread_mutex_lock(&mutex);
  int failed = real(path);
  if (!failed) note_names('U', 0, path, "");
  pthread_mutex_unlock(&mutex);
  return failed;
}

static int name_and_log(const char *name, char what, const char *from, const char *to) {
  int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, name);
  if (!is_inside(to)) return real(from, to);
  pthread_mutex_lock(&mutex);
  int failed = has_room(256) ? real(from, to) : -1;
  if (!failed) note_names(what, 0, from, to);
  pthread_mutex_unlock(&mutex);
  return failed;
}
int rename(const char *from, const char *to) { return name_and_log("rename", 'R', from, to); }
int link(const char *from, const char *to) { return name_and_log("link", 'L', from, to); }

static void report_free_space(const char *path, uint64_t *free, uint64_t *available, uint64_t size) {
  if (!faults || !faults->full || !is_inside(path) || !size) return;
  *free = *available = faults->room / size;
}
int statfs(const char *path, struct statfs *found) {
  REAL(int, "statfs", const char *, struct statfs *);
  int failed = real(path, found);
  if (!failed) report_free_space(path, (uint64_t *)&found->f_bfree, (uint64_t *)&found->f_bavail, found->f_bsize);
  return failed;
}
int statfs64(const char *path, struct statfs64 *found) {
  REAL(int, "statfs64", const char *, struct statfs64 *);
  int failed = real(path, found);
  if (!failed) report_free_space(path, (uint64_t *)&found->f_bfree, (uint64_t *)&found->f_bavail, found->f_bsize);
  return failed;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  REAL(int, "clock_gettime", clockid_t, struct timespec *);
  int failed = real(clock, now);
  if (!failed && faults && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += faults->ahead;
  return failed;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  REAL(int, "gettimeofday", struct timeval *, void *);
  int failed = real(now, zone);
  if (!failed && faults) now->tv_sec += faults->ahead;
  return failed;
}
time_t time(time_t *result) {
  struct timeval now;
  gettimeofday(&now, NULL);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
