package io.twinbell.ops.jmx;

import java.lang.reflect.InvocationTargetException;
import java.rmi.server.RemoteServer;
import java.rmi.server.ServerNotActiveException;
import java.security.AccessController;
import javax.management.remote.JMXPrincipal;
import javax.security.auth.Subject;

/**
 * The client whose operation runs on the current thread.
 *
 * @param user the name that the client logged in with; null without passwords
 * @param address of the client; null for code in this process
 */
public record JmxCaller(String user, String address) {

    /** The caller of the operation that runs now. */
    public static JmxCaller current() {
        return new JmxCaller(userName(), clientAddress());
    }

    /** The name for logs and the audit. */
    public String name() {
        return user == null ? "JMX client" : "JMX user " + user;
    }

    private static String clientAddress() {
        try {
            // Called only because it throws if no client calls. Its result is 0.0.0.0, because the sockets hide the
            // address from RMI.
            RemoteServer.getClientHost();
            return CallOrigin.ofThisThread();
        } catch (ServerNotActiveException local) {
            return null;
        }
    }

    private static String userName() {
        Subject subject = subject();
        return subject == null
                ? null
                : subject.getPrincipals(JMXPrincipal.class).stream()
                        .findFirst()
                        .map(JMXPrincipal::getName)
                        .orElse(null);
    }

    /** Java 18 has {@code Subject.current()}; since 23 the older method fails. */
    private static Subject subject() {
        try {
            return (Subject) Subject.class.getMethod("current").invoke(null);
        } catch (NoSuchMethodException before18) {
            return subjectBefore18();
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("cannot read the caller's subject", e);
        }
    }

    @SuppressWarnings("removal")
    private static Subject subjectBefore18() {
        return Subject.getSubject(AccessController.getContext());
    }
}
