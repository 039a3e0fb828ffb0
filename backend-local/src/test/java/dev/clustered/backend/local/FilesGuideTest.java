// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.Cluster;
import dev.clustered.Clusters;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.SentDirectory;
import dev.clustered.testkit.NothingLeft;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The code of the guide's page on files. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class FilesGuideTest {

  @TempDir private Path home;

  @Test
  void aDirectoryAFileAndAContentLieInTheWorkingDirectory() throws Exception {
    Path project = Files.createDirectory(home.resolve("project"));
    Files.writeString(project.resolve("train.sh"), "script ");
    Path weights = Files.writeString(home.resolve("weights"), " weights");
    // region files
    ClusterSpec spec =
        ClusterSpec.builder("train")
            .nodes(2)
            .directory(SentDirectory.of(project).withExcludes(".git", "__pycache__", "*.log"))
            .file("weights/start.bin", weights)
            .file("config.json", "{\"layers\": 12}".getBytes(StandardCharsets.UTF_8))
            .command("sh", "-c", "cat train.sh config.json weights/start.bin")
            .build();
    // endregion
    try (Cluster cluster = Clusters.launch(spec).await()) {
      ClusterExit exit = cluster.join();
      assertThat(exit.success()).as("%s", exit).isTrue();
      assertThat(exit.ranks().get(1).logTail()).isEqualTo("script {\"layers\": 12} weights");
    }
  }
}
