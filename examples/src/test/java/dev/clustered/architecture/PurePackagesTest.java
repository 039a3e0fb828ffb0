// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.WeakHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Decisions are the same on every machine and after every restart, because what makes them cannot
 * name a clock, a thread, input, output, a logger, chance, or a collection without an order.
 */
class PurePackagesTest {

  private static final JavaClasses CLASSES = ProductClasses.load();

  private static final Set<String> RENDEZVOUS_MAY_NAME =
      Set.of("dev.clustered.agent.protocol.ContractNames", "dev.clustered.agent.protocol.Preamble");

  private static final List<Class<?>> UNSTEADY =
      List.of(
          Clock.class,
          HashMap.class,
          HashSet.class,
          IdentityHashMap.class,
          ProcessHandle.class,
          Random.class,
          Runtime.class,
          SplittableRandom.class,
          System.class,
          Thread.class,
          ThreadLocal.class,
          UUID.class,
          WeakHashMap.class);

  /** Methods of steady types whose answers are not: the moment, chance, collections. */
  private static final String UNSTEADY_METHODS =
      "java\\.time\\.\\w+\\.now\\(.*"
          + "|java\\.lang\\.Math\\.random\\(.*"
          + "|java\\.lang\\.Object\\.hashCode\\(.*"
          + "|java\\.util\\.(Set|Map)\\.(of|ofEntries|copyOf)\\(.*"
          + "|java\\.util\\.Collections\\.shuffle\\(.*"
          + "|java\\.util\\.stream\\.Collectors\\.(toSet|toUnmodifiableSet|toUnmodifiableMap)\\(.*"
          + "|java\\.util\\.stream\\.Collectors\\.toMap"
          + "\\(java\\.util\\.function\\.Function, java\\.util\\.function\\.Function"
          + "(, java\\.util\\.function\\.BinaryOperator)?\\)"
          + "|java\\.util\\.stream\\.Collectors\\.(groupingBy|partitioningBy)"
          + "\\(java\\.util\\.function\\.Function(, java\\.util\\.stream\\.Collector)?\\)"
          + "|java\\.util\\.stream\\.\\w+\\.(parallel|unordered|findAny)\\(.*"
          + "|java\\.util\\.Collection\\.parallelStream\\(.*";

  @ParameterizedTest
  @ValueSource(strings = {"plan", "lifecycle", "rendezvous", "ledger", "cause"})
  void areFilled(String name) {
    assertThat(
            CLASSES.stream()
                .filter(type -> type.getPackageName().equals("dev.clustered.core." + name)))
        .isNotEmpty();
  }

  /** The package health is filled later, so its rule may have nothing to look at. */
  @ParameterizedTest
  @ValueSource(strings = {"plan", "lifecycle", "rendezvous", "ledger", "cause", "health"})
  void nameTheJdkAndValuesAlone(String name) {
    noClasses()
        .that()
        .resideInAPackage("dev.clustered.core." + name + "..")
        .should()
        .dependOnClassesThat(foreignTo(name))
        .allowEmptyShould(name.equals("health"))
        .check(CLASSES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plan", "lifecycle", "rendezvous", "ledger", "cause", "health"})
  void callNothingWhoseAnswerIsUnsteady(String name) {
    noClasses()
        .that()
        .resideInAPackage("dev.clustered.core." + name + "..")
        .should()
        .accessTargetWhere(unsteadyMethod())
        .allowEmptyShould(name.equals("health"))
        .check(CLASSES);
  }

  @Test
  void wouldBeFoundIfTheyCalledWhatIsUnsteady() {
    JavaClasses sinner =
        new com.tngtech.archunit.core.importer.ClassFileImporter().importClasses(Unsteady.class);
    assertThat(noClasses().should().accessTargetWhere(unsteadyMethod()).evaluate(sinner))
        .matches(result -> result.getFailureReport().getDetails().size() == 5);
    assertThat(noClasses().should().dependOnClassesThat(foreignTo("plan")).evaluate(sinner))
        .matches(result -> result.hasViolation());
  }

  private static DescribedPredicate<JavaClass> foreignTo(String name) {
    DescribedPredicate<JavaClass> known =
        resideInAnyPackage(
            "java.lang..",
            "java.math..",
            "java.time..",
            "java.util..",
            "org.jspecify..",
            ProductClasses.MODEL,
            "dev.clustered.core." + name + "..");
    return DescribedPredicate.describe(
        "are no values, or unsteady",
        type ->
            !permitted(name, type) && (unsteady(type) || !(primitive(type) || known(type, known))));
  }

  private static boolean primitive(JavaClass type) {
    return type.getBaseComponentType().isPrimitive();
  }

  private static boolean known(JavaClass type, DescribedPredicate<JavaClass> packages) {
    return packages.test(type.getBaseComponentType());
  }

  private static boolean permitted(String name, JavaClass type) {
    return name.equals("rendezvous") && RENDEZVOUS_MAY_NAME.contains(type.getName());
  }

  private static boolean unsteady(JavaClass type) {
    return UNSTEADY.stream().anyMatch(type::isEquivalentTo)
        || type.getPackageName().startsWith("java.util.concurrent")
        || type.getPackageName().startsWith("java.util.logging")
        || type.getPackageName().startsWith("java.util.random");
  }

  private static DescribedPredicate<JavaAccess<?>> unsteadyMethod() {
    return DescribedPredicate.describe(
        "is unsteady", access -> access.getTarget().getFullName().matches(UNSTEADY_METHODS));
  }

  /** Commits five sins. */
  static final class Unsteady {
    Object all(List<String> names) {
      return List.of(
          java.time.Instant.now(),
          Set.of("a", "b"),
          java.util.Map.of("a", "b"),
          names.stream().collect(java.util.stream.Collectors.toSet()),
          names.stream().collect(java.util.stream.Collectors.groupingBy(String::length)),
          new Random());
    }
  }
}
