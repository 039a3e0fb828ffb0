// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Optional;

/** What the class of a Java task must obey, so that another JVM can make one of it. */
final class TaskRules {

  /** By its name, because values know nothing of what is built on them. */
  private static final String TASK = "dev.clustered.ClusterTask";

  private TaskRules() {}

  /** What is wrong with a class; empty when nothing is. */
  static Optional<String> problem(Class<?> type) {
    return reason(type).map(reason -> type.getName() + " " + reason);
  }

  private static Optional<String> reason(Class<?> type) {
    if (!isTask(type)) {
      return Optional.of("does not implement " + TASK);
    }
    if (type.isAnonymousClass() || type.isLocalClass() || type.isHidden()) {
      return Optional.of("has no name of its own; make it a class that stands alone or is static");
    }
    if (type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
      return Optional.of("is abstract");
    }
    if (!Modifier.isPublic(type.getModifiers())) {
      return Optional.of("is not public");
    }
    if (Arrays.stream(type.getConstructors()).noneMatch(made -> made.getParameterCount() == 0)) {
      return Optional.of("has no public constructor without parameters");
    }
    return Optional.empty();
  }

  private static boolean isTask(Class<?> type) {
    for (Class<?> level = type; level != null; level = level.getSuperclass()) {
      for (Class<?> part : level.getInterfaces()) {
        if (part.getName().equals(TASK) || isTask(part)) {
          return true;
        }
      }
    }
    return false;
  }
}
