// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ScopeMembersTest {
  private static final int SELF = 50;

  private final ScopeMembers members = new ScopeMembers("mine", SELF);
  private final Map<Integer, ProcessEntry> table = new LinkedHashMap<>();

  ScopeMembersTest() {
    add(1, 0, 1, null);
    add(SELF, 1, SELF, null);
  }

  @Test
  void findsByMarkerBySessionAndByDescent() {
    members.addSession(100);
    add(300, 200, 300, null);
    add(200, 100, 200, null);
    add(100, SELF, 100, "mine");
    add(400, 1, 100, null);
    add(500, 1, 500, "mine");
    add(600, 1, 600, "other");

    assertThat(find(Set.of(100), Set.of())).containsExactlyInAnyOrder(100, 200, 300, 400, 500);
  }

  @Test
  void findsWhatTheCgroupHolds() {
    add(700, 1, 700, null);

    assertThat(find(Set.of(), Set.of(700))).containsExactly(700);
  }

  @Test
  void neverTouchesThisProcessAndItsAncestors() {
    add(SELF, 40, SELF, "mine");
    add(40, 1, 40, "mine");
    add(1, 0, 1, "mine");

    assertThat(find(Set.of(), Set.of(SELF, 1))).isEmpty();
  }

  @Test
  void doesNotTakeASessionWhoseNumberWasGivenAwayForItsOwn() {
    members.addSession(100);
    add(100, 1, 100, null);
    add(101, 100, 100, null);

    assertThat(find(Set.of(), Set.of())).isEmpty();
  }

  @Test
  void remembersAProcessThatDroppedEverythingSinceItWasSeen() {
    add(500, 1, 400, "mine");
    assertThat(find(Set.of(), Set.of())).containsExactly(500);
    add(500, 1, 500, null);

    assertThat(find(Set.of(), Set.of())).containsExactly(500);
  }

  @Test
  void reapsOnlyZombiesOfTheScope() {
    members.addSession(100);
    zombie(110, SELF, 100);
    zombie(120, SELF, 999);
    zombie(130, 1, 100);
    zombie(100, SELF, 100);

    assertThat(members.adoptedZombies(new ProcessTable(table), Set.of(100))).containsExactly(110);
    assertThat(find(Set.of(100), Set.of())).isEmpty();
  }

  @Test
  void readsStatLinesWithBracketsInTheName() {
    String rest = " S 7 8 9 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 0 0";
    assertThat(ProcessEntry.parse("42 (a) b (c)" + rest))
        .contains(new ProcessEntry(42, 7, 8, 9, false, 4711, null));
    assertThat(ProcessEntry.parse("")).isEmpty();
  }

  private void add(int pid, int parent, int session, @Nullable String scope) {
    table.put(pid, new ProcessEntry(pid, parent, session, session, false, 1, scope));
  }

  private void zombie(int pid, int parent, int session) {
    table.put(pid, new ProcessEntry(pid, parent, session, session, true, 1, null));
  }

  private List<Integer> find(Set<Integer> leaders, Set<Integer> cgroup) {
    return members.find(new ProcessTable(table), leaders, cgroup).stream()
        .map(ProcessEntry::pid)
        .toList();
  }
}
