// SPDX-License-Identifier: Apache-2.0

/** Values and errors that applications, backends and the engine share. */
package dev.clustered.model;
