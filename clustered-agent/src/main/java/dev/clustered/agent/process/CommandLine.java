// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import dev.clustered.agent.process.SpawnFailure.Reason;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;

/**
 * A command in a form that execve takes, whatever its size: an inline script beyond the limit of
 * one string goes into a file, and many arguments get a raised stack limit. Pure: says which file
 * to write and writes none.
 */
final class CommandLine {
  /** File name, auxiliary vector and the interpreter line of a script count as well. */
  private static final long RESERVED_BYTES = 8192;

  private CommandLine() {}

  /** Either a command that fits or the reason why none does. */
  sealed interface Result {
    /**
     * A command that the kernel takes.
     *
     * @param argv the bytes of each argument
     * @param files what has to be written before
     * @param raised whether the stack limit has to be raised for it
     */
    record Fits(List<byte[]> argv, List<ScriptFile> files, boolean raised) implements Result {}

    record TooLarge(SpawnFailure failure) implements Result {}
  }

  /** A file to be written; its name follows from its content, so writing twice does no harm. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record ScriptFile(Path path, byte[] content) {}

  static Result fit(List<String> command, List<byte[]> envp, Path scratch, ExecLimits limits) {
    List<byte[]> argv = new ArrayList<>(CStrings.utf8(command));
    List<ScriptFile> files = new ArrayList<>();
    scriptPosition(command)
        .ifPresent(index -> moveToFile(command, index, argv, files, scratch, limits));
    for (int index = 0; index < argv.size(); index++) {
      if (argv.get(index).length > limits.string()) {
        return tooLarge(argument(index, argv.get(index).length, limits));
      }
    }
    for (byte[] variable : envp) {
      if (variable.length > limits.string()) {
        return tooLarge(variable(variable, limits));
      }
    }
    long total = RESERVED_BYTES + size(argv) + size(envp);
    if (total > Math.max(limits.total(), limits.raisedTotal())) {
      return tooLarge(everything(argv, envp, limits));
    }
    return new Result.Fits(List.copyOf(argv), List.copyOf(files), total > limits.total());
  }

  private static OptionalInt scriptPosition(List<String> command) {
    for (InlineScript kind : InlineScript.values()) {
      if (kind.interprets(command.getFirst())) {
        return kind.position(command);
      }
    }
    return OptionalInt.empty();
  }

  private static void moveToFile(
      List<String> command,
      int index,
      List<byte[]> argv,
      List<ScriptFile> files,
      Path scratch,
      ExecLimits limits) {
    byte[] content = argv.get(index);
    if (content.length <= limits.string()) {
      return;
    }
    Path path = scratch.resolve("script-" + digest(content));
    InlineScript kind =
        InlineScript.SHELL.interprets(command.getFirst())
            ? InlineScript.SHELL
            : InlineScript.PYTHON;
    files.add(new ScriptFile(path, content));
    argv.set(index, CStrings.utf8(kind.reading(path)));
  }

  private static long size(List<byte[]> strings) {
    return strings.stream().mapToLong(bytes -> bytes.length + 1L + Long.BYTES).sum();
  }

  private static String digest(byte[] content) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
      return HexFormat.of().formatHex(hash, 0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }

  private static String argument(int index, long size, ExecLimits limits) {
    return "Argument "
        + index
        + " of the command has "
        + size
        + " bytes; one argument may have "
        + limits.string()
        + ". Put its content in a file and pass the file's path.";
  }

  private static String variable(byte[] variable, ExecLimits limits) {
    String text = new String(variable, StandardCharsets.UTF_8);
    return "Environment variable "
        + text.substring(0, text.indexOf('='))
        + " has "
        + variable.length
        + " bytes with its name; one variable may have "
        + limits.string()
        + ". Leave it to the environment file.";
  }

  private static String everything(List<byte[]> argv, List<byte[]> envp, ExecLimits limits) {
    return "The command has "
        + size(argv)
        + " bytes in "
        + argv.size()
        + " arguments and its environment "
        + size(envp)
        + "; together they may have "
        + (Math.max(limits.total(), limits.raisedTotal()) - RESERVED_BYTES)
        + ". Put the arguments in a file and pass the file's path.";
  }

  private static Result tooLarge(String message) {
    return new Result.TooLarge(new SpawnFailure(Reason.TOO_LARGE, message));
  }
}
