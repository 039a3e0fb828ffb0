// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.journal;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.clustered.agent.protocol.Json;
import dev.clustered.core.lifecycle.Command;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.core.lifecycle.RankReport;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.Secret;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;

/**
 * Facts as the journal keeps them, and back. What a specification has that others must not read,
 * the values of its secrets and the contents of its small files, is sealed with the engine's key.
 * Thread-safe.
 */
public final class FactJson {

  /** Where the sealed part of a specification stands, beside it. */
  private static final String SEALED = "sealed";

  private static final String SPEC = "spec";
  private static final String SECRETS = "secrets";
  private static final String FILES = "files";

  private static final List<Class<?>> HIERARCHIES =
      List.of(Fact.class, RankReport.class, Command.class);

  private static final JsonMapper MAPPER = create();

  private final EngineKey key;

  /** Facts of the engine with a key. */
  public FactJson(EngineKey key) {
    this.key = key;
  }

  /** A fact as JSON. */
  public String write(Fact fact) {
    return MAPPER.writeValueAsString(
        fact instanceof Fact.Submitted submitted ? sealed(submitted) : fact);
  }

  /**
   * A fact that was written before.
   *
   * @throws IllegalArgumentException when it is none, or sealed with another key
   */
  @SuppressWarnings("UnusedException")
  public Fact read(String json) {
    try {
      ObjectNode tree = (ObjectNode) MAPPER.readTree(json);
      if (tree.has(SEALED)) {
        open(tree);
      }
      return MAPPER.treeToValue(tree, Fact.class);
    } catch (JacksonException | ClassCastException e) {
      // Its text may quote the entry, and that may hold secrets by now.
      throw new IllegalArgumentException(
          "an entry of the journal is no fact that this version knows (%s)"
              .formatted(e.getClass().getSimpleName()));
    }
  }

  /** The mapper that knows facts, commands and reports besides. */
  static JsonMapper mapper() {
    return MAPPER;
  }

  private ObjectNode sealed(Fact.Submitted fact) {
    ObjectNode tree = MAPPER.valueToTree(fact);
    ObjectNode spec = (ObjectNode) tree.get(SPEC);
    ObjectNode hidden = MAPPER.createObjectNode();
    hidden.set(SECRETS, MAPPER.valueToTree(revealed(fact.spec())));
    if (spec.has(FILES)) {
      hidden.set(FILES, spec.remove(FILES));
    }
    byte[] plain = MAPPER.writeValueAsBytes(hidden);
    String purpose = fact.cluster().value();
    tree.put(SEALED, Base64.getEncoder().encodeToString(key.seal(plain, purpose)));
    return tree;
  }

  private static Map<String, String> revealed(ClusterSpec spec) {
    Map<String, String> values = new TreeMap<>();
    for (Map.Entry<String, Secret> secret : spec.secrets().entrySet()) {
      values.put(secret.getKey(), secret.getValue().reveal());
    }
    return values;
  }

  private void open(ObjectNode tree) {
    byte[] sealed = Base64.getDecoder().decode(tree.remove(SEALED).stringValue());
    JsonNode hidden = MAPPER.readTree(key.open(sealed, tree.get("cluster").stringValue()));
    ObjectNode spec = (ObjectNode) tree.get(SPEC);
    if (!hidden.get(SECRETS).isEmpty()) {
      spec.set(SECRETS, hidden.get(SECRETS));
    }
    if (hidden.has(FILES)) {
      spec.set(FILES, hidden.get(FILES));
    }
  }

  private static JsonMapper create() {
    SimpleModule module = new SimpleModule("clustered-facts");
    HIERARCHIES.forEach(
        parent -> {
          module.setMixInAnnotation(parent, Named.class);
          kinds(parent)
              .forEach(kind -> module.registerSubtypes(new NamedType(kind, kind.getSimpleName())));
        });
    return JsonMapper.builder()
        .addModule(Json.module())
        .addModule(module)
        .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
        .disable(DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .build();
  }

  private static List<Class<?>> kinds(Class<?> parent) {
    List<Class<?>> kinds = new ArrayList<>();
    for (Class<?> kind : parent.getPermittedSubclasses()) {
      if (kind.isInterface()) {
        kinds.addAll(kinds(kind));
      } else {
        kinds.add(kind);
      }
    }
    return kinds;
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
  private interface Named {}
}
