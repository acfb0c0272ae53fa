package io.twinbell.tools.drill.own;

import java.io.IOException;
import java.util.List;

/** Where the parts of a drill's own pair run. */
interface ComponentHosts extends AutoCloseable {
    String DATABASE = "database";
    List<String> ENSEMBLE = List.of("zookeeper1", "zookeeper2", "zookeeper3");

    /** Its IP address. */
    String address(String host);

    /** What starts a command on that host, as the words before it. */
    List<String> on(String host);

    /** Where every host reaches the drill. */
    String drill();

    @Override
    void close() throws IOException;
}
