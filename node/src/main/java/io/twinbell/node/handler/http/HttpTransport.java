package io.twinbell.node.handler.http;

import io.twinbell.node.template.HttpUrl;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.DefaultConnectionKeepAliveStrategy;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityProducer;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.ssl.SSLContexts;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/**
 * The HTTP client: sends one request and reads one answer. It never sends a request twice and never uses a proxy. It
 * looks up and checks the address itself, and connects to that address and not to the name.
 */
final class HttpTransport implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int MAX_CONNECTIONS = 1_000_000;

    static final int MOST_OF_A_LINE = 32 * 1024;
    static final int MOST_HEADERS = 200;

    /** Bounds the head of an answer: an endless one would fill this process's memory. */
    private static final Http1Config HEAD_OF_AN_ANSWER = Http1Config.custom()
            .setMaxLineLength(MOST_OF_A_LINE)
            .setMaxHeaderCount(MOST_HEADERS)
            .build();

    /**
     * If the receiver closes a connection just when it is reused, the attempt fails, because no request is sent twice.
     * Common servers keep an idle connection for 2 s or more.
     */
    private static final TimeValue KEEP_ALIVE = TimeValue.ofSeconds(1);

    private final CloseableHttpAsyncClient client;
    private final ExecutorService laterSends;

    HttpTransport(CallTargets targets) {
        this(targets, SSLContexts.createSystemDefault());
    }

    HttpTransport(CallTargets targets, SSLContext trust) {
        AtomicInteger number = new AtomicInteger();
        laterSends = Executors.newSingleThreadExecutor(work -> daemon(work, "http-later"));
        var connections = PoolingAsyncClientConnectionManagerBuilder.create()
                .setDnsResolver(new CheckedLookup(targets))
                .setTlsStrategy(ClientTlsStrategyBuilder.create()
                        .setSslContext(trust)
                        // By default, this client leaves the check of the host to the Java runtime without asking
                        // for it: any host with a valid certificate of its own could then pose as the receiver.
                        .setHostVerificationPolicy(HostnameVerificationPolicy.BOTH)
                        .buildAsync())
                .setDefaultTlsConfig(TlsConfig.custom()
                        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_1)
                        .build())
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setSocketTimeout(Timeout.DISABLED)
                        .build())
                // The number of concurrent calls is bounded where slots are claimed.
                .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
                .setMaxConnPerRoute(MAX_CONNECTIONS)
                .setMaxConnTotal(MAX_CONNECTIONS)
                .build();
        client = HttpAsyncClients.custom()
                .setConnectionManager(connections)
                .setIOReactorConfig(IOReactorConfig.custom()
                        .setIoThreadCount(THREADS)
                        .setSelectInterval(TimeValue.ofMilliseconds(100))
                        .build())
                .setHttp1Config(HEAD_OF_AN_ANSWER)
                .setThreadFactory(work -> daemon(work, "http-" + number.getAndIncrement()))
                .setUserAgent("Twinbell")
                .setKeepAliveStrategy((response, context) ->
                        shorter(DefaultConnectionKeepAliveStrategy.INSTANCE.getKeepAliveDuration(response, context)))
                .evictExpiredConnections()
                .disableAutomaticRetries()
                .disableRedirectHandling()
                .disableCookieManagement()
                .disableAuthCaching()
                .build();
        client.start();
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /** @param offered how long the receiver keeps the connection, by its own clock */
    private static TimeValue shorter(TimeValue offered) {
        return offered == null || offered.getDuration() < 0
                ? KEEP_ALIVE
                : TimeValue.ofMilliseconds(offered.toMilliseconds() / 2).min(KEEP_ALIVE);
    }

    /** Starts sending; cancelling the future ends the call at the receiver too. */
    Future<ReceivedResponse> send(
            HttpMessage message, Duration connectTimeout, int keptBytes, FutureCallback<ReceivedResponse> callback) {
        HttpClientContext context = HttpClientContext.create();
        context.setRequestConfig(config(connectTimeout));
        AsyncEntityProducer body = message.body() == null ? null : new BasicAsyncEntityProducer(message.body(), null);
        return client.execute(
                new BasicRequestProducer(request(message), body), new ResponseReader(keptBytes), context, callback);
    }

    /** Runs the work on a thread that may block, unlike the threads of the calls. */
    void later(Runnable work) {
        laterSends.execute(work);
    }

    private static BasicHttpRequest request(HttpMessage message) {
        HttpUrl url = message.url();
        HttpHost receiver = new HttpHost(url.scheme(), url.host(), url.port());
        BasicHttpRequest request = new BasicHttpRequest(message.method(), receiver, url.target());
        // The kept beginning must be readable. An answer that is compressed nevertheless is decompressed.
        request.setHeader("Accept-Encoding", "identity");
        message.headers().forEach(request::setHeader);
        message.confidential().forEach(request::setHeader);
        return request;
    }

    /** A connect timeout per task can be set only here. */
    @SuppressWarnings("deprecation")
    private static RequestConfig config(Duration connectTimeout) {
        return RequestConfig.custom()
                .setConnectTimeout(Timeout.of(connectTimeout))
                .setConnectionRequestTimeout(Timeout.DISABLED)
                .setResponseTimeout(Timeout.DISABLED)
                .setAuthenticationEnabled(false)
                .setContentCompressionEnabled(false)
                .setProtocolUpgradeEnabled(false)
                .build();
    }

    @Override
    public void close() {
        laterSends.shutdownNow();
        client.close(CloseMode.IMMEDIATE);
    }

    private record CheckedLookup(CallTargets targets) implements DnsResolver {
        @Override
        public InetAddress[] resolve(String host) throws UnknownHostException {
            InetAddress[] found = SystemDefaultDnsResolver.INSTANCE.resolve(host);
            return targets.allowed(host, found).toArray(InetAddress[]::new);
        }

        @Override
        public String resolveCanonicalHostname(String host) throws UnknownHostException {
            return SystemDefaultDnsResolver.INSTANCE.resolveCanonicalHostname(host);
        }
    }
}
