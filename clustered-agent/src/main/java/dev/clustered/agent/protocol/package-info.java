// SPDX-License-Identifier: Apache-2.0

/**
 * What agent and engine say to one another over HTTPS: documents, paths and their JSON. Every
 * message may be lost, repeated or late: documents say what is wanted or what is, never what to
 * change.
 */
package dev.clustered.agent.protocol;
