// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.backend.local.LocalOptions.Agents;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.spi.Backend;
import dev.clustered.spi.BackendContext;
import dev.clustered.spi.BackendFactory;
import dev.clustered.spi.Setting;
import dev.clustered.spi.Setting.Visibility;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Makes {@code local} backends; a laptop needs no setting. Stateless and thread-safe. */
public final class LocalBackendFactory implements BackendFactory {

  private static final List<Setting> SETTINGS =
      List.of(
          plain("zones", "local-a", "Names of the zones, separated by commas."),
          plain("nodes", "64", "Most nodes of a zone at any time, 1 to 4096."),
          plain("fabric-nodes", "64", "Nodes on one fabric, 1 to 4096."),
          plain("block-nodes", "8", "Nodes in one block of a fabric, 1 to 4096."),
          plain(
              "shapes",
              "local.cpu:0:2:4:0,local.gpu8:8:16:64:400",
              "Machine types, separated by commas, each"
                  + " name:GPUs:CPUs:memory in GiB:RDMA rate in Gb/s."),
          plain("gpu-model", "LOCAL", "The model of the GPUs that nodes declare."),
          plain("boot-time", "PT0S", "How long a launch takes, as an ISO-8601 duration."),
          plain("agents", "in-process", "in-process, or own-jvm for a JVM of its own each."),
          plain("hourly-price", "0", "Price of a node for an hour, zero or more."));

  /** A factory with the defaults. */
  public LocalBackendFactory() {}

  private static Setting plain(String key, String value, String description) {
    return new Setting(key, value, description, Visibility.PLAIN);
  }

  @Override
  public String name() {
    return LocalBackend.NAME;
  }

  @Override
  public List<Setting> settings() {
    return SETTINGS;
  }

  @Override
  public Backend create(BackendContext context) {
    return new LocalBackend(options(context), context);
  }

  private static LocalOptions options(BackendContext context) {
    return new LocalOptions(
        read(context, "zones", LocalBackendFactory::names),
        read(context, "nodes", LocalBackendFactory::count),
        read(context, "fabric-nodes", LocalBackendFactory::count),
        read(context, "block-nodes", LocalBackendFactory::count),
        read(context, "shapes", text -> shapes(text, context.settings().get("gpu-model"))),
        read(context, "boot-time", LocalBackendFactory::duration),
        read(context, "agents", LocalBackendFactory::agents),
        read(context, "hourly-price", LocalBackendFactory::price));
  }

  private static <T> T read(BackendContext context, String key, Function<String, T> parser) {
    String value = context.settings().getOrDefault(key, "");
    try {
      return parser.apply(value);
    } catch (IllegalArgumentException | ArithmeticException | java.time.DateTimeException e) {
      String right =
          SETTINGS.stream()
              .filter(setting -> setting.key().equals(key))
              .map(Setting::description)
              .findFirst()
              .orElse("");
      throw new ClusterException(
          ErrorCode.INVALID_SETTING,
          "the setting \"%s\" of the backend \"local\" cannot be \"%s\". %s"
              .formatted(key, value, right),
          e);
    }
  }

  private static List<String> names(String text) {
    List<String> names = List.of(text.split(",", -1));
    boolean good = names.stream().allMatch(name -> name.matches("[a-z0-9][a-z0-9-]{0,62}"));
    require(good && names.stream().distinct().count() == names.size(), text);
    return names;
  }

  private static int count(String text) {
    int count = Integer.parseInt(text);
    require(count >= 1 && count <= 4_096, text);
    return count;
  }

  private static Duration duration(String text) {
    Duration duration = Duration.parse(text);
    require(!duration.isNegative() && duration.compareTo(Duration.ofHours(1)) <= 0, text);
    return duration;
  }

  private static Agents agents(String text) {
    require(text.equals("in-process") || text.equals("own-jvm"), text);
    return text.equals("own-jvm") ? Agents.OWN_JVM : Agents.IN_PROCESS;
  }

  private static BigDecimal price(String text) {
    BigDecimal price = new BigDecimal(text);
    require(price.signum() >= 0, text);
    return price;
  }

  private static List<Shape> shapes(String text, String gpuModel) {
    List<Shape> shapes = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      String[] fields = part.split(":", -1);
      require(fields.length == 5 && !fields[0].isBlank(), part);
      int gpus = Integer.parseInt(fields[1]);
      int rdma = Integer.parseInt(fields[4]);
      require(rdma >= 0, part);
      ByteSize memory = ByteSize.gibibytes(Long.parseLong(fields[3]));
      Resources resources =
          new Resources(gpus, gpus == 0 ? "" : gpuModel, Integer.parseInt(fields[2]), memory);
      shapes.add(new Shape(fields[0], resources, rdma > 0 ? Math.max(1, gpus) : 0, rdma));
    }
    require(shapes.stream().map(Shape::name).distinct().count() == shapes.size(), text);
    return shapes;
  }

  private static void require(boolean good, String received) {
    if (!good) {
      throw new IllegalArgumentException(received);
    }
  }
}
