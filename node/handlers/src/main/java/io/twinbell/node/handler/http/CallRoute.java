package io.twinbell.node.handler.http;

import io.twinbell.node.handler.config.CallProfile;
import io.twinbell.node.handler.config.HostList;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.ssl.SSLContexts;

/**
 * How a transport reaches the receivers.
 *
 * @param name names its threads
 * @param targets the receivers that may be called
 * @param tls encrypts new connections
 * @param proxy what every call leads through; null for none
 * @param hosts the receivers of the profile; empty for every receiver
 */
record CallRoute(String name, CallTargets targets, TlsStrategy tls, CallProfile.Proxy proxy, HostList hosts) {
    /** Without a profile: no proxy, no client certificate, and the authorities of the Java runtime. */
    static CallRoute direct(CallTargets targets) {
        return direct(targets, SSLContexts.createSystemDefault());
    }

    static CallRoute direct(CallTargets targets, SSLContext trust) {
        return new CallRoute("http", targets, tls(trust), null, HostList.EMPTY);
    }

    static TlsStrategy tls(SSLContext context) {
        return ClientTlsStrategyBuilder.create()
                .setSslContext(context)
                // By default, this client leaves the check of the host to the Java runtime without asking for it: any
                // host with a valid certificate of its own could then pose as the receiver.
                .setHostVerificationPolicy(HostnameVerificationPolicy.BOTH)
                .buildAsync();
    }
}
