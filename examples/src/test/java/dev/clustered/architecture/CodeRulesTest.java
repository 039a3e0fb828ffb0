// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static dev.clustered.architecture.ProductClasses.EXAMPLES;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

class CodeRulesTest {

  private static final JavaClasses CLASSES = ProductClasses.load();

  /** Where a static field of such a type is declared, state is shared by all engines of a JVM. */
  private static final List<Class<?>> HOLD_STATE =
      List.of(Executor.class, Lock.class, Thread.class, ThreadLocal.class, StringBuilder.class);

  @Test
  void onlyTheWiringOfTheEngineNamesGuice() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.clustered.core.wiring..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.google.inject..", "jakarta.inject..")
        .check(CLASSES);
  }

  @Test
  void noStaticFieldCanBeAssigned() {
    fields()
        .that()
        .areStatic()
        .and(DescribedPredicate.not(synthetic()))
        .should()
        .beFinal()
        .check(CLASSES);
  }

  @Test
  void noStaticFieldHoldsAThingThatChanges() {
    noFields()
        .that()
        .areStatic()
        .and(DescribedPredicate.not(synthetic()))
        .should()
        .haveRawType(DescribedPredicate.describe("that changes", CodeRulesTest::changes))
        .check(CLASSES);
  }

  @Test
  void onlyProgramsWriteToStandardStreams() {
    noClasses()
        .that()
        .resideOutsideOfPackages(EXAMPLES, "dev.clustered.agent.worker..")
        .and()
        .doNotHaveFullyQualifiedName("dev.clustered.agent.AgentMain")
        .and()
        .doNotHaveFullyQualifiedName("dev.clustered.core.scenario.PlanCommand")
        .should(ACCESS_STANDARD_STREAMS)
        .check(CLASSES);
  }

  @Test
  void onlyProgramsEndTheJvm() {
    noClasses()
        .that()
        .resideOutsideOfPackages(EXAMPLES, "dev.clustered.agent.worker..")
        .and()
        .doNotHaveFullyQualifiedName("dev.clustered.agent.AgentMain")
        .and()
        .doNotHaveFullyQualifiedName("dev.clustered.core.scenario.PlanCommand")
        .should()
        .callMethod(System.class, "exit", int.class)
        .orShould()
        .callMethod(Runtime.class, "halt", int.class)
        .check(CLASSES);
  }

  private static DescribedPredicate<JavaField> synthetic() {
    return DescribedPredicate.describe(
        "synthetic", field -> field.getModifiers().contains(JavaModifier.SYNTHETIC));
  }

  private static boolean changes(JavaClass type) {
    boolean collection = type.isAssignableTo(Collection.class) || type.isAssignableTo(Map.class);
    return HOLD_STATE.stream().anyMatch(type::isAssignableTo)
        || type.getPackageName().equals("java.util.concurrent.atomic")
        || (collection && !type.isInterface());
  }
}
