// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/** Finds static fields that can hold state, in all classes that come from where one class does. */
final class StaticState {

  private static final List<String> MUTABLE_PACKAGES =
      List.of("java.util.concurrent.atomic.", "java.util.concurrent.locks.");

  private StaticState() {}

  static List<Field> of(Class<?> type) throws IOException {
    List<Field> found = new ArrayList<>();
    for (String name : classes(type)) {
      for (Field field : load(type, name).getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers()) && !field.isSynthetic() && holdsState(field)) {
          found.add(field);
        }
      }
    }
    return found;
  }

  private static boolean holdsState(Field field) {
    if (!Modifier.isFinal(field.getModifiers())) {
      return true;
    }
    Class<?> type = field.getType();
    return Executor.class.isAssignableFrom(type)
        || Thread.class.isAssignableFrom(type)
        || ThreadLocal.class.isAssignableFrom(type)
        || MUTABLE_PACKAGES.stream().anyMatch(type.getName()::startsWith)
        || isMutableCollection(type);
  }

  /** Whether the declared type alone says that it is a collection to be changed. */
  private static boolean isMutableCollection(Class<?> type) {
    boolean collection =
        java.util.Collection.class.isAssignableFrom(type)
            || java.util.Map.class.isAssignableFrom(type);
    return collection && !type.isInterface() && type.getName().startsWith("java.util.");
  }

  private static Class<?> load(Class<?> beside, String name) {
    try {
      return Class.forName(name, false, beside.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("cannot load " + name, e);
    }
  }

  /** The binary names of the classes of the package and below, in the jar or folder of the type. */
  private static List<String> classes(Class<?> type) throws IOException {
    Path source = source(type);
    if (Files.isDirectory(source)) {
      return classesUnder(source, type.getPackageName());
    }
    try (FileSystem jar = FileSystems.newFileSystem(source)) {
      return classesUnder(jar.getPath("/"), type.getPackageName());
    }
  }

  private static Path source(Class<?> type) {
    try {
      URI location = type.getProtectionDomain().getCodeSource().getLocation().toURI();
      return Path.of(location);
    } catch (URISyntaxException e) {
      throw new IllegalStateException("no file holds " + type, e);
    }
  }

  private static List<String> classesUnder(Path root, String packageName) throws IOException {
    Path folder = root.resolve(packageName.replace('.', '/'));
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .map(file -> root.relativize(file).toString().replace('\\', '/'))
          .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .sorted()
          .toList();
    }
  }
}
