package io.twinbell.node.api.server;

import io.twinbell.node.tls.LiveTls;
import io.twinbell.node.tls.TlsFiles;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS settings of the API's port. It looks for new files every two seconds; new connections use them at once, and
 * open connections go on with the old ones.
 */
public final class TlsReload extends AbstractLifeCycle {
    private static final Logger LOG = LoggerFactory.getLogger(TlsReload.class);
    private static final long LOOK_MILLIS = 2000;

    private final LiveTls tls;
    private final Scheduler scheduler;
    private final SslContextFactory.Server factory = new SslContextFactory.Server();
    private volatile Scheduler.Task next = () -> false;
    private volatile boolean isLooking;

    public TlsReload(LiveTls tls, Scheduler scheduler) {
        this.tls = tls;
        this.scheduler = scheduler;
        TlsFiles.Clients clients = tls.files().clients();
        factory.setSslContext(tls.server());
        factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        factory.setNeedClientAuth(clients == TlsFiles.Clients.REQUIRED);
        factory.setWantClientAuth(clients == TlsFiles.Clients.OPTIONAL);
        factory.setRenegotiationAllowed(false);
    }

    public SslContextFactory.Server factory() {
        return factory;
    }

    @Override
    protected void doStart() {
        isLooking = true;
        lookLater();
    }

    @Override
    protected void doStop() {
        isLooking = false;
        next.cancel();
    }

    private void lookLater() {
        next = scheduler.schedule(
                () -> {
                    if (isLooking) {
                        try {
                            step();
                        } finally {
                            lookLater();
                        }
                    }
                },
                LOOK_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /** Looks at the files once. */
    public void step() {
        switch (tls.refresh()) {
            case RENEWED -> renew();
            case UNUSABLE ->
                LOG.warn(
                        "the API goes on with its previous certificate, because the new files cannot be used: {}",
                        tls.problem().orElse(""));
            case NONE -> {}
        }
    }

    private void renew() {
        try {
            factory.reload(changed -> changed.setSslContext(tls.server()));
            LOG.info(
                    "the API uses a new certificate, which ends at {}",
                    tls.material().end().orElseThrow());
        } catch (Exception e) {
            LOG.warn("the API goes on with its previous certificate", e);
        }
    }
}
