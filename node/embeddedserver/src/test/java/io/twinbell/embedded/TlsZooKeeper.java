package io.twinbell.embedded;

import io.twinbell.node.tls.TlsInit;
import io.twinbell.persistence.testing.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A server of ZooKeeper that takes only connections with TLS and a certificate of its authority. */
final class TlsZooKeeper implements AutoCloseable {
    private final Process server;
    private final int port = FreePort.take();

    TlsZooKeeper(Path directory, TlsInit authority) throws IOException {
        Path settings = Files.write(
                directory.resolve("zoo.cfg"),
                List.of(
                        "dataDir=" + directory.resolve("data"),
                        "tickTime=500",
                        "secureClientPort=" + port,
                        "secureClientPortAddress=127.0.0.1",
                        "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                        "ssl.keyStore.location=" + keyAndCertificate(directory, authority, "zk"),
                        "ssl.trustStore.location=" + authority.certificate("ca"),
                        "ssl.clientAuth=need",
                        "admin.enableServer=false"));
        server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "org.apache.zookeeper.server.ZooKeeperServerMain",
                        settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("server.log").toFile())
                .start();
    }

    /** ZooKeeper reads key and certificate from one file. */
    static Path keyAndCertificate(Path directory, TlsInit authority, String name) throws IOException {
        return Files.writeString(
                directory.resolve(name + "-both.pem"),
                Files.readString(authority.key(name)) + Files.readString(authority.certificate(name)));
    }

    String connectString() {
        return "127.0.0.1:" + port;
    }

    @Override
    public void close() {
        server.destroyForcibly().onExit().join();
    }
}
