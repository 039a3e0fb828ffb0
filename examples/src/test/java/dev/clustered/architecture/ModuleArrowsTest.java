// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static dev.clustered.architecture.ProductClasses.AGENT;
import static dev.clustered.architecture.ProductClasses.CORE;
import static dev.clustered.architecture.ProductClasses.EXAMPLES;
import static dev.clustered.architecture.ProductClasses.LOCAL;
import static dev.clustered.architecture.ProductClasses.MODEL;
import static dev.clustered.architecture.ProductClasses.OURS;
import static dev.clustered.architecture.ProductClasses.PROTOCOL;
import static dev.clustered.architecture.ProductClasses.ROOT;
import static dev.clustered.architecture.ProductClasses.SPI;
import static dev.clustered.architecture.ProductClasses.TESTKIT;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrows between modules, and between the packages of the API, run one way. */
class ModuleArrowsTest {

  private static final JavaClasses CLASSES = ProductClasses.load();

  @Test
  void valuesDependOnTheJdkAlone() {
    classes()
        .that()
        .resideInAPackage(MODEL)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify..", MODEL)
        .check(CLASSES);
  }

  @Test
  void theSpiDependsOnValuesAlone() {
    classes()
        .that()
        .resideInAPackage(SPI)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify..", MODEL, SPI)
        .check(CLASSES);
  }

  @Test
  void theApiDependsOnNothingElseOfOursNorOnAnyLibrary() {
    classes()
        .that()
        .resideInAPackage(ROOT)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify..", ROOT, MODEL, SPI)
        .check(CLASSES);
  }

  @Test
  void theEngineKnowsOfTheAgentOnlyItsProtocol() {
    noClasses()
        .that()
        .resideInAPackage(CORE)
        .should()
        .dependOnClassesThat(resideInAPackage(AGENT).and(not(resideInAPackage(PROTOCOL))))
        .check(CLASSES);
    onlyKnows(CORE, ROOT, MODEL, SPI, PROTOCOL);
  }

  @Test
  void theAgentKnowsTheApiAlone() {
    onlyKnows(AGENT, ROOT, MODEL, SPI);
  }

  @Test
  void theTestkitKnowsTheApiAlone() {
    onlyKnows(TESTKIT, ROOT, MODEL, SPI);
  }

  @Test
  void theLocalBackendKnowsTheApiAndTheAgent() {
    onlyKnows(LOCAL, ROOT, MODEL, SPI, AGENT);
  }

  /** These modules are filled later, so their rules may have nothing to look at. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "dev.clustered.backend.aws..",
        "dev.clustered.backend.gcp..",
        "dev.clustered.rdma..",
        "dev.clustered.gvisor..",
        "dev.clustered.store.jdbc.."
      })
  void everyOtherBackendAndRuntimeKnowsTheApiAlone(String module) {
    noClasses()
        .that()
        .resideInAPackage(module)
        .should()
        .dependOnClassesThat(
            resideInAPackage(OURS).and(not(resideInAnyPackage(module, ROOT, MODEL, SPI))))
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void nobodyDependsOnTheEngineButExamples() {
    noClasses()
        .that()
        .resideOutsideOfPackages(CORE, EXAMPLES)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(CORE)
        .check(CLASSES);
  }

  @Test
  void packagesFormNoCycles() {
    slices().assignedFrom(new ByPackage()).should().beFreeOfCycles().check(CLASSES);
  }

  private static void onlyKnows(String module, String... others) {
    noClasses()
        .that()
        .resideInAPackage(module)
        .should()
        .dependOnClassesThat(
            resideInAPackage(OURS)
                .and(not(resideInAPackage(module)))
                .and(not(resideInAnyPackage(others))))
        .check(CLASSES);
  }

  private static final class ByPackage implements SliceAssignment {

    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return SliceIdentifier.of(type.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  }
}
