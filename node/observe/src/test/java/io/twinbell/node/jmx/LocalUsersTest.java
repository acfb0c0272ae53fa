package io.twinbell.node.jmx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which users of this machine JMX admits. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux tells whose a connection is")
class LocalUsersTest {
    private static final long STRANGER = 4_000_000_000L;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.77", "::1"})
    void the_user_of_a_connection_is_found(String host) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName(host));
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            assertEquals(
                    OptionalLong.of(SocketOwners.ownUser()),
                    SocketOwners.ofThisMachine()
                            .userOf(origin(accepted), (InetSocketAddress) accepted.getLocalSocketAddress()));
            assertTrue(client.isConnected());
        }
    }

    @Test
    void a_connection_of_plain_ipv4_is_found_too() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open(java.net.StandardProtocolFamily.INET)
                        .bind(new InetSocketAddress("127.0.0.1", 0));
                SocketChannel client = SocketChannel.open(java.net.StandardProtocolFamily.INET)) {
            client.connect(server.getLocalAddress());
            try (SocketChannel accepted = server.accept()) {
                assertEquals(
                        OptionalLong.of(SocketOwners.ownUser()),
                        SocketOwners.ofThisMachine()
                                .userOf((InetSocketAddress) accepted.getRemoteAddress(), (InetSocketAddress)
                                        accepted.getLocalAddress()));
            }
        }
    }

    @Test
    void a_connection_that_its_client_has_closed_is_of_no_user() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            new Socket(server.getInetAddress(), server.getLocalPort()).close();
            try (Socket accepted = server.accept()) {
                assertEquals(
                        OptionalLong.empty(), SocketOwners.ofThisMachine().userOf(origin(accepted), (InetSocketAddress)
                                accepted.getLocalSocketAddress()));
            }
        }
    }

    @Test
    void a_user_that_this_namespace_does_not_map_is_unknown() throws Exception {
        Path table = Files.writeString(
                folder.resolve("tcp"),
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
                        + "   0: 0100007F:1F90 0100007F:2379 01 00000000:00000000 00:00000000 00000000 65534        0 77 1\n");
        InetSocketAddress client = new InetSocketAddress("127.0.0.1", 0x1F90);
        InetSocketAddress server = new InetSocketAddress("127.0.0.1", 0x2379);
        assertEquals(
                OptionalLong.empty(), SocketOwners.in(List.of(table), 65534).userOf(client, server));
        assertEquals(OptionalLong.of(65534), SocketOwners.in(List.of(table), -1).userOf(client, server));
    }

    @Test
    void only_admitted_users_come_in_and_none_from_another_machine() throws Exception {
        long own = SocketOwners.ownUser();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept()) {
            InetSocketAddress here = (InetSocketAddress) accepted.getLocalSocketAddress();
            SocketOwners owners = SocketOwners.ofThisMachine();
            assertTrue(client.isConnected());
            RecordedRefusals refusals = new RecordedRefusals();
            LoopbackAdmission ours = LoopbackAdmission.of(Set.of(own), owners, refusals);
            LoopbackAdmission theirs = LoopbackAdmission.of(Set.of(STRANGER), owners, refusals);
            LoopbackAdmission everybody = LoopbackAdmission.of(users("*"), refusals);
            InetSocketAddress elsewhere = new InetSocketAddress("192.0.2.7", 4711);
            for (LoopbackAdmission admission : List.of(ours, everybody)) {
                assertEquals(
                        new JmxCaller("user id " + own, "127.0.0.1"),
                        admission.admit(origin(accepted), here, 0).orElseThrow());
            }
            assertEquals(List.of(), refusals.lines());
            assertFalse(theirs.admit(origin(accepted), here, 0).isPresent());
            assertFalse(ours.admit(origin(accepted), here, 200).isPresent());
            assertFalse(ours.admit(elsewhere, here, 0).isPresent());
            assertFalse(everybody.admit(elsewhere, here, 0).isPresent());
            assertEquals(
                    List.of(
                            "user id " + own + " 127.0.0.1 connection",
                            "unknown user 127.0.0.1 connection",
                            "unknown user 192.0.2.7 connection",
                            "unknown user 192.0.2.7 connection"),
                    refusals.lines());
        }
    }

    @Test
    void users_are_named_or_numbered_and_a_mistake_is_named() throws Exception {
        assertEquals(Set.of(0L, 4711L), users("root", "4711").ids());
        IOException unknown = assertThrows(
                IOException.class, () -> users("nobody-has-this-name").ids());
        assertTrue(
                unknown.getMessage()
                        .startsWith("jmx.localUsers: user \"nobody-has-this-name\" does not exist on this machine"),
                unknown.getMessage());
        assertEquals(List.of(), users("*", "ops", "1000", "DOM\\ann", "host$").problems());
        assertEquals(2, users("-u", "a b").problems().size());
    }

    private static LocalUsers users(String... names) {
        return new LocalUsers(List.of(names));
    }

    private static InetSocketAddress origin(Socket accepted) {
        return (InetSocketAddress) accepted.getRemoteSocketAddress();
    }
}
