package io.twinbell.node.handler.http;

import java.net.SocketAddress;
import java.util.Optional;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.nio.AsyncClientConnectionOperator;
import org.apache.hc.client5.http.nio.ManagedAsyncClientConnection;
import org.apache.hc.core5.concurrent.CallbackContribution;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.io.ModalCloseable;
import org.apache.hc.core5.net.NamedEndpoint;
import org.apache.hc.core5.reactor.ConnectionInitiator;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.util.Timeout;

/**
 * The connection that carries one call. The client loses each cancellation that arrives after it has leased a kept
 * connection, or while it goes from connecting to sending: the receiver would go on working, and the connection stay
 * open until it answers. So a cancelled call closes its connection by itself.
 */
final class CallConnection {
    private static final String ATTRIBUTE = "twinbell.call-connection";

    private ModalCloseable carrier;
    private boolean isAbandoned;
    private boolean isAnswered;

    /** Names this object to the connections that carry the call. */
    void enter(HttpContext context) {
        context.setAttribute(ATTRIBUTE, this);
    }

    static Optional<CallConnection> of(HttpContext context) {
        return Optional.ofNullable(context)
                .map(known -> known.getAttribute(ATTRIBUTE))
                .map(CallConnection.class::cast);
    }

    /** Names the connection. An abandoned call closes it, before anything is sent. */
    synchronized void attach(ModalCloseable connection) {
        carrier = connection;
        closeIfAbandoned();
    }

    /** From here on the connection may belong to another call. */
    synchronized void answered() {
        isAnswered = true;
        carrier = null;
    }

    /** Closes the connection now, or as soon as it is established. */
    synchronized void abandon() {
        isAbandoned = true;
        closeIfAbandoned();
    }

    private void closeIfAbandoned() {
        if (isAbandoned && !isAnswered && carrier != null) {
            carrier.close(CloseMode.IMMEDIATE);
        }
    }

    /** Connects as before, and tells each call its connection. */
    record TrackingOperator(AsyncClientConnectionOperator operator) implements AsyncClientConnectionOperator {
        @Override
        public Future<ManagedAsyncClientConnection> connect(
                ConnectionInitiator initiator,
                HttpHost host,
                SocketAddress local,
                Timeout timeout,
                Object attachment,
                FutureCallback<ManagedAsyncClientConnection> callback) {
            return operator.connect(initiator, host, local, timeout, attachment, callback);
        }

        @Override
        public Future<ManagedAsyncClientConnection> connect(
                ConnectionInitiator initiator,
                HttpHost host,
                NamedEndpoint endpoint,
                SocketAddress local,
                Timeout timeout,
                Object attachment,
                HttpContext context,
                FutureCallback<ManagedAsyncClientConnection> callback) {
            ConnectionInitiator tracked = CallConnection.of(context)
                    .map(call -> tracking(initiator, call))
                    .orElse(initiator);
            return operator.connect(
                    tracked, host, endpoint, local, timeout, attachment, context, new CallbackContribution<>(callback) {
                        @Override
                        public void completed(ManagedAsyncClientConnection made) {
                            callback.completed(new ObservedConnection(made));
                        }
                    });
        }

        private static ConnectionInitiator tracking(ConnectionInitiator initiator, CallConnection call) {
            return (endpoint, remote, local, timeout, attachment, callback) -> initiator.connect(
                    endpoint, remote, local, timeout, attachment, new CallbackContribution<IOSession>(callback) {
                        @Override
                        public void completed(IOSession made) {
                            call.attach(made);
                            callback.completed(made);
                        }
                    });
        }

        @Override
        public void upgrade(ManagedAsyncClientConnection connection, HttpHost host, Object attachment) {
            operator.upgrade(plain(connection), host, attachment);
        }

        @Override
        public void upgrade(
                ManagedAsyncClientConnection connection,
                HttpHost host,
                NamedEndpoint endpoint,
                Object attachment,
                HttpContext context,
                FutureCallback<ManagedAsyncClientConnection> callback) {
            operator.upgrade(plain(connection), host, endpoint, attachment, context, callback);
        }

        private static ManagedAsyncClientConnection plain(ManagedAsyncClientConnection connection) {
            return connection instanceof ObservedConnection observed ? observed.connection() : connection;
        }
    }
}
