// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.WaitReason;
import dev.clustered.model.Workload;
import java.util.List;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.module.SimpleModule;

/** How values are written as JSON: identities as plain text, sealed types with their name. */
public final class Json {

  private static final List<Class<?>> SEALED =
      List.of(
          ProcessEnd.class,
          Workload.class,
          WaitReason.class,
          ClusterEvent.class,
          ObservedWork.Status.class);

  private static final JsonMapper MAPPER = create();

  private Json() {}

  /** The one mapper of the protocol and the journal. Immutable and thread-safe. */
  public static JsonMapper mapper() {
    return MAPPER;
  }

  /** A module that teaches a mapper of one's own the same. */
  public static SimpleModule module() {
    SimpleModule module = new SimpleModule("clustered");
    List.of(ClusterId.class, NodeId.class, LaunchId.class)
        .forEach(id -> module.setMixInAnnotation(id, TextValue.class));
    module.setMixInAnnotation(ByteSize.class, NumberValue.class);
    SEALED.forEach(type -> describe(module, type));
    return module;
  }

  private static void describe(SimpleModule module, Class<?> parent) {
    module.setMixInAnnotation(parent, Named.class);
    for (Class<?> subtype : parent.getPermittedSubclasses()) {
      module.registerSubtypes(new NamedType(subtype, subtype.getSimpleName()));
    }
  }

  private static JsonMapper create() {
    return JsonMapper.builder()
        .addModule(module())
        .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
        .disable(DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .build();
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
  private interface Named {}

  @JsonAutoDetect
  private abstract static class TextValue {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    @SuppressWarnings("UnusedVariable")
    TextValue(String value) {}

    @JsonValue
    abstract String value();
  }

  @JsonAutoDetect
  private abstract static class NumberValue {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    @SuppressWarnings("UnusedVariable")
    NumberValue(long bytes) {}

    @JsonValue
    abstract long bytes();
  }
}
