package io.twinbell.node.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientNetworkTest {
    @ParameterizedTest
    @CsvSource({
        "192.0.2.1,             192.0.2.1",
        "2001:db8:1:2:3::4,     2001:db8:1:2:0:0:0:0/64",
        "[2001:db8:1:2::9],     2001:db8:1:2:0:0:0:0/64",
        "2001:db8:1:3:3::4,     2001:db8:1:3:0:0:0:0/64",
        "fe80::1%1,             fe80:0:0:0:0:0:0:0/64",
        "::ffff:192.0.2.1,      192.0.2.1",
    })
    void addresses_of_one_64_network_are_one_client(String address, String network) {
        assertEquals(network, ClientNetwork.of(address));
    }
}
