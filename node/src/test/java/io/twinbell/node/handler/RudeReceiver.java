package io.twinbell.node.handler;

import io.twinbell.node.task.HandlerSpec;
import io.twinbell.persistence.ledger.Slot;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A program that calls a receiver which takes every request and hangs up, and tells how often each came. */
final class RudeReceiver {
    private RudeReceiver() {}

    public static void main(String[] arguments) throws Exception {
        Handlers.callReceiversOnce();
        try (Handlers handlers = new Handlers(Map.of())) {
            for (String method : List.of("GET", "HEAD", "POST", "PUT")) {
                AtomicInteger received = new AtomicInteger();
                try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
                    Thread thread = new Thread(() -> hangUpOnEveryone(server, received));
                    thread.setDaemon(true);
                    thread.start();
                    URI uri = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
                    HandlerSpec spec = new HandlerSpec.HttpCall(method, uri, Map.of(), null);
                    Call call = new Call(new Slot(1, 0), "app", "name", 1, 1, spec, null);
                    Outcome outcome = handlers.start(call).toCompletableFuture().get();
                    System.out.print(method + " " + received.get() + ", ");
                    System.err.println(outcome.error());
                }
            }
        }
    }

    private static void hangUpOnEveryone(ServerSocket server, AtomicInteger received) {
        try {
            while (true) {
                try (Socket connection = server.accept()) {
                    connection.getInputStream().read(new byte[4096]);
                    received.incrementAndGet();
                }
            }
        } catch (IOException e) {
            // The server is closed: the next method's turn.
        }
    }
}
