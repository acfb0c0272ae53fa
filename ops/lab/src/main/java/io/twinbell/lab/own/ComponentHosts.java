package io.twinbell.lab.own;

import java.io.IOException;
import java.util.List;

/** The hosts on which the components of a drill's own pair run. */
interface ComponentHosts extends AutoCloseable {
    String DATABASE = "database";
    List<String> ENSEMBLE = List.of("zookeeper1", "zookeeper2", "zookeeper3");

    /** The host's IP address. */
    String address(String host);

    /** The command prefix that runs a command on the host. */
    List<String> on(String host);

    /** The address at which every host reaches the drill. */
    String drill();

    @Override
    void close() throws IOException;
}
