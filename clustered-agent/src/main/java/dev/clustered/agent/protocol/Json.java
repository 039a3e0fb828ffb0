// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.clustered.model.ByteSize;
import dev.clustered.model.Change;
import dev.clustered.model.ClusterEvent;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.LaunchId;
import dev.clustered.model.Launcher;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.Secret;
import dev.clustered.model.WaitReason;
import dev.clustered.model.Workload;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.module.SimpleModule;

/**
 * How values are written as JSON: identities as plain text, sealed types with the name of their
 * kind as {@code type}, sizes as their number of bytes, moments and durations as ISO 8601 has them.
 *
 * <p>A specification is strict: reading one throws an {@link
 * dev.clustered.model.InvalidSpecException} with every problem, a field that there is not among
 * them. Of its secrets only the names are written, with {@code ***} for each value, and reading
 * that marker is one of the problems: whoever reads puts the values in its place first. The input
 * of a Java task comes back as a tree, which is written like the value it was.
 */
public final class Json {

  private static final List<Class<?>> SEALED =
      List.of(
          ProcessEnd.class,
          Workload.class,
          Launcher.class,
          WaitReason.class,
          Change.class,
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
    module.addSerializer(ClusterSpec.class, new SpecWriter());
    module.addDeserializer(ClusterSpec.class, new SpecReader());
    module.addSerializer(Secret.class, new SecretWriter());
    module.addDeserializer(Secret.class, new SecretReader());
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

  /** A secret goes nowhere by JSON. */
  private static final class SecretWriter extends ValueSerializer<Secret> {
    @Override
    public void serialize(Secret secret, JsonGenerator json, SerializationContext context) {
      json.writeString(SpecWriter.SECRET);
    }
  }

  /** Takes a value that somebody put there, never the marker. */
  private static final class SecretReader extends ValueDeserializer<Secret> {
    @Override
    public Secret deserialize(JsonParser parser, DeserializationContext context) {
      JsonNode node = context.readTree(parser);
      if (!node.isString() || node.stringValue().equals(SpecWriter.SECRET)) {
        return context.reportInputMismatch(
            Secret.class, "a secret is written without its value; put the value there");
      }
      return Secret.of(node.stringValue());
    }
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
