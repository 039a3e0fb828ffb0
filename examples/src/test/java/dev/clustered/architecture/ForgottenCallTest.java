// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A launch whose terminal call was forgotten does not compile under Error Prone. */
class ForgottenCallTest {

  private static final String PROGRAM =
      """
      import dev.clustered.Cluster;
      import dev.clustered.Clusters;
      import dev.clustered.model.ClusterSpec;

      class Program {
        void run(ClusterSpec spec) throws Exception {
          STATEMENTS
        }
      }
      """;

  @TempDir private Path directory;

  @Test
  void isAnErrorOfTheCompiler() throws Exception {
    Compilation forgotten =
        compile(
            """
            Clusters.launch(spec).withRdma();
                Clusters.open().launch(spec).withBackend("local");
                Clusters.launch(spec);\
            """);
    assertThat(forgotten.code()).as(forgotten.output()).isEqualTo(1);
    for (int line = 7; line <= 9; line++) {
      assertThat(forgotten.output())
          .contains("Program.java:" + line + ": error: [CheckReturnValue]");
    }
  }

  @Test
  void isNoErrorWhenItIsMade() throws Exception {
    Compilation complete =
        compile(
            "try (Cluster c = Clusters.launch(spec).withRdma().await()) { assert"
                + " c.join().success(); }");
    assertThat(complete.code()).as(complete.output()).isZero();
  }

  private record Compilation(int code, String output) {}

  private Compilation compile(String statement) throws IOException, InterruptedException {
    Path source =
        Files.writeString(
            directory.resolve("Program.java"), PROGRAM.replace("STATEMENTS", statement));
    Path output = directory.resolve("output.txt");
    Path arguments = Files.write(directory.resolve("arguments"), arguments(source));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "javac").toString());
    Stream.of("api", "file", "main", "model", "parser", "processing", "tree", "util")
        .map(part -> "-J--add-exports=jdk.compiler/com.sun.tools.javac." + part + "=ALL-UNNAMED")
        .forEach(command::add);
    Stream.of("code", "comp")
        .map(part -> "-J--add-opens=jdk.compiler/com.sun.tools.javac." + part + "=ALL-UNNAMED")
        .forEach(command::add);
    command.add("@" + arguments);
    int code =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start()
            .waitFor();
    return new Compilation(code, Files.readString(output));
  }

  private List<String> arguments(Path source) {
    String classPath = quoted(System.getProperty("java.class.path"));
    return List.of(
        "-proc:none",
        "-XDcompilePolicy=simple",
        "--should-stop=ifError=FLOW",
        "-XDaddTypeAnnotationsToSymbol=true",
        "-Xplugin:ErrorProne",
        "-processorpath",
        classPath,
        "-classpath",
        classPath,
        "-d",
        quoted(directory.resolve("classes").toString()),
        quoted(source.toString()));
  }

  private static String quoted(String argument) {
    return '"' + argument.replace("\\", "\\\\") + '"';
  }
}
