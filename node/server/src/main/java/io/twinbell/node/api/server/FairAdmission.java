package io.twinbell.node.api.server;

import io.twinbell.node.access.ClientNetwork;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.QoSHandler;
import org.eclipse.jetty.util.Callback;

/**
 * Bounds the concurrent requests. If more arrive, they wait, and requests of clients with few unfinished requests go first.
 * So a client that sends many at once delays itself. A client is a principal that was recognized, or else an address: a token
 * that nobody has checked says nothing.
 */
public final class FairAdmission extends QoSHandler {
    /** The attribute of a request with the name of its principal. */
    public static final String PRINCIPAL = FairAdmission.class.getName() + ".principal";

    private static final int FEW = 4;
    private static final int TOO_MANY_REQUESTS = 429;

    private static final int UNAVAILABLE = 503;

    private final int mostOfClient;
    private final BooleanSupplier hasRoom;
    private final LongAdder refused;
    private final ConcurrentMap<String, Integer> pending = new ConcurrentHashMap<>();

    /**
     * @param mostOfClient how many requests of a client may run or wait; more are refused
     * @param hasRoom whether there is memory for one more answer
     * @param refused counts the requests beyond {@code mostOfClient}
     */
    public FairAdmission(int mostOfClient, BooleanSupplier hasRoom, LongAdder refused) {
        this.refused = refused;
        this.hasRoom = hasRoom;
        this.mostOfClient = mostOfClient;
    }

    /**
     * A request that has its place until its route has completed the answer. The super class gives a place back when the
     * exchange is over, and a peer that reads slowly, or whose refusal is delayed, would keep it.
     */
    private final class Admitted extends Request.Wrapper {
        private final String client;
        private final AtomicBoolean isCompleted = new AtomicBoolean();
        private HttpStream place;

        Admitted(Request request, String client) {
            super(request);
            this.client = client;
        }

        /** The first wrapper is that of the super class, which gives the place back. */
        @Override
        public void addHttpStreamWrapper(Function<HttpStream, HttpStream> wrapper) {
            if (place == null) {
                place = wrapper.apply(new NoExchange());
            } else {
                super.addHttpStreamWrapper(wrapper);
            }
        }

        void completed() {
            if (isCompleted.compareAndSet(false, true)) {
                ended(client);
                if (place != null) {
                    place.succeeded();
                }
            }
        }
    }

    /** Stands for the exchange, which goes on when the place is given back. */
    private static final class NoExchange extends HttpStream.Wrapper {
        NoExchange() {
            super(null);
        }

        @Override
        public void succeeded() {}
    }

    @Override
    public boolean onConditionsMet(Request request, Response response, Callback callback) throws Exception {
        String client = client(request);
        if (pending.merge(client, 1, Integer::sum) > mostOfClient) {
            ended(client);
            refused.increment();
            new EarlyRefusal(TOO_MANY_REQUESTS, "this client already has " + mostOfClient + " unfinished requests")
                    .write(request, response, callback);
            return true;
        }
        Admitted admitted = new Admitted(request, client);
        boolean isHandled = false;
        try {
            isHandled = super.onConditionsMet(admitted, response, Callback.from(admitted::completed, callback));
        } finally {
            if (!isHandled) {
                // The server completes the request without this callback.
                admitted.completed();
            }
        }
        return isHandled;
    }

    @Override
    protected boolean nextHandler(Request request, Response response, Callback callback) throws Exception {
        if (request instanceof Admitted && !hasRoom.getAsBoolean()) {
            new EarlyRefusal(
                            UNAVAILABLE,
                            "answers that their clients have not read use all the memory for answers; send the request"
                                    + " again")
                    .write(request, response, callback);
            return true;
        }
        return super.nextHandler(request, response, callback);
    }

    private void ended(String client) {
        pending.computeIfPresent(client, (key, count) -> count == 1 ? null : count - 1);
    }

    /** The greater number goes first. */
    @Override
    protected int getPriority(Request request) {
        return pending.getOrDefault(client(request), 0) <= FEW ? 1 : 0;
    }

    private static String client(Request request) {
        return request.getAttribute(PRINCIPAL) instanceof String name
                ? name
                : ClientNetwork.of(Request.getRemoteAddr(request));
    }
}
