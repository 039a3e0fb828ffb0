// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** The classes of all jars that the examples see, tests left out. */
final class ProductClasses {

  static final String ROOT = "dev.clustered";
  static final String MODEL = "dev.clustered.model..";
  static final String SPI = "dev.clustered.spi..";
  static final String CORE = "dev.clustered.core..";
  static final String AGENT = "dev.clustered.agent..";
  static final String PROTOCOL = "dev.clustered.agent.protocol..";
  static final String TESTKIT = "dev.clustered.testkit..";
  static final String LOCAL = "dev.clustered.backend.local..";
  static final String EXAMPLES = "dev.clustered.examples..";
  static final String OURS = "dev.clustered..";

  private ProductClasses() {}

  static JavaClasses load() {
    return new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .importPackages(ROOT);
  }
}
