// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import dev.clustered.model.TerminalSize;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
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

  /**
   * Three pipes, or two. All that our side needs is there before the child is: a child that runs
   * while its streams cannot be had would be nobody's.
   */
  private static final class Pipes implements Opening {
    private final List<Pipe> pipes = new ArrayList<>();
    private final List<Runnable> ours = new ArrayList<>();
    private final Spawn.Streams child;
    private final AttachedStreams streams;
    private boolean taken;

    Pipes(Input wanted) {
      try {
        Optional<Pipe> input = wanted == Input.PIPE ? Optional.of(pipe()) : Optional.empty();
        Pipe output = pipe();
        Pipe error = pipe();
        child =
            Spawn.Streams.pipes(
                input.map(Pipe::readEnd).orElse(-1), output.writeEnd(), error.writeEnd());
        streams =
            new AttachedStreams(
                input.map(this::output),
                input(output),
                Optional.of(input(error)),
                Optional.empty());
      } catch (RuntimeException e) {
        close();
        throw e;
      }
    }

    private Pipe pipe() {
      Pipe pipe = new Pipe();
      pipes.add(pipe);
      return pipe;
    }

    private DescriptorInput input(Pipe pipe) {
      DescriptorInput input = new DescriptorInput(pipe.takeReadEnd());
      ours.add(input::close);
      return input;
    }

    private DescriptorOutput output(Pipe pipe) {
      DescriptorOutput output = DescriptorOutput.pipe(pipe.takeWriteEnd());
      ours.add(output::abandon);
      return output;
    }

    @Override
    public Spawn.Streams child() {
      return child;
    }

    @Override
    public AttachedStreams take() {
      taken = true;
      return streams;
    }

    @Override
    public void close() {
      if (!taken) {
        ours.forEach(Runnable::run);
      }
      pipes.forEach(Pipe::close);
    }
  }
}
