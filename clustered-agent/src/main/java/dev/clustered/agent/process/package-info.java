// SPDX-License-Identifier: Apache-2.0

/**
 * Linux processes for ranks: started with exact arguments and environment, waited for with exit
 * code and signal apart, and ended with everything they started. {@link
 * dev.clustered.agent.process.ProcessSupervisor} is the way in.
 */
package dev.clustered.agent.process;
