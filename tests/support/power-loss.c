// Preloaded into Postgres, keeps a second copy of the files below $LIVE in $DISK. The copy receives only what Postgres
// has synced, as a disk without power has it: the content of a file at `fsync` of the file, its name at `fsync` of
// the folder.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy_content(int fd, const char *copy) {
  char path[64], *buffer;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int from = open(path, O_RDONLY), to = open(copy, O_RDWR | O_CREAT, 0600), result = -1;
  ssize_t size = 0;
  off_t at = 0;
  if (from < 0 || to < 0 || (buffer = malloc(1 << 20)) == NULL) return -1;
  // Without the lock, an older content of another process could replace a newer one.
  if (flock(to, LOCK_EX) == 0) {
    while ((size = pread(from, buffer, 1 << 20, at)) > 0 && pwrite(to, buffer, size, at) == size) at += size;
    if (size == 0) result = ftruncate(to, at);
  }
  free(buffer);
  close(from);
  close(to);
  return result;
}

/** Adds the names of a folder to the copy, and removes those that are gone. */
static int copy_names(const char *live, const char *copy, int is_addition) {
  char path[PATH_MAX], other[PATH_MAX];
  DIR *folder = opendir(is_addition ? live : copy);
  if (folder == NULL) return -1;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    snprintf(path, sizeof path, "%s/%s", live, entry->d_name);
    snprintf(other, sizeof other, "%s/%s", copy, entry->d_name);
    if (!is_addition && access(path, F_OK) != 0) remove(other);
    if (is_addition && access(other, F_OK) != 0) {
      if (entry->d_type == DT_DIR) mkdir(other, 0700);
      else close(open(other, O_WRONLY | O_CREAT, 0600));
    }
  }
  closedir(folder);
  return 0;
}

static int copy_synced(int fd) {
  char link[64], path[PATH_MAX], copy[PATH_MAX];
  const char *live = getenv("LIVE"), *disk = getenv("DISK");
  struct stat about;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0 || live == NULL || disk == NULL || fstat(fd, &about) != 0) return -1;
  path[length] = '\0';
  if (strncmp(path, live, strlen(live)) != 0 || about.st_nlink == 0) return 0;
  snprintf(copy, sizeof copy, "%s%s", disk, path + strlen(live));
  if (!S_ISDIR(about.st_mode)) return copy_content(fd, copy);
  return copy_names(path, copy, 0) != 0 || copy_names(path, copy, 1) != 0 ? -1 : 0;
}

int fsync(int fd) { return copy_synced(fd); }
int fdatasync(int fd) { return copy_synced(fd); }
