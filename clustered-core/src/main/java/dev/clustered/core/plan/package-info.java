// SPDX-License-Identifier: Apache-2.0

/**
 * The scheduler: one pure function from a snapshot to a plan.
 *
 * <p>Its rules, in order:
 *
 * <ol>
 *   <li>All or nothing: a gang gets all its nodes or none, each rank a node of its own.
 *   <li>Only ready nodes count as free. A gang without resources takes whole nodes that nobody else
 *       holds a part of; one with resources takes a part, by GPUs, CPUs and memory, each counted
 *       once.
 *   <li>All nodes of a gang are of one backend and shape in one zone; with RDMA they are whole and
 *       on one fabric whose rate suffices.
 *   <li>A gang that no node and no offer could ever hold is refused.
 *   <li>Gangs are served in the order of arrival. While an earlier gang waits, a later one may go
 *       ahead only where the earlier one could not use what it takes: on another backend and zone
 *       than any that could ever hold the earlier one. A gang whose own launch is under way holds
 *       nobody up.
 *   <li>Free nodes go before launches; the domain with the fewest free nodes that holds the gang is
 *       taken; nodes that are partly used go before empty ones when a part is asked.
 *   <li>Otherwise all nodes of the gang are launched as a unit from the cheapest offer that has
 *       them, then the fastest to boot, then by name; a zone that just failed is left alone for a
 *       while.
 *   <li>Ranks are in topology order, so that neighbours are near.
 *   <li>Nodes that are idle for longer than the policy says are released, but not while a waiting
 *       gang could use them.
 * </ol>
 *
 * The same snapshot gives the same plan; the order of nodes and offers in it does not matter.
 */
package dev.clustered.core.plan;
