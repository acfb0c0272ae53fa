package io.twinbell.lab.own;

import java.util.List;

/** Runs all components on the loopback address, distinguished by port. */
final class LoopbackHosts implements ComponentHosts {
    static final String ADDRESS = "127.0.0.1";

    @Override
    public String address(String host) {
        return ADDRESS;
    }

    @Override
    public List<String> on(String host) {
        return List.of();
    }

    @Override
    public String drill() {
        return ADDRESS;
    }

    @Override
    public void close() {
        // There is nothing to take down.
    }
}
