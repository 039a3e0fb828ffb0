// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks what must not be ignored: a call whose result is dropped is a compile error under Error
 * Prone, which recognises an annotation of this name in any package.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.PACKAGE, ElementType.TYPE, ElementType.METHOD, ElementType.CONSTRUCTOR})
public @interface CheckReturnValue {}
