package io.twinbell.node.api.server;

import io.twinbell.node.access.ClientNetwork;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
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

    private final int mostOfClient;
    private final LongAdder refused;
    private final ConcurrentMap<String, Integer> pending = new ConcurrentHashMap<>();

    /**
     * @param mostOfClient how many requests of a client may run or wait; more are refused
     * @param refused counts these
     */
    public FairAdmission(int mostOfClient, LongAdder refused) {
        this.refused = refused;
        this.mostOfClient = mostOfClient;
    }

    @Override
    public boolean onConditionsMet(Request request, Response response, Callback callback) throws Exception {
        String client = client(request);
        if (pending.merge(client, 1, Integer::sum) > mostOfClient) {
            ended(client);
            refused.increment();
            new EarlyRefusal(
                            TOO_MANY_REQUESTS,
                            "this client already has " + mostOfClient
                                    + " unfinished requests (http.limits.pendingOfClient)")
                    .write(request, response, callback);
            return true;
        }
        Request.addCompletionListener(request, failure -> ended(client));
        return super.onConditionsMet(request, response, callback);
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
