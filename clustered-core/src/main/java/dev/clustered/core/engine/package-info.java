// SPDX-License-Identifier: Apache-2.0

/**
 * The single-writer loop and the API over it.
 *
 * <p>One thread owns all state. A turn takes everything in the mailbox, turns it into facts,
 * applies them, plans once if anything the plan depends on changed, journals all facts, and only
 * then lets their effects begin. Effects run on virtual threads and answer through the mailbox.
 */
package dev.clustered.core.engine;
