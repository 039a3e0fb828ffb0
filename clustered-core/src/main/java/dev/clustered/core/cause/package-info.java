// SPDX-License-Identifier: Apache-2.0

/**
 * Who ended a cluster: one pure function from what is known of every rank's end to one culprit.
 *
 * <p>Who was heard of first is often a victim: it saw a peer go and told of it sooner than the
 * peer's own node did. So kinds of evidence are compared before times. The rules, in order:
 *
 * <ol>
 *   <li><b>Never the culprit</b> is a rank that ended by itself with code 0, or that never ran.
 *   <li><b>Whom the engine ended</b> is the culprit only if nobody else failed.
 *   <li><b>A lost node</b> is the strongest evidence: no program takes another machine with it.
 *   <li>Then <b>a process that could not start</b>: the others waited for it in vain.
 *   <li>Then <b>a lack of memory</b>, when the node's kernel says so.
 *   <li>Then <b>a signal that the engine did not send</b>: one that a program brings upon itself
 *       (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT), or one of somebody else on its node (SIGKILL,
 *       SIGTERM, SIGINT). An exit code above 128 is a code and no signal.
 *   <li>Then <b>an exit code</b> other than 0.
 *   <li>Weakest is an end, whatever its code or signal, of which the rank's own last lines say that
 *       <b>a peer had gone before</b>: an aborted collective, a closed connection, a rendezvous
 *       that others closed (see {@code LogPattern}); and SIGPIPE, which is a write to a peer that
 *       had gone.
 *   <li>A launcher that reports <b>a process of its own</b>, as torchrun does, counts as having
 *       ended as that process did, and what it says of other launchers does not count. Nor does
 *       what its processes wrote if a signal other than SIGABRT ended the one: the others wrote it.
 *   <li>Between <b>equal kinds</b>, the one of whom the engine heard first. Only if that is equal
 *       too, the earlier one by the nodes' clocks, which are skewed; then the lower rank.
 * </ol>
 *
 * <p>Whoever else failed by itself is a victim. The order in which ranks are given never matters,
 * and another victim never changes the culprit.
 */
package dev.clustered.core.cause;
