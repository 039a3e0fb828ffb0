// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.worker;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What the leader has to do with one follower, which dials when it is ready. Thread-safe. */
final class FollowerLink {

  private final InetAddress address;
  private final CountDownLatch missing;
  private final CountDownLatch dialled = new CountDownLatch(1);
  private final AtomicInteger numbers = new AtomicInteger();
  private final Map<Integer, RemoteCall> calls = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable DataOutputStream output;

  /**
   * For one that has not dialled.
   *
   * @param missing counts those
   */
  FollowerLink(InetAddress address, CountDownLatch missing) {
    this.address = address;
    this.missing = missing;
  }

  /** Takes what the follower tells until it is gone. */
  void serve(DataInputStream input, DataOutputStream out) throws IOException {
    connect(out);
    try {
      while (true) {
        Frames.Frame frame = Frames.Frame.read(input);
        RemoteCall call = calls.get(frame.call());
        if (call != null) {
          call.take(frame);
        }
      }
    } finally {
      connect(null);
      calls.values().forEach(call -> call.refuse(gone()));
    }
  }

  /** Has a command run, once the follower is there, and waits for its end. */
  void run(String command, RemoteCall call) throws InterruptedException {
    dialled.await();
    int number = numbers.incrementAndGet();
    calls.put(number, call);
    try {
      send(number, command.getBytes(StandardCharsets.UTF_8), call);
      call.await();
    } finally {
      calls.remove(number);
    }
  }

  private void send(int number, byte[] command, RemoteCall call) {
    lock.lock();
    try {
      DataOutputStream to = output;
      if (to == null) {
        call.refuse(gone());
        return;
      }
      to.writeInt(number);
      to.writeInt(command.length);
      to.write(command);
      to.flush();
    } catch (IOException e) {
      call.refuse(gone());
    } finally {
      lock.unlock();
    }
  }

  private void connect(@Nullable DataOutputStream out) {
    lock.lock();
    try {
      output = out;
      if (dialled.getCount() > 0) {
        dialled.countDown();
        missing.countDown();
      }
    } finally {
      lock.unlock();
    }
  }

  private String gone() {
    return "clustered: the node %s has gone".formatted(address.getHostAddress());
  }
}
