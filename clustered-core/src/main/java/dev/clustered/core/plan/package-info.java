// SPDX-License-Identifier: Apache-2.0

/**
 * The scheduler: one pure function from a snapshot to a plan.
 *
 * <p>Its rules, in order. Where two conflict, the earlier one wins.
 *
 * <ol>
 *   <li><b>All or nothing.</b> A gang gets all its nodes or none, each rank a different node, all
 *       of one backend, one zone and one shape.
 *   <li><b>Free</b> is only what is free of a ready node whose zone is known; a node that boots, is
 *       cordoned or lost never is. A gang that asks for no resources takes whole nodes of which
 *       nobody holds a part; one that does takes a part by GPUs, CPUs and memory, each counted
 *       once.
 *   <li><b>RDMA</b> takes whole nodes, all on one fabric, of a shape with the rate asked for.
 *   <li><b>Never.</b> A gang is refused when no site (backend, zone and shape) could ever hold it:
 *       what its offers have now, and every node that is held or under way in that zone; where
 *       there is no offer, only the nodes of that shape that exist, with RDMA those of one fabric.
 *   <li><b>A gang whose launch is under way</b> waits for it, is never launched twice, and holds
 *       nobody up.
 *   <li><b>First come, first served</b>, a higher priority before a lower one. A gang that waits
 *       otherwise claims every site that could ever hold it. A later gang takes no node of a
 *       claimed site. It launches nothing in a zone with a claimed site, since the shapes of a zone
 *       may share one limit; where the backend does not know a limit, only the offers of the
 *       claimed sites are barred. Everything else it may take.
 *   <li><b>Layout.</b> A required level means one domain of that level for the whole gang; a block,
 *       one domain of its level for each so many consecutive ranks. Nodes that do not report the
 *       level do not suit. A gang with a layout is not launched, since no backend can promise it
 *       one.
 *   <li><b>Place before launch.</b> The smallest shape (GPUs, CPUs, memory) that has room is taken,
 *       and the tightest place for it: of the innermost level of the topology at which one place
 *       holds the gang, the place with the least left over; between equals the one around which
 *       least is left, then the first by name. Inside it as few places as possible are used: the
 *       smallest that holds all that is left to place, else the largest. Parts go to nodes that are
 *       partly used, then to those with the least left.
 *   <li><b>Launch as a unit.</b> Otherwise all nodes of the gang are launched together, never some
 *       of them: offers that may not be interrupted first, then the lowest price, the shortest
 *       boot, and the name. An offer counts with what it has available less what this plan launched
 *       in its zone, and not at all while its site cools down. Gangs with RDMA take shapes with
 *       RDMA alone; the others take any.
 *   <li><b>Ranks</b> are in topology order, then by identity.
 *   <li><b>Making room.</b> When a gang waits that could be launched if idle nodes of that zone
 *       were given back, as many as are lacking are, the longest idle first, none of a site without
 *       an offer; nodes that are on their way out already are counted.
 *   <li><b>Release.</b> Nodes that were idle for the policy's time are given back, but not while a
 *       gang waits for which the nodes of that domain, free and busy, are enough.
 * </ol>
 *
 * <p>The same snapshot gives the same plan, whatever the order of its nodes, launches, offers and
 * cool-downs. Once a plan has been carried out, planning again gives nothing but waits.
 */
package dev.clustered.core.plan;
