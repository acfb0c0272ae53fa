package io.twinbell.node.api.stream;

import io.javalin.http.Context;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.LedgerChanges;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams the ledger's changes to clients as server-sent events. It polls the table, and only while a client is
 * connected; clients at the same position share the read. A slow client does not delay the others: it gets no more
 * events until it has received the last ones, and is disconnected if that takes ten seconds.
 */
public final class ChangeStream {
    private static final Logger LOG = LoggerFactory.getLogger(ChangeStream.class);
    static final int MOST_CLIENTS = 32;
    /** The streams of one client, and those of all clients without credentials, leave the other half to others. */
    static final int MOST_OF_CLIENT = MOST_CLIENTS / 2;

    static final int PAGE = 500;
    private static final long BETWEEN_READS = Duration.ofMillis(200).toNanos();
    private static final long WHILE_NOBODY_LISTENS = Duration.ofSeconds(1).toNanos();
    private static final long KEEP_ALIVE = Duration.ofSeconds(10).toNanos();
    private static final long BETWEEN_CHECKS = Duration.ofSeconds(1).toNanos();
    private static final long PATIENCE = Duration.ofSeconds(10).toNanos();

    private final LedgerChanges changes;
    private final Ticker ticker;
    private final List<StreamClient> clients = new CopyOnWriteArrayList<>();
    private final Runnable onClient;
    private boolean isClosed;
    private long checkedNanos;

    /** @param onClient called when a client has connected, so that the stream is stepped soon */
    public ChangeStream(LedgerChanges changes, Ticker ticker, Runnable onClient) {
        this.changes = changes;
        this.ticker = ticker;
        checkedNanos = ticker.nanos();
        this.onClient = onClient;
    }

    /** @param after the position to resume from; null for changes from now on */
    synchronized void open(Context context, Predicate<Execution> wanted, LedgerChanges.Position after) {
        if (isClosed || clients.size() >= MOST_CLIENTS) {
            throw new ProblemException(
                    ProblemType.OVERLOADED,
                    isClosed ? "the node is stopping" : "there are already " + MOST_CLIENTS + " streams");
        }
        Caller caller = Caller.of(context);
        if (count(each -> each.client().equals(caller.client())) >= MOST_OF_CLIENT
                || caller.isAnonymous() && count(Caller::isAnonymous) >= MOST_OF_CLIENT) {
            throw new ProblemException(
                    ProblemType.OVERLOADED,
                    "there are already " + MOST_OF_CLIENT + " streams of "
                            + (caller.isAnonymous() ? "clients without a token" : caller.client()));
        }
        StreamClient client = new StreamClient(wanted, caller, after, ticker.nanos());
        clients.add(client);
        context.future(() -> client.begin(context));
        onClient.run();
    }

    private long count(Predicate<Caller> which) {
        return clients.stream().map(StreamClient::caller).filter(which).count();
    }

    int listeners() {
        return clients.size();
    }

    /** Makes one pass over all clients; returns how long to sleep, in nanoseconds. */
    public long step(Loop loop) {
        clients.removeIf(StreamClient::isOver);
        if (clients.isEmpty()) {
            return WHILE_NOBODY_LISTENS;
        }
        long now = ticker.nanos();
        clients.forEach(client -> closeIfSlow(client, now));
        try {
            if (now - checkedNanos >= BETWEEN_CHECKS) {
                checkedNanos = now;
                clients.forEach(client -> closeIfNotAdmitted(client, now));
            }
            return send(now) ? 0 : BETWEEN_READS;
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
            keepAlive(now);
            return WHILE_NOBODY_LISTENS;
        }
    }

    private static void closeIfSlow(StreamClient client, long now) {
        if (!client.isDrained() && now - client.sentNanos() > PATIENCE) {
            if (client.isEnding()) {
                client.abandon();
            } else {
                client.end(
                        "too slow: the client has read nothing for 10 s; reconnect with Last-Event-ID to continue",
                        now);
            }
        }
    }

    /** A token that was revoked, or has expired or changed, must not go on reading. */
    private static void closeIfNotAdmitted(StreamClient client, long now) {
        if (!client.isEnding() && !client.caller().hasSameRights()) {
            client.end("the credentials are no longer valid, or give other rights", now);
        }
    }

    /** Sends the next page to each client that is ready; returns true if a client has more to read at once. */
    private boolean send(long now) {
        Map<LedgerChanges.Position, List<StreamClient>> byPosition = new LinkedHashMap<>();
        for (StreamClient client : clients) {
            if (client.isDrained() && !client.isEnding()) {
                if (client.position() == null) {
                    client.place(changes.now());
                    client.send(ServerEvent.begin(client.position()), now);
                }
                byPosition
                        .computeIfAbsent(client.position(), position -> new CopyOnWriteArrayList<>())
                        .add(client);
            }
        }
        boolean hasMore = false;
        for (Map.Entry<LedgerChanges.Position, List<StreamClient>> place : byPosition.entrySet()) {
            LedgerChanges.Page page = changes.read(place.getKey(), PAGE);
            place.getValue().forEach(client -> send(client, page, now));
            hasMore |= page.changes().size() == PAGE;
        }
        keepAlive(now);
        return hasMore;
    }

    private static void send(StreamClient client, LedgerChanges.Page page, long now) {
        StringBuilder events = new StringBuilder();
        if (!page.isKnown()) {
            events.append(ServerEvent.reset(page.reached()));
        }
        for (LedgerChanges.Change change : page.changes()) {
            if (client.wants(change.execution())) {
                events.append(ServerEvent.of(change));
            }
        }
        client.place(page.reached());
        if (!events.isEmpty()) {
            client.send(events.toString(), now);
        }
    }

    private void keepAlive(long now) {
        for (StreamClient client : clients) {
            if (client.position() != null && client.isDrained() && now - client.sentNanos() > KEEP_ALIVE) {
                client.send(ServerEvent.keepAlive(client.position()), now);
            }
        }
    }

    /** Tells every client that the stream has ended, and refuses new clients. */
    public synchronized void close() {
        isClosed = true;
        clients.forEach(client -> client.end("the node is stopping", ticker.nanos()));
    }

    /**
     * Encodes text as UTF-8, the encoding of
     * <a href="https://html.spec.whatwg.org/multipage/server-sent-events.html">server-sent events</a>.
     */
    static byte[] bytes(String events) {
        return events.getBytes(StandardCharsets.UTF_8);
    }
}
