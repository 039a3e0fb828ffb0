// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.worker;

import dev.clustered.ClusterContext;
import dev.clustered.ClusterTask;
import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.agent.protocol.Json;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;

/**
 * The main class of a Java task's JVM: runs the task of this rank and leaves its result. Exits with
 * 0 after the task returns, whatever threads it left, and with 1 and a stack trace when it throws.
 */
public final class TaskMain {

  private TaskMain() {}

  /** Runs the task that the environment names. */
  @SuppressWarnings("CatchAndPrintStackTrace")
  public static void main(String[] arguments) {
    int code = 0;
    try {
      run(System.getenv());
    } catch (Throwable e) {
      // Errors too: whatever the task throws belongs in the log of its rank, with a code.
      e.printStackTrace();
      code = 1;
    }
    System.out.flush();
    System.exit(code);
  }

  static void run(Map<String, String> environment) throws Exception {
    Class<?> type = Class.forName(required(environment, ContractNames.TASK_CLASS));
    ClusterTask<Object, Object> task = create(type);
    Object result = task.run(ClusterContext.from(environment), input(type, environment));
    write(Path.of(required(environment, ContractNames.RESULT_FILE)), result);
  }

  @SuppressWarnings("unchecked")
  private static ClusterTask<Object, Object> create(Class<?> type) throws Exception {
    if (!ClusterTask.class.isAssignableFrom(type)) {
      throw new IllegalArgumentException(type.getName() + " does not implement ClusterTask");
    }
    try {
      return (ClusterTask<Object, Object>) type.getConstructor().newInstance();
    } catch (NoSuchMethodException e) {
      throw new IllegalArgumentException(
          type.getName() + " needs a public constructor without parameters", e);
    } catch (IllegalAccessException e) {
      throw new IllegalArgumentException(
          type.getName() + " must be public, or its module must open its package", e);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  // A task that names no input type, raw or with Object, gets maps, lists and plain values.
  // The null of a task without input is the task's own business.
  @SuppressWarnings("NullAway")
  private static Object input(Class<?> type, Map<String, String> environment) {
    JavaType wanted = inputType(type);
    String file = environment.get(ContractNames.TASK_INPUT_FILE);
    if (file != null) {
      return Json.mapper().readValue(Path.of(file), wanted);
    }
    if (wanted.hasRawClass(Void.class) || wanted.hasRawClass(Object.class)) {
      return null;
    }
    throw new IllegalArgumentException(
        "%s takes an input of type %s and got none; give it in the specification, with the task"
            .formatted(type.getName(), wanted.toCanonical()));
  }

  private static JavaType inputType(Class<?> type) {
    JavaType[] parameters =
        Json.mapper()
            .getTypeFactory()
            .findTypeParameters(
                Json.mapper().getTypeFactory().constructType(type), ClusterTask.class);
    return parameters.length == 2
        ? parameters[0]
        : Json.mapper().getTypeFactory().constructType(Object.class);
  }

  /** Writes the whole result or nothing. */
  private static void write(Path file, @Nullable Object result) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
    Files.write(unfinished, Json.mapper().writeValueAsBytes(result));
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String required(Map<String, String> environment, String name) {
    String value = environment.get(name);
    if (value == null) {
      throw new IllegalStateException(
          "the variable " + name + " is missing: only an agent starts this program");
    }
    return value;
  }
}
