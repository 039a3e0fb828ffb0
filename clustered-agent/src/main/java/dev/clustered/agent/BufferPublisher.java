// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;

/**
 * A request body that hands out parts of a buffer without copying it. The buffer may be written to
 * again once the request is over. One use.
 */
final class BufferPublisher implements HttpRequest.BodyPublisher {

  /** A TLS record holds no more. */
  private static final int PART = 16 * 1024;

  private final ByteBuffer content;

  BufferPublisher(ByteBuffer content) {
    this.content = content.asReadOnlyBuffer();
  }

  @Override
  public long contentLength() {
    return content.remaining();
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    subscriber.onSubscribe(new Parts(content.duplicate(), subscriber));
  }

  private static final class Parts implements Flow.Subscription {
    private final ByteBuffer rest;
    private final Flow.Subscriber<? super ByteBuffer> subscriber;
    private long requested;
    private boolean emitting;
    private boolean over;

    Parts(ByteBuffer rest, Flow.Subscriber<? super ByteBuffer> subscriber) {
      this.rest = rest;
      this.subscriber = subscriber;
    }

    // A subscriber asks for more from within onNext; the loop below then goes on instead of
    // calling itself.
    @Override
    public void request(long count) {
      requested += count;
      if (emitting || over) {
        return;
      }
      emitting = true;
      while (requested > 0 && rest.hasRemaining() && !over) {
        requested--;
        int size = Math.min(PART, rest.remaining());
        ByteBuffer part = rest.slice(rest.position(), size);
        rest.position(rest.position() + size);
        subscriber.onNext(part);
      }
      emitting = false;
      if (!rest.hasRemaining() && !over) {
        over = true;
        subscriber.onComplete();
      }
    }

    @Override
    public void cancel() {
      over = true;
    }
  }
}
