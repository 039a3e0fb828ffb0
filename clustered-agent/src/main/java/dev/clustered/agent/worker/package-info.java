// SPDX-License-Identifier: Apache-2.0

/** The other end of a Java task: what runs in the JVM of a rank. */
package dev.clustered.agent.worker;
