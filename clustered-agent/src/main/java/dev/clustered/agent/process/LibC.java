// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;

/**
 * The functions and numbers of the C library on 64-bit Linux that this package uses, under their C
 * names. Thread-safe; {@code errno} of the last call is {@link Native#getLastError()}.
 */
@SuppressWarnings("MemberName")
final class LibC {
  static final int SIGHUP = 1;
  static final int SIGQUIT = 3;
  static final int SIGABRT = 6;
  static final int SIGKILL = 9;
  static final int SIGSTOP = 19;
  static final int SIGTERM = 15;

  static final int ENOENT = 2;
  static final int EINTR = 4;
  static final int EIO = 5;
  static final int E2BIG = 7;
  static final int ENOEXEC = 8;
  static final int EAGAIN = 11;
  static final int EACCES = 13;
  static final int ENOTDIR = 20;
  static final int EISDIR = 21;
  static final int ETXTBSY = 26;
  static final int EPIPE = 32;

  static final int O_RDONLY = 0;
  static final int O_WRONLY = 1;
  static final int O_RDWR = 2;
  static final int O_CREAT = 0x40;
  static final int O_NOCTTY = 0x100;
  static final int O_APPEND = 0x400;
  static final int O_NONBLOCK = 0x800;
  static final int O_CLOEXEC = 0x80000;

  static final int F_DUPFD_CLOEXEC = 1030;
  static final int EFD_CLOEXEC = O_CLOEXEC;
  static final short POLLIN = 1;
  static final short POLLOUT = 4;
  static final short POLLERR = 8;
  static final short POLLHUP = 16;

  /** Sets the size of a terminal; the number is the same on x86-64 and 64-bit ARM. */
  static final long TIOCSWINSZ = 0x5414;

  static final int FALLOC_FL_KEEP_SIZE = 1;
  static final int FALLOC_FL_PUNCH_HOLE = 2;

  static final short POSIX_SPAWN_SETSIGDEF = 0x04;
  static final short POSIX_SPAWN_SETSIGMASK = 0x08;
  static final short POSIX_SPAWN_SETSID = 0x80;

  static final int P_ALL = 0;
  static final int P_PID = 1;
  static final int WNOHANG = 1;
  static final int WEXITED = 4;
  static final int WNOWAIT = 0x1000000;
  static final int CLD_EXITED = 1;

  static final int RLIMIT_STACK = 3;
  static final int RLIMIT_CORE = 4;
  static final int RLIMIT_NOFILE = 7;
  static final int PR_SET_CHILD_SUBREAPER = 36;

  /** The numbers of these two system calls are the same on every architecture. */
  static final long SYS_PIDFD_SEND_SIGNAL = 424;

  static final long SYS_PIDFD_OPEN = 434;

  static {
    Native.register(LibC.class, Platform.C_LIBRARY_NAME);
  }

  private LibC() {}

  static native int posix_spawn(
      Pointer pid, Pointer path, Pointer actions, Pointer attributes, Pointer argv, Pointer envp);

  static native int posix_spawn_file_actions_init(Pointer actions);

  static native int posix_spawn_file_actions_destroy(Pointer actions);

  static native int posix_spawn_file_actions_addopen(
      Pointer actions, int descriptor, Pointer path, int flags, int mode);

  static native int posix_spawn_file_actions_addclose(Pointer actions, int descriptor);

  static native int posix_spawn_file_actions_adddup2(Pointer actions, int from, int to);

  static native int posix_spawn_file_actions_addchdir_np(Pointer actions, Pointer path);

  static native int posix_spawnattr_init(Pointer attributes);

  static native int posix_spawnattr_destroy(Pointer attributes);

  static native int posix_spawnattr_setflags(Pointer attributes, short flags);

  static native int posix_spawnattr_setsigdefault(Pointer attributes, Pointer signals);

  static native int posix_spawnattr_setsigmask(Pointer attributes, Pointer signals);

  static native int sigfillset(Pointer signals);

  static native int sigemptyset(Pointer signals);

  static native int waitid(int kind, int id, Pointer information, int options);

  static native int waitpid(int pid, Pointer status, int options);

  static native int kill(int pid, int signal);

  static native int prctl(int option, long second, long third, long fourth, long fifth);

  static native int getrlimit(int resource, Pointer limit);

  static native int setrlimit(int resource, Pointer limit);

  static native int prlimit(int pid, int resource, Pointer limit, Pointer old);

  static native int open(Pointer path, int flags, int mode);

  static native int close(int descriptor);

  static native int fallocate(int descriptor, int mode, long offset, long length);

  static native int fcntl(int descriptor, int command, int argument);

  static native int eventfd(int value, int flags);

  static native int ioctl(int descriptor, long request, Pointer argument);

  static native int posix_openpt(int flags);

  static native int grantpt(int descriptor);

  static native int unlockpt(int descriptor);

  static native int ptsname_r(int descriptor, byte[] name, long length);

  static native int pipe2(Pointer descriptors, int flags);

  static native int poll(Pointer descriptors, long count, int timeoutMillis);

  static native long read(int descriptor, byte[] buffer, long count);

  static native long write(int descriptor, byte[] buffer, long count);

  static native long syscall(long number, long first, long second, long third, long fourth);

  static native String strerror(int errno);
}
