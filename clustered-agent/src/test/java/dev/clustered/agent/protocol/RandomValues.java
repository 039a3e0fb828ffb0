// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.TerminalSize;
import dev.clustered.model.TopologyPath;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;

/** Random values of any record, enum or sealed type of the model, from its components. */
final class RandomValues {

  private static final String[] TEXTS = {
    "",
    " ",
    "plain",
    "two words",
    "\"quoted\" \\ back",
    "line\nline\r\t",
    "nul\0",
    "\u001b[31m",
    "Grüße 世界 🚀",
    "{\"json\":[1]}",
    "null",
    "***",
    "\u2028\u202e",
  };

  private final Random random;

  RandomValues(long seed) {
    this.random = new Random(seed);
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  boolean chance() {
    return random.nextBoolean();
  }

  String text() {
    return TEXTS[below(TEXTS.length)] + (chance() ? Integer.toString(below(1_000)) : "");
  }

  String identifier() {
    return "id-" + Integer.toString(below(Integer.MAX_VALUE), 36);
  }

  /** Of any length, a zero among them. */
  byte[] bytes() {
    byte[] bytes = new byte[below(40)];
    random.nextBytes(bytes);
    return bytes;
  }

  Duration duration() {
    return Duration.ofSeconds(below(100_000), below(3) == 0 ? below(1_000_000_000) : 0);
  }

  Object value(Type type) {
    return switch (type) {
      case Class<?> plain -> plain(plain);
      case ParameterizedType generic -> generic(generic);
      default -> throw new AssertionError("no random value of " + type);
    };
  }

  private Object generic(ParameterizedType type) {
    Type[] arguments = type.getActualTypeArguments();
    if (type.getRawType() == Optional.class) {
      return chance() ? Optional.empty() : Optional.of(value(arguments[0]));
    }
    if (type.getRawType() == List.class) {
      List<Object> list = new ArrayList<>();
      int size = below(4);
      while (list.size() < size) {
        list.add(value(arguments[0]));
      }
      return List.copyOf(list);
    }
    if (type.getRawType() == Map.class) {
      Map<Object, Object> map = new LinkedHashMap<>();
      for (int i = below(4); i > 0; i--) {
        map.put(value(arguments[0]), value(arguments[1]));
      }
      return map;
    }
    if (type.getRawType() == Set.class) {
      Set<Object> set = new LinkedHashSet<>();
      for (int i = below(4); i > 0; i--) {
        set.add(value(arguments[0]));
      }
      return set;
    }
    throw new AssertionError("no random value of " + type);
  }

  private Object plain(Class<?> type) {
    if (type.isEnum()) {
      return type.getEnumConstants()[below(type.getEnumConstants().length)];
    }
    if (type.isSealed()) {
      return plain(type.getPermittedSubclasses()[below(type.getPermittedSubclasses().length)]);
    }
    Optional<Object> known = known(type);
    if (known.isPresent()) {
      return known.get();
    }
    if (type.isRecord()) {
      return record(type);
    }
    throw new AssertionError("no random value of " + type);
  }

  private Optional<Object> known(Class<?> type) {
    return Optional.ofNullable(
        switch (type.getName()) {
          case "int", "java.lang.Integer" -> 1 + below(Integer.MAX_VALUE - 1);
          case "long" -> random.nextLong() >>> 1;
          case "boolean" -> chance();
          case "java.lang.String" -> text();
          case "java.lang.Object" -> text();
          case "java.math.BigDecimal" -> new BigDecimal(below(1_000_000) + "." + below(1_000_000));
          case "java.time.Duration" -> duration();
          case "java.time.Instant" -> Instant.ofEpochSecond(random.nextInt(), below(1_000_000_000));
          case "java.util.OptionalInt" ->
              chance() ? OptionalInt.empty() : OptionalInt.of(below(99));
          default -> special(type);
        });
  }

  /** Values that not every combination of components makes. */
  private Object special(Class<?> type) {
    if (type == ByteSize.class) {
      return new ByteSize(random.nextLong() >>> 1);
    }
    if (type == ClusterId.class) {
      return new ClusterId(identifier());
    }
    if (type == NodeId.class) {
      return new NodeId(identifier());
    }
    if (type == LaunchId.class) {
      return new LaunchId(identifier());
    }
    if (type == Path.class) {
      return Path.of("/data", identifier(), "a b ü");
    }
    if (type == TerminalSize.class) {
      return new TerminalSize(1 + below(65_535), 1 + below(65_535));
    }
    if (type == TopologyPath.class) {
      return chance() ? TopologyPath.of() : TopologyPath.of("zone", text(), "fabric", text());
    }
    return null;
  }

  private Object record(Class<?> type) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = value(components[i].getGenericType());
    }
    try {
      return type.getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no random value of " + type, e);
    }
  }
}
