// SPDX-License-Identifier: Apache-2.0

/** EC2 instances with EFA as nodes. */
package dev.clustered.backend.aws;
