package io.twinbell.node.handler.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.handler.config.AddressRange;
import io.twinbell.node.handler.config.HostList;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which hosts http tasks may call, by name and by address. */
class CallTargetsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "169.254.169.254",
                "169.254.170.2",
                "::ffff:169.254.169.254",
                "64:ff9b::a9fe:a9fe",
                "2002:a9fe:a9fe::1",
                "::169.254.169.254",
                "::ffff:0:169.254.169.254",
                "64:ff9b:1::a9fe:a9fe",
                "64:ff9b:1:a9fe:a9:fe00::",
                "64:ff9b:1:a9:fe:a9fe::",
                "64:ff9b:1:0:a9:fea9:fe00:0",
                "2001:0:8080:8080::5601:5601",
                "2001:0:a9fe:a9fe::1",
                "2001:db8::5efe:169.254.169.254",
                "2001:db8::200:5efe:a9fe:a9fe",
                "fe80::1",
                "fd00:ec2::254",
                "fd20:ce::254",
                "100.100.100.200",
                "168.63.129.16",
                "192.0.0.192"
            })
    void link_local_and_metadata_addresses_are_refused_whatever_name_leads_there(String address) {
        CallTargets open = new CallTargets(HostList.of());
        CallTargets named = new CallTargets(HostList.of("innocent.example.com"));
        assertThrows(CallTargets.TargetRefusedException.class, () -> allowed(open, "innocent.example.com", address));
        assertThrows(CallTargets.TargetRefusedException.class, () -> allowed(named, "innocent.example.com", address));
        assertTrue(open.refusal(address).isPresent(), "and it is known before any call");
    }

    @Test
    void an_address_that_the_list_names_is_let_through() throws UnknownHostException {
        CallTargets targets = new CallTargets(HostList.of("169.254.169.254/32"));
        assertEquals(1, allowed(targets, "metadata", "169.254.169.254").size());
        assertThrows(CallTargets.TargetRefusedException.class, () -> allowed(targets, "metadata", "169.254.169.253"));
    }

    @Test
    void without_a_list_everybody_else_may_be_called_this_host_too() throws UnknownHostException {
        CallTargets targets = new CallTargets(HostList.of());
        for (String address : List.of("127.0.0.1", "::1", "10.1.2.3", "192.168.0.1", "8.8.8.8", "2001:db8::1")) {
            assertEquals(1, allowed(targets, "h", address).size(), address);
        }
    }

    @Test
    void an_address_that_only_contains_an_allowed_one_is_not_allowed() {
        CallTargets targets = new CallTargets(HostList.of("10.0.0.0/8"));
        for (String address : List.of("::10.0.0.1", "2001:0:a00:1::", "2001:db8::5efe:a00:1", "64:ff9b:1::a00:1")) {
            assertThrows(CallTargets.TargetRefusedException.class, () -> allowed(targets, "h", address), address);
        }
    }

    @Test
    void bad_addresses_among_many_are_left_out() throws UnknownHostException {
        List<InetAddress> left = new CallTargets(HostList.of()).allowed("h", new InetAddress[] {
            InetAddress.getByName("169.254.169.254"), InetAddress.getByName("10.0.0.1")
        });
        assertEquals(List.of(InetAddress.getByName("10.0.0.1")), left);
    }

    @Test
    void a_list_of_hosts_and_ranges_lets_nobody_else_through() throws UnknownHostException {
        CallTargets targets =
                new CallTargets(HostList.of("Billing.example.com", "*.internal", "10.0.0.0/8", "2001:db8::/33"));
        assertEquals(1, allowed(targets, "billing.EXAMPLE.com", "1.2.3.4").size());
        assertEquals(1, allowed(targets, "a.b.internal", "1.2.3.4").size());
        assertEquals(1, allowed(targets, "whoever", "10.255.0.1").size());
        assertEquals(1, allowed(targets, "whoever", "2001:db8:7fff::1").size());
        for (String[] other : new String[][] {
            {"example.com", "1.2.3.4"},
            {"xbilling.example.com", "1.2.3.4"},
            {"internal", "1.2.3.4"},
            {"evil-internal", "1.2.3.4"},
            {"whoever", "11.0.0.1"},
            {"whoever", "2001:db8:8000::1"},
            {"127.0.0.1", "127.0.0.1"}
        }) {
            Exception refused = assertThrows(
                    CallTargets.TargetRefusedException.class, () -> allowed(targets, other[0], other[1]), other[0]);
            assertTrue(refused.getMessage().contains("handlers.http.allow"));
        }
    }

    @Test
    void a_range_is_read_or_refused() {
        for (String bad :
                List.of("10.0.0.0/33", "fe80::/129", "10.0.0.0/x", "10.0.0", "host", "10.0.0.0/-1", "300.1.1.1")) {
            assertFalse(AddressRange.parse(bad).isPresent(), bad);
        }
        assertEquals(
                "10.0.0.0/8", AddressRange.parse("10.0.0.0/8").orElseThrow().toString());
        assertTrue(AddressRange.parse("0.0.0.0/0").orElseThrow().bits() == 0);
    }

    private static List<InetAddress> allowed(CallTargets targets, String host, String address)
            throws UnknownHostException {
        return targets.allowed(host, new InetAddress[] {InetAddress.getByName(address)});
    }
}
