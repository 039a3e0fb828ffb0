// SPDX-License-Identifier: Apache-2.0

/**
 * The scheduler: one pure function from a snapshot to a plan.
 *
 * <p>Its rules, in order. Where two conflict, the earlier one wins.
 *
 * <ol>
 *   <li><b>Repair before anything else.</b> A running gang whose node is lost, sick or gone gets
 *       others for all such ranks at once: each a spare of its own that is ready, the nearest
 *       first, else a node launched for it, else a free node, the nearest to the lost one and then
 *       the fullest, and one that was promised to a waiting gang last. It must lie where the ranks
 *       that are left say: in their innermost block, their required domain, their fabric with RDMA,
 *       their zone, and on a node of the same shape without a rank of the gang. A block that is
 *       lost whole moves to one other domain. What is lacking is launched in the same zone, less
 *       what is under way, unless the layout or RDMA asks for more than a launch can promise; else
 *       the gang waits for a cool-down or for ends of others there that are known, and keeps what
 *       was found; else it goes on without the ranks, and the blocks that they break, if the rest
 *       is its minimum or more; else it is ended and waits anew. Higher priorities first, then
 *       older gangs. A rank that is leaving is not replaced; a lost spare is, if a node is free.
 *   <li><b>All or nothing.</b> A gang gets all its ranks and spares or nothing, all of one backend
 *       and zone, the ranks of one need on nodes of one shape. A node gets no more ranks of the
 *       gang than the need of any rank on it allows, which is one if nothing else is said. A spare
 *       lies on a node without a rank of its gang, as near to the first role as there is one.
 *   <li><b>Free</b> is only what is free of a ready node whose zone is known; a node that boots, is
 *       cordoned or lost never is. A gang that asks for no resources takes whole nodes of which
 *       nobody holds a part; one that does takes a part by GPUs, CPUs and memory, each counted
 *       once. Only nodes count that say of themselves what the need asks, and whose taints it
 *       tolerates.
 *   <li><b>RDMA</b> takes whole nodes of a shape with the rate asked for, all ranks that want it on
 *       one fabric, the others of the gang in its zone.
 *   <li><b>Never.</b> A gang is refused when no site (backend, zone and shape) could ever hold it:
 *       what its offers have now, and every node that is held or under way in that zone; where
 *       there is no offer, only the nodes of that shape that exist, with RDMA those of one fabric.
 *       Nodes that are lost or sick may come back, and an offer of none where nothing is held is a
 *       zone out of stock: neither is a reason to refuse.
 *   <li><b>A gang whose launch is under way</b> waits for it, is never launched twice, and holds
 *       nobody up. What is ready of the launch is that gang's alone. A launch that has not brought
 *       all by its deadline is late: its nodes are given back together and its site cools down, so
 *       that the gang is launched elsewhere; or, where the policy says so and without RDMA, they
 *       stay and the rest is launched again beside them.
 *   <li><b>Promises.</b> What a gang was promised when others were told to end or to move for it is
 *       kept for it while they do, and given to it as soon as all of it is free, even when other
 *       nodes come free before; a promise whose time has passed, or whose nodes are lost, is void.
 *   <li><b>Queues.</b> A gang of a queue that may have no more waits, and keeps nobody from
 *       anything but later ones of its queue that ask for what it lacks: those start before it only
 *       if they end before it can by ends that are known, or give way to it by priority. Those like
 *       it wait with it until whoever had no more to give has. See {@link QueueTree} for shares,
 *       borrowing, lending and reclaim.
 *   <li><b>Order.</b> A higher priority before a lower one; of equal ones, queues within what they
 *       own before those that borrow, then by their weighted dominant share now and in the past,
 *       decayed; then who waits longest; then by arrival. A gang that waits otherwise keeps later
 *       ones from launching in a zone where it could be, since the shapes of a zone may share one
 *       limit; where the backend does not know a limit, only the offers of its sites are barred.
 *   <li><b>Reservations.</b> For the gangs that wait longest (the policy says how many for each
 *       site) nodes are kept: those that they can have at the earliest time at which ends that are
 *       known make room for them; where no such time is known, what is free of the domain that
 *       lacks least. A later gang takes kept nodes only if it ends before they are needed, so the
 *       start that was named is never delayed. A gang that has run longer than expected by more
 *       than the policy allows is not counted on. Of a gang that only a launch can serve in place
 *       of what is held, all nodes of its sites are kept.
 *   <li><b>Layout.</b> A required level means one domain of that level for the whole gang, for a
 *       role inside that of its gang; a block, one domain of its level for each so many consecutive
 *       ranks; a spread, at most so many ranks in one domain, or equal shares: no domain that has
 *       any has two more than another, in as few domains as that allows. Nodes that do not report
 *       the level do not suit. A preferred level means the tightest place inside one domain of it
 *       where one holds the gang; else the place in which the gang lies in the fewest of them, of
 *       equal ones the tightest. A gang with a layout, or that asks what a node says of itself, is
 *       not launched, since no backend can promise it.
 *   <li><b>Place before launch.</b> The first of a gang's ways (its roles, then the alternatives)
 *       for which there is room is taken, of that the smallest shapes (GPUs, CPUs, memory; those of
 *       the first role first), and the tightest place for it: of the innermost level of the
 *       topology at which one place holds the gang, the place with the least left over; between
 *       equals the one around which least is left, then the first by name. Inside it as few places
 *       as possible are used: the smallest that holds all that is left to place, else the largest.
 *       Parts go to nodes that are partly used, then to those with the least left. Needs that take
 *       most are placed first; where that fails, those with the least room to spare.
 *   <li><b>Gangs that tie</b>, with the same priority since the same moment in the same queue, one
 *       after the other, and that want the same whole nodes in one domain of the same level, are
 *       arranged together when not all of them find a domain one by one: those first that use most
 *       of the domains, then the others. The first of them is among those if it can be, unless its
 *       nodes were free when it came. Where shares of queues decide who is next, nothing is
 *       arranged.
 *   <li><b>Size.</b> An elastic gang gets its most ranks where a place holds them; else it goes to
 *       the place and shapes that hold most of it, never fewer than its minimum, in whole blocks,
 *       the first role grown first.
 *   <li><b>Launch as a unit.</b> Otherwise all nodes of the gang and its spares are launched
 *       together, never some of them, for each need the best offer of one zone: offers that may not
 *       be interrupted first, then the lowest price, the shortest boot, and the name; of the gang's
 *       ways and the zones the one with the lowest price in all. An elastic gang is launched at its
 *       full size if it can be, else as much of it as an offer has. An offer counts with what it
 *       has available less what this plan launched in its zone, and not at all while its site cools
 *       down. Gangs with RDMA take shapes with RDMA alone; the others take any.
 *   <li><b>Wait for those that end already</b> rather than end more: what they free and nobody was
 *       promised is kept for the first gang that it is enough for.
 *   <li><b>Migration.</b> Where the policy allows it, gangs that say what a move costs them are
 *       moved to nodes that are free now, if the gang that waits then fits whole: the set that
 *       costs least, up to the policy's limit.
 *   <li><b>Preemption.</b> Gangs that allow it end for one of a higher priority of the same queue,
 *       or for one whose queue takes back what it owns; only if the gang then fits whole at its
 *       minimum size. First ranks of elastic gangs beyond their minimum; then nobody above the
 *       lowest priority that suffices, as few gangs as possible, those that lose the least work
 *       (nodes times time), the newest. The victims are as few as there can be where each node is
 *       held by one gang; where gangs share nodes, the step that frees most for each gang ended is
 *       taken, and whoever is not needed lives. Nobody is ended twice, or within the time that the
 *       policy guarantees, or when a rank of it has ended well already.
 *   <li><b>Growth.</b> When all that wait are served, running gangs get what is left, the higher
 *       priority first, then the older: first the spares that they lack, then, while they are
 *       between two attempts, more ranks up to their largest size. Left is what is free and could
 *       be of use to nobody who waits, now or later: of no site that could ever hold such a gang,
 *       in no zone whose limit one may come up against; where there are queues nothing is, while
 *       anybody waits. It must lie where the other ranks say, as for a repair, the nearest to the
 *       last rank first, and the gang's queue must allow it. A spare is launched where there is no
 *       node for it, of what an offer of its site has left and nobody waits for, unless the layout
 *       or RDMA asks for more than a launch can promise; for more ranks nothing is launched, and no
 *       attempt is ended. Gangs of several roles, with alternatives, in blocks or with a spread do
 *       not grow. A rank that is lost waits for a spare that boots.
 *   <li><b>Ranks</b> are numbered role by role, in a role in topology order, then by identity.
 *   <li><b>Making room.</b> When a gang waits that could be launched if idle nodes of that zone
 *       were given back, as many as are lacking are, the longest idle first, none of a site without
 *       an offer; nodes that are on their way out already are counted.
 *   <li><b>Release.</b> Nodes that were idle for the policy's time are given back, but not while a
 *       gang waits for which the nodes of that domain, free and busy, are enough (for one that
 *       waits for its queue alone, only where nobody offers such nodes any more), nor while they
 *       are promised to one. Nodes that are a unit are given back with all nodes of their launch or
 *       not at all, here and when room is made.
 * </ol>
 *
 * <p>The same snapshot gives the same plan, whatever the order of its nodes, launches, offers and
 * cool-downs. Once a plan has been carried out, planning again gives nothing but waits.
 */
package dev.clustered.core.plan;
