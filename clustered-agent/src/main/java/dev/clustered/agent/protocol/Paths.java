// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.ClusterId;
import java.util.List;

/**
 * The control endpoint's paths. All take POST but {@link #work} and {@link #exec}, which take GET;
 * all but {@link #JOIN} need {@code Authorization: Bearer} with the node's session secret and
 * {@link #NODE}.
 */
public final class Paths {

  /** {@link JoinRequest} → {@link JoinReply}. */
  public static final String JOIN = "/v1/join";

  /**
   * {@code {"generation": n}} → {@link DesiredState} as soon as its generation is above n; 204 when
   * the time is over. Renews the lease.
   */
  public static final String POLL = "/v1/poll";

  /** {@link ObservedState} → 204. */
  public static final String OBSERVED = "/v1/observed";

  /** Before {@code /cluster/attempt/rank?offset=n}. */
  public static final String LOGS = "/v1/logs";

  /** Before {@code /cluster/attempt}. */
  public static final String WORK = "/v1/work";

  /** Before {@code /cluster/attempt}. */
  public static final String BLOBS = "/v1/blobs";

  /** Before {@code /exec}, the identity of a command beside a rank; 404 when it is over. */
  public static final String EXEC = "/v1/exec";

  /** The header that is {@code true} on the last bytes of an input. */
  public static final String INPUT_END = "Clustered-Input-End";

  /** The header that names the node. */
  public static final String NODE = "Clustered-Node";

  private Paths() {}

  /** Raw bytes at an offset → {@code {"stored": n}}, the bytes the engine has from the start. */
  public static String logs(ClusterId cluster, int attempt, int rank, long offset) {
    return LOGS + "/" + cluster + "/" + attempt + "/" + rank + "?offset=" + offset;
  }

  /** The {@link WorkDocument} of an attempt. */
  public static String work(ClusterId cluster, int attempt) {
    return WORK + "/" + cluster + "/" + attempt;
  }

  /**
   * {@link Wanted} → for each piece in order a number of 8 bytes, most significant first, and so
   * many bytes: the rest of the blob from the offset. A number below zero instead is followed by a
   * text as {@link java.io.DataOutput#writeUTF} writes it, which says why the blob cannot be had.
   * Bytes of a file that changes meanwhile are sent as they are; the digest tells.
   */
  public static String blobs(ClusterId cluster, int attempt) {
    return BLOBS + "/" + cluster + "/" + attempt;
  }

  /** The body of a request for blobs. */
  public record Wanted(List<Piece> pieces) {
    /** The most pieces in one request. */
    public static final int MOST = 2_000;

    public Wanted {
      pieces = List.copyOf(pieces);
    }
  }

  /** A blob by its SHA-256 in lower-case hex, from an offset. */
  public record Piece(String sha256, long offset) {}

  /** The {@link ExecDocument} of a command beside a rank. */
  public static String exec(String exec) {
    return EXEC + "/" + exec;
  }

  /**
   * Raw bytes of an output at an offset → {@code {"stored": n}}, the bytes the engine has from the
   * start, as soon as it has room for some.
   *
   * @param stream {@code output} or {@code error}
   */
  public static String execOutput(String exec, String stream, long offset) {
    return EXEC + "/" + exec + "/" + stream + "?offset=" + offset;
  }

  /**
   * Nothing → the raw bytes of its input from an offset, as soon as there are any, with {@link
   * #INPUT_END}; 204 when the time is over. The bytes before the offset are taken.
   */
  public static String execInput(String exec, long offset) {
    return EXEC + "/" + exec + "/input?offset=" + offset;
  }

  /** Nothing → 204: it reads no more of its input. */
  public static String execInputUnwanted(String exec) {
    return EXEC + "/" + exec + "/unwanted";
  }

  /** {@link ExecEnd} → 204. */
  public static String execEnd(String exec) {
    return EXEC + "/" + exec + "/end";
  }

  /** The body of a poll. */
  public record Poll(long generation) {}

  /** The answer to logs. */
  public record Stored(long stored) {}
}
