package io.twinbell.node.handler.http;

import io.twinbell.node.handler.config.CallProfile;
import io.twinbell.node.template.HttpUrl;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SchemePortResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.DefaultConnectionKeepAliveStrategy;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.nio.AsyncClientConnectionOperator;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncEntityProducer;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityProducer;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

/**
 * The HTTP client: sends one request and reads one answer. It never sends a request twice, and uses no proxy except that
 * of its route. Without a proxy it looks up and checks the address itself, and tracked to that address and not to the
 * name. A proxy looks up the name again, so all addresses of the name must be allowed.
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

    /** Bounds how long calls go on with a client certificate or an authority that was replaced. */
    private static final TimeValue LONGEST_CONNECTION = TimeValue.ofMinutes(1);

    private final CallRoute route;
    private final HttpHost proxy;
    private final CloseableHttpAsyncClient client;
    private final ExecutorService laterSends;

    HttpTransport(CallRoute route) {
        this.route = route;
        CallProfile.Proxy through = route.proxy();
        proxy = through == null ? null : new HttpHost("http", through.host(), through.port());
        AtomicInteger number = new AtomicInteger();
        laterSends = Executors.newSingleThreadExecutor(work -> daemon(work, route.name() + "-later"));
        var connections = new ConnectionsBuilder()
                // A proxy is the operator's choice, and the only host that is looked up to connect to it.
                .setDnsResolver(proxy == null ? new CheckedLookup(route.targets()) : SystemDefaultDnsResolver.INSTANCE)
                .setTlsStrategy(route.tls())
                .setDefaultTlsConfig(TlsConfig.custom()
                        .setVersionPolicy(HttpVersionPolicy.FORCE_HTTP_1)
                        .build())
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setSocketTimeout(Timeout.DISABLED)
                        .setTimeToLive(LONGEST_CONNECTION)
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
                .setThreadFactory(work -> daemon(work, route.name() + "-" + number.getAndIncrement()))
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

    /** A call that has begun. */
    private record Sent(Future<ReceivedResponse> answer, CallConnection connection)
            implements Future<ReceivedResponse> {
        @Override
        public boolean cancel(boolean mayInterrupt) {
            boolean isCancelled = answer.cancel(mayInterrupt);
            connection.abandon();
            return isCancelled;
        }

        @Override
        public boolean isCancelled() {
            return answer.isCancelled();
        }

        @Override
        public boolean isDone() {
            return answer.isDone();
        }

        @Override
        public ReceivedResponse get() throws InterruptedException, ExecutionException {
            return answer.get();
        }

        @Override
        public ReceivedResponse get(long time, TimeUnit unit)
                throws InterruptedException, ExecutionException, TimeoutException {
            return answer.get(time, unit);
        }
    }

    private static final class ConnectionsBuilder extends PoolingAsyncClientConnectionManagerBuilder {
        @Override
        protected AsyncClientConnectionOperator createConnectionOperator(
                TlsStrategy tls, SchemePortResolver ports, DnsResolver names) {
            return new CallConnection.TrackingOperator(super.createConnectionOperator(tls, ports, names));
        }
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
        FutureCallback<ReceivedResponse> result = callback;
        if (proxy != null) {
            try {
                route.targets().checkForProxy(message.url().host(), route.hosts());
            } catch (UnknownHostException e) {
                callback.failed(e);
                return CompletableFuture.completedFuture(null);
            }
            ProxiedCall call = new ProxiedCall(route.proxy(), message.url(), context, callback);
            call.logIn(proxy);
            result = call;
        }
        AsyncEntityProducer body = message.body() == null ? null : new BasicAsyncEntityProducer(message.body(), null);
        CallConnection connection = new CallConnection();
        connection.enter(context);
        Future<ReceivedResponse> answer = client.execute(
                new BasicRequestProducer(request(message), body),
                new ResponseReader(keptBytes, connection::answered),
                context,
                result);
        return new Sent(answer, connection);
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
    private RequestConfig config(Duration connectTimeout) {
        return RequestConfig.custom()
                .setProxy(proxy)
                .setConnectTimeout(Timeout.of(connectTimeout))
                .setConnectionRequestTimeout(Timeout.DISABLED)
                .setResponseTimeout(Timeout.DISABLED)
                .setAuthenticationEnabled(route.proxy() != null && route.proxy().user() != null)
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
