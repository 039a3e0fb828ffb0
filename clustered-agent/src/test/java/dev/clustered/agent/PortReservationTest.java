// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.model.ClusterId;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class PortReservationTest {

  private static final WorkKey KEY = new WorkKey(new ClusterId("c1"), 1);
  private static final int FIRST = 22000;
  private static final int LAST = 22099;

  @Test
  void portsInARowAreKeptTogetherAndNoneOfThemIsOutsideTheRange() throws Exception {
    try (PortReservation pair = PortReservation.reserve(KEY, FIRST, FIRST + 1, 2)) {
      assertThat(pair.port()).isEqualTo(FIRST);
      assertThatThrownBy(() -> PortReservation.reserve(KEY, FIRST + 1, FIRST + 1, 1))
          .isInstanceOf(WorkFailure.class);
    }
    assertThatThrownBy(() -> PortReservation.reserve(KEY, FIRST, FIRST, 2))
        .isInstanceOf(WorkFailure.class)
        .hasMessageContaining("with the 1 after it");
  }

  @Test
  void givesTwoReservationsOfOneKeyTwoPorts() throws Exception {
    try (PortReservation one = PortReservation.reserve(KEY, FIRST, LAST, 1);
        PortReservation two = PortReservation.reserve(KEY, FIRST, LAST, 1)) {
      assertThat(one.port()).isBetween(FIRST, LAST).isNotEqualTo(two.port());
    }
  }

  @Test
  void keepsItsPortOnEveryAddressUntilItIsReleased() throws Exception {
    InetAddress address = InetAddress.getByName("127.0.0.3");
    PortReservation reservation = PortReservation.reserve(KEY, FIRST, LAST, 1);
    int port = reservation.port();
    try (reservation) {
      assertThatThrownBy(() -> new ServerSocket(port, 1, address))
          .isInstanceOf(BindException.class);
    }
    try (ServerSocket socket = new ServerSocket(port, 1, address)) {
      assertThat(socket.isBound()).isTrue();
    }
  }

  @Test
  void refusesWhoeverDialsTooEarly() throws Exception {
    try (PortReservation reservation = PortReservation.reserve(KEY, FIRST, LAST, 1)) {
      assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), reservation.port()))
          .isInstanceOf(ConnectException.class);
    }
  }

  @Test
  void namesTheRangeWhenNoneIsFree() throws Exception {
    try (PortReservation only = PortReservation.reserve(KEY, FIRST, FIRST, 1)) {
      assertThat(only.port()).isEqualTo(FIRST);
      assertThatThrownBy(() -> PortReservation.reserve(KEY, FIRST, FIRST, 1))
          .isInstanceOf(WorkFailure.class)
          .hasMessageContaining("22000 to 22000");
    }
  }
}
