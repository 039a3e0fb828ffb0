// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.model.Volume;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkFilesTest {

  @TempDir Path home;

  @ParameterizedTest
  @ValueSource(strings = {"../outside", "a/../../outside", "/tmp/outside", ".", "a/..", "a\0b"})
  void refusesAPathThatLeavesTheWorkingDirectory(String path) {
    WorkFiles files = new WorkFiles(home.resolve("c1-1"));
    assertThatThrownBy(() -> create(files, document(Map.of(path, new byte[0]), List.of())))
        .isInstanceOf(WorkFailure.class);
    assertThatThrownBy(
            () -> create(files, document(Map.of(), List.of(new Volume(path, home.toString())))))
        .isInstanceOf(WorkFailure.class);
  }

  @Test
  void writesNoFileThroughAVolume() throws Exception {
    Path data = Files.createDirectory(home.resolve("data"));
    WorkFiles files = new WorkFiles(home.resolve("c1-1"));
    assertThatThrownBy(
            () ->
                create(
                    files,
                    document(
                        Map.of("in/file", new byte[1]),
                        List.of(new Volume("in", data.toString())))))
        .isInstanceOf(WorkFailure.class);
    assertThat(data).isEmptyDirectory();
  }

  @Test
  void keepsTheUsersEnvironmentFromOthersEyes() throws Exception {
    WorkFiles files = new WorkFiles(home.resolve("c1-1"));
    create(files, document(Map.of(), List.of()));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(files.environment())))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(files.work())))
        .isEqualTo("rwx------");
    assertThat(files.environment()).hasContent("{\"KEY\":\"a=b\"}");
  }

  @Test
  void takesNoResultThatIsNotJson() throws Exception {
    WorkFiles files = new WorkFiles(home.resolve("c1-1"));
    create(files, document(Map.of(), List.of()));
    assertThat(files.readResult()).isEmpty();
    Files.writeString(files.result(), "{\"a\":");
    assertThat(files.readResult()).isEmpty();
    Files.writeString(files.result(), "1 2");
    assertThat(files.readResult()).isEmpty();
    Files.writeString(files.result(), "{\"a\":1}");
    assertThat(files.readResult()).contains("{\"a\":1}");
  }

  @Test
  void deletesDirectoriesThatAWorkloadHasClosed() throws Exception {
    WorkFiles files = new WorkFiles(home.resolve("c1-1"));
    create(files, document(Map.of("a/b/c", new byte[1]), List.of()));
    Files.setPosixFilePermissions(files.work().resolve("a/b"), Set.of());
    Files.setPosixFilePermissions(
        files.work().resolve("a"), PosixFilePermissions.fromString("r-x------"));
    files.delete();
    assertThat(home).isEmptyDirectory();
  }

  private static void create(WorkFiles files, WorkDocument document) throws WorkFailure {
    files.create(document);
    files.fill(document);
  }

  private static WorkDocument document(Map<String, byte[]> files, List<Volume> volumes) {
    return new WorkDocument(
        Optional.empty(),
        Optional.empty(),
        Map.of("KEY", "a=b"),
        files,
        Optional.empty(),
        volumes,
        21000,
        21999);
  }
}
