// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * A directory that outlives the cluster, seen by every rank. Immutable and thread-safe.
 *
 * @param path where ranks see it, relative to their working directory
 * @param source what is attached; backend-local takes the absolute path of a directory of this
 *     machine
 */
public record Volume(String path, String source) {}
