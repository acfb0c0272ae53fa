package io.twinbell.node.handler.http;

import java.io.IOException;
import java.net.SocketAddress;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import org.apache.hc.client5.http.nio.ManagedAsyncClientConnection;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.EndpointDetails;
import org.apache.hc.core5.http.ProtocolVersion;
import org.apache.hc.core5.http.nio.command.RequestExecutionCommand;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.net.NamedEndpoint;
import org.apache.hc.core5.reactor.Command;
import org.apache.hc.core5.reactor.ProtocolIOSession;
import org.apache.hc.core5.reactor.ssl.SSLBufferMode;
import org.apache.hc.core5.reactor.ssl.SSLSessionInitializer;
import org.apache.hc.core5.reactor.ssl.SSLSessionVerifier;
import org.apache.hc.core5.reactor.ssl.TlsDetails;
import org.apache.hc.core5.reactor.ssl.TransportSecurityLayer;
import org.apache.hc.core5.util.Timeout;

/** A connection that tells each call that it carries, also the later ones of a kept connection. */
record ObservedConnection(ManagedAsyncClientConnection connection) implements ManagedAsyncClientConnection {
    @Override
    public void submitCommand(Command command, Command.Priority priority) {
        if (command instanceof RequestExecutionCommand request) {
            CallConnection.of(request.getContext()).ifPresent(call -> call.attach(connection));
        }
        connection.submitCommand(command, priority);
    }

    @Override
    public void passivate() {
        connection.passivate();
    }

    @Override
    public void activate() {
        connection.activate();
    }

    @Override
    public void switchProtocol(String protocol, FutureCallback<ProtocolIOSession> callback) {
        connection.switchProtocol(protocol, callback);
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }

    @Override
    public void close(CloseMode mode) {
        connection.close(mode);
    }

    @Override
    public boolean isOpen() {
        return connection.isOpen();
    }

    @Override
    public EndpointDetails getEndpointDetails() {
        return connection.getEndpointDetails();
    }

    @Override
    public SocketAddress getLocalAddress() {
        return connection.getLocalAddress();
    }

    @Override
    public SocketAddress getRemoteAddress() {
        return connection.getRemoteAddress();
    }

    @Override
    public ProtocolVersion getProtocolVersion() {
        return connection.getProtocolVersion();
    }

    @Override
    public SSLSession getSSLSession() {
        return connection.getSSLSession();
    }

    @Override
    public Timeout getSocketTimeout() {
        return connection.getSocketTimeout();
    }

    @Override
    public void setSocketTimeout(Timeout timeout) {
        connection.setSocketTimeout(timeout);
    }

    @Override
    public void startTls(
            SSLContext context,
            NamedEndpoint endpoint,
            SSLBufferMode buffers,
            SSLSessionInitializer initializer,
            SSLSessionVerifier verifier,
            Timeout timeout) {
        connection.startTls(context, endpoint, buffers, initializer, verifier, timeout);
    }

    @Override
    public void startTls(
            SSLContext context,
            NamedEndpoint endpoint,
            SSLBufferMode buffers,
            SSLSessionInitializer initializer,
            SSLSessionVerifier verifier,
            Timeout timeout,
            FutureCallback<TransportSecurityLayer> callback) {
        connection.startTls(context, endpoint, buffers, initializer, verifier, timeout, callback);
    }

    @Override
    public TlsDetails getTlsDetails() {
        return connection.getTlsDetails();
    }
}
