// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import java.io.IOException;
import java.io.InputStream;

/** A stream that is made to be read many bytes at a time. */
abstract class BulkInput extends InputStream {

  @Override
  public final int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public abstract int read(byte[] target, int offset, int length) throws IOException;
}
