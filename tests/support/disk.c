/* A disk that fails when it is told to, and that writes down what was written to it.

   Loaded with LD_PRELOAD, it stands between a process and the C library. Calls that change files
   below one folder are counted; the n-th may fail, and all may be recorded for the simulation of
   a power cut. Reads and shared memory (mmap) pass unseen. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define MOST_FILES 65536

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static char folder[4096];
static char *path_of[MOST_FILES];
static long calls, fail_at, is_lasting;
static int error_number, record_to = -1;

/* What a program calls. */

void disk_watch(const char *path) { strncpy(folder, path, sizeof folder - 1); }

void disk_fail(long n, int number, int lasting) {
    pthread_mutex_lock(&turn);
    calls = 0; fail_at = n; error_number = number; is_lasting = lasting;
    pthread_mutex_unlock(&turn);
}

long disk_calls(void) { return calls; }

static void put(const void *data, size_t n) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    if (real(record_to, data, n) < 0) abort();
}

static void record(char kind, const char *path, const char *other, uint64_t at, const void *data,
                   uint32_t n) {
    uint32_t lengths[2] = {path ? strlen(path) : 0, other ? strlen(other) : 0};
    if (record_to < 0) return;
    put(&kind, 1); put(lengths, sizeof lengths); put(&at, sizeof at); put(&n, sizeof n);
    if (path) put(path, lengths[0]);
    if (other) put(other, lengths[1]);
    if (n && data) put(data, n);
}

void disk_record(const char *path) {
    static int (*real)(const char *, int, ...);
    if (!real) real = dlsym(RTLD_NEXT, "open");
    record_to = real(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

void disk_note(const char *text) {
    pthread_mutex_lock(&turn);
    record('N', text, 0, 0, 0, 0);
    pthread_mutex_unlock(&turn);
}

/* What stands between. */

static int is_watched(const char *path) {
    size_t n = strlen(folder);
    return n && path && !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

static int fails(void) {
    calls++;
    if (fail_at && (is_lasting ? calls >= fail_at : calls == fail_at)) {
        errno = error_number;
        return 1;
    }
    return 0;
}

static const char *watched_file(int fd) {
    return fd >= 0 && fd < MOST_FILES ? path_of[fd] : NULL;
}

static int opened(const char *name, int at, const char *path, int flags, mode_t mode) {
    static int (*real)(int, const char *, int, ...);
    int fd, is_made, is_ours = is_watched(path);
    if (!real) real = dlsym(RTLD_NEXT, "openat");
    if (!is_ours) return real(at, path, flags, mode);
    pthread_mutex_lock(&turn);
    is_made = (flags & O_CREAT) && access(path, F_OK);
    if (is_made && fails()) { pthread_mutex_unlock(&turn); return -1; }
    fd = real(at, path, flags, mode);
    if (fd >= 0 && fd < MOST_FILES) {
        free(path_of[fd]);
        path_of[fd] = strdup(path);
        if (is_made) record('C', path, 0, 0, 0, 0);
        if (!is_made && (flags & O_TRUNC)) record('T', path, 0, 0, 0, 0);
    }
    pthread_mutex_unlock(&turn);
    return fd;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        mode_t mode = 0; va_list more; \
        va_start(more, flags); if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(more, mode_t); \
        va_end(more); return opened(#name, AT_FDCWD, path, flags, mode); }
#define OPENAT(name) \
    int name(int at, const char *path, int flags, ...) { \
        mode_t mode = 0; va_list more; \
        va_start(more, flags); if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(more, mode_t); \
        va_end(more); return opened(#name, at, path, flags, mode); }
OPEN(open) OPEN(open64) OPENAT(openat) OPENAT(openat64)

int close(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "close");
    if (fd >= 0 && fd < MOST_FILES && path_of[fd]) {
        pthread_mutex_lock(&turn);
        free(path_of[fd]); path_of[fd] = NULL;
        pthread_mutex_unlock(&turn);
    }
    return real(fd);
}

static ssize_t written(int fd, const void *data, size_t n, off_t at) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    const char *path = watched_file(fd);
    ssize_t done;
    if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
    if (!path) return real(fd, data, n, at);
    pthread_mutex_lock(&turn);
    if (fails()) { pthread_mutex_unlock(&turn); return -1; }
    done = real(fd, data, n, at);
    if (done > 0) record('W', path, 0, at, data, done);
    pthread_mutex_unlock(&turn);
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at) { return written(fd, data, n, at); }
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at) { return written(fd, data, n, at); }

ssize_t write(int fd, const void *data, size_t n) {
    static ssize_t (*real)(int, const void *, size_t);
    const char *path = watched_file(fd);
    off_t at;
    ssize_t done;
    if (!real) real = dlsym(RTLD_NEXT, "write");
    if (!path) return real(fd, data, n);
    pthread_mutex_lock(&turn);
    if (fails()) { pthread_mutex_unlock(&turn); return -1; }
    at = fcntl(fd, F_GETFL) & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
    done = real(fd, data, n);
    if (done > 0) record('W', path, 0, at, data, done);
    pthread_mutex_unlock(&turn);
    return done;
}

static int cut(const char *name, int fd, off_t size) {
    int (*real)(int, off_t) = dlsym(RTLD_NEXT, name);
    const char *path = watched_file(fd);
    int failed;
    if (!path) return real(fd, size);
    pthread_mutex_lock(&turn);
    if (fails()) { pthread_mutex_unlock(&turn); return -1; }
    failed = real(fd, size);
    if (!failed) record('T', path, 0, size, 0, 0);
    pthread_mutex_unlock(&turn);
    return failed;
}

int ftruncate(int fd, off_t size) { return cut("ftruncate", fd, size); }
int ftruncate64(int fd, off64_t size) { return cut("ftruncate64", fd, size); }

static int synced(const char *name, int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    const char *path = watched_file(fd);
    int failed;
    if (!path) return real(fd);
    pthread_mutex_lock(&turn);
    if (fails()) { pthread_mutex_unlock(&turn); return -1; }
    /* What a real flush would cost is not of interest here. */
    failed = 0;
    record('S', path, 0, 0, 0, 0);
    pthread_mutex_unlock(&turn);
    return failed;
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }

int unlink(const char *path) {
    static int (*real)(const char *);
    int failed;
    if (!real) real = dlsym(RTLD_NEXT, "unlink");
    if (!is_watched(path)) return real(path);
    pthread_mutex_lock(&turn);
    if (!access(path, F_OK) && fails()) { pthread_mutex_unlock(&turn); return -1; }
    failed = real(path);
    if (!failed) record('U', path, 0, 0, 0, 0);
    pthread_mutex_unlock(&turn);
    return failed;
}

int rename(const char *from, const char *to) {
    static int (*real)(const char *, const char *);
    int failed;
    if (!real) real = dlsym(RTLD_NEXT, "rename");
    if (!is_watched(from) && !is_watched(to)) return real(from, to);
    pthread_mutex_lock(&turn);
    if (fails()) { pthread_mutex_unlock(&turn); return -1; }
    failed = real(from, to);
    if (!failed) record('R', from, to, 0, 0, 0);
    pthread_mutex_unlock(&turn);
    return failed;
}
