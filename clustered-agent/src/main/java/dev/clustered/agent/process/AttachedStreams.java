// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import dev.clustered.model.TerminalSize;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;

/**
 * Our ends of the streams of a child. A read blocks in the kernel, so it belongs on a platform
 * thread; each stream is to be closed. Thread-safe but for the streams.
 */
public final class AttachedStreams {

  /** What the child finds as its standard input. */
  public enum Input {
    /** Nothing. */
    NONE,
    /** A pipe. */
    PIPE
  }

  private final Optional<DescriptorOutput> input;
  private final DescriptorInput output;
  private final Optional<DescriptorInput> error;
  private final Optional<Terminal> terminal;

  private AttachedStreams(
      Optional<DescriptorOutput> input,
      DescriptorInput output,
      Optional<DescriptorInput> error,
      Optional<Terminal> terminal) {
    this.input = input;
    this.output = output;
    this.error = error;
    this.terminal = terminal;
  }

  /** Both sides of the streams, while the child is being started. Not thread-safe. */
  interface Opening extends AutoCloseable {

    /** What the child is to get. */
    Spawn.Streams child();

    /** Our side, once the child has its own. */
    AttachedStreams take();

    /** Closes the child's side, and ours unless it was taken. */
    @Override
    void close();
  }

  /** The system has no pipe or terminal left. */
  static final class Exhausted extends Exception {
    private static final long serialVersionUID = 1L;

    private Exhausted(IllegalStateException cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** Pipes, or a new terminal of a size. */
  static Opening open(Input input, Optional<TerminalSize> terminal) throws Exhausted {
    try {
      return terminal.isPresent() ? terminal(terminal.get()) : new Pipes(input);
    } catch (IllegalStateException e) {
      throw new Exhausted(e);
    }
  }

  private static Opening terminal(TerminalSize size) {
    Terminal opened = new Terminal(size);
    return new Opening() {
      private boolean taken;

      @Override
      public Spawn.Streams child() {
        return Spawn.Streams.of(opened.path());
      }

      @Override
      public AttachedStreams take() {
        taken = true;
        return new AttachedStreams(
            Optional.of(opened.input()), opened.output(), Optional.empty(), Optional.of(opened));
      }

      @Override
      public void close() {
        if (!taken) {
          opened.close();
        }
      }
    };
  }

  /** What the child reads; to close it is the end of its input. */
  public OutputStream input() {
    return input.map(OutputStream.class::cast).orElseGet(OutputStream::nullOutputStream);
  }

  /** What the child writes; with a terminal everything. */
  public InputStream output() {
    return output;
  }

  /** What the child writes to standard error; nothing with a terminal. */
  public InputStream error() {
    return error.map(InputStream.class::cast).orElseGet(InputStream::nullInputStream);
  }

  /** Changes the size of the terminal; nothing without one. */
  public void resize(TerminalSize size) {
    terminal.ifPresent(opened -> opened.resize(size));
  }

  /** Whether there is a terminal. */
  public boolean inTerminal() {
    return terminal.isPresent();
  }

  /**
   * Nothing of the child is left: what it wrote can still be read, and then the outputs end, even
   * when a stranger has their other side open; nothing can be written any more.
   */
  public void drain() {
    output.drain();
    error.ifPresent(DescriptorInput::drain);
    input.ifPresent(DescriptorOutput::stop);
    terminal.ifPresent(Terminal::release);
  }

  /** Three pipes, or two. */
  private static final class Pipes implements Opening {
    private final Optional<Pipe> input;
    private final Pipe output;
    private final Pipe error;

    Pipes(Input wanted) {
      input = wanted == Input.PIPE ? Optional.of(new Pipe()) : Optional.empty();
      try {
        output = new Pipe();
        error = errorBeside(output);
      } catch (IllegalStateException e) {
        input.ifPresent(Pipe::close);
        throw e;
      }
    }

    private static Pipe errorBeside(Pipe output) {
      try {
        return new Pipe();
      } catch (IllegalStateException e) {
        output.close();
        throw e;
      }
    }

    @Override
    public Spawn.Streams child() {
      return Spawn.Streams.pipes(
          input.map(Pipe::readEnd).orElse(-1), output.writeEnd(), error.writeEnd());
    }

    @Override
    public AttachedStreams take() {
      return new AttachedStreams(
          input.map(pipe -> DescriptorOutput.pipe(pipe.takeWriteEnd())),
          new DescriptorInput(output.takeReadEnd()),
          Optional.of(new DescriptorInput(error.takeReadEnd())),
          Optional.empty());
    }

    @Override
    public void close() {
      input.ifPresent(Pipe::close);
      output.close();
      error.close();
    }
  }
}
