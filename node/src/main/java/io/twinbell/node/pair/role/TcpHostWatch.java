package io.twinbell.node.pair.role;

import io.twinbell.ha.takeover.HostWatch;
import io.twinbell.persistence.clock.Ticker;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Probes a host by opening a TCP connection to the node's port every 100 ms and dropping it: the host's kernel accepts
 * or refuses it, whatever the process does. Each probe uses a new connection, because a kernel retransmits the first
 * packet of a connection only after a second.
 */
public final class TcpHostWatch implements HostWatch {
    private static final Duration CALM = Duration.ofMillis(100);
    private static final Duration WORRIED = Duration.ofMillis(25);
    /**
     * This many probes in a row must be unanswered: a packet may get lost, and this host itself may be stopped for a
     * moment.
     */
    private static final int FEWEST_QUESTIONS = 4;
    /**
     * Drop a probe after this time. After some seconds the kernel would give it up itself and report that as a refused
     * connection.
     */
    private static final Duration GIVEN_UP_AFTER = Duration.ofSeconds(1);
    /** A host behind a slow network gets this many of its own slowest round trips. */
    private static final int ROUND_TRIPS = 3;

    private final Ticker ticker;
    private final Deque<Question> open = new ArrayDeque<>();
    private String asked;
    private InetSocketAddress address;
    private int unanswered;
    private long firstUnansweredNanos;
    private long slowestNanos;

    private record Question(SocketChannel connection, long askedNanos) {}

    private enum Reply {
        ANSWERED,
        NONE_YET,
        /** The network reports that the host cannot be reached, which the host itself cannot have sent. */
        NO_WAY,
        /** This host could not send the probe. */
        NOT_ASKED
    }

    public TcpHostWatch(Ticker ticker) {
        this.ticker = ticker;
    }

    @Override
    public Duration silence(String http) {
        if (!http.equals(asked)) {
            end();
            address = addressOf(http);
            asked = http;
        }
        if (address == null) {
            return Duration.ZERO;
        }
        readReplies();
        ask();
        long silentNanos = ticker.nanos() - firstUnansweredNanos;
        boolean isLong = unanswered >= FEWEST_QUESTIONS && silentNanos > ROUND_TRIPS * slowestNanos;
        return isLong ? Duration.ofNanos(silentNanos) : Duration.ZERO;
    }

    @Override
    public Duration probeDelay() {
        return unanswered == 0 ? CALM : WORRIED;
    }

    @Override
    public void end() {
        open.forEach(question -> drop(question.connection()));
        open.clear();
        asked = null;
        address = null;
        unanswered = 0;
        slowestNanos = 0;
    }

    private static InetSocketAddress addressOf(String http) {
        try {
            URI node = URI.create(http);
            InetSocketAddress found = new InetSocketAddress(node.getHost(), node.getPort());
            return found.isUnresolved() ? null : found;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Reads the answers. An answer to a later probe also proves the host alive at the earlier ones. */
    private void readReplies() {
        long now = ticker.nanos();
        int left = open.size();
        for (int i = 0; i < left; i++) {
            Question question = open.remove();
            Reply reply = replyTo(question.connection());
            boolean isOver = reply != Reply.NONE_YET || now - question.askedNanos() > GIVEN_UP_AFTER.toNanos();
            if (isOver) {
                drop(question.connection());
            } else {
                open.add(question);
            }
            if (reply == Reply.ANSWERED) {
                slowestNanos = Math.max(slowestNanos - slowestNanos / 100, now - question.askedNanos());
                answered(question.askedNanos());
            } else if (reply == Reply.NOT_ASKED) {
                unanswered = 0;
            }
        }
    }

    private void answered(long askedNanos) {
        unanswered = 0;
        for (Question question : open) {
            if (question.askedNanos() > askedNanos) {
                countUnanswered(question.askedNanos());
            }
        }
    }

    private void countUnanswered(long askedNanos) {
        if (unanswered++ == 0) {
            firstUnansweredNanos = askedNanos;
        }
    }

    private void ask() {
        long now = ticker.nanos();
        SocketChannel connection = null;
        try {
            connection = SocketChannel.open();
            connection.configureBlocking(false);
            // Dropped with a reset: otherwise the kernel would remember each of ten connections a second for a minute.
            connection.setOption(StandardSocketOptions.SO_LINGER, 0);
            if (connection.connect(address)) {
                drop(connection);
                unanswered = 0;
                return;
            }
            open.add(new Question(connection, now));
            countUnanswered(now);
        } catch (IOException e) {
            drop(connection);
            count(replyOf(e), now);
        }
    }

    private void count(Reply reply, long askedNanos) {
        if (reply == Reply.NO_WAY) {
            countUnanswered(askedNanos);
        } else {
            unanswered = 0;
        }
    }

    private static Reply replyTo(SocketChannel connection) {
        try {
            return connection.finishConnect() ? Reply.ANSWERED : Reply.NONE_YET;
        } catch (IOException e) {
            return replyOf(e);
        }
    }

    private static Reply replyOf(IOException failure) {
        if (failure instanceof ConnectException) {
            return Reply.ANSWERED;
        }
        return failure instanceof NoRouteToHostException ? Reply.NO_WAY : Reply.NOT_ASKED;
    }

    private static void drop(SocketChannel connection) {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (IOException e) {
            // The connection is no longer needed.
        }
    }
}
