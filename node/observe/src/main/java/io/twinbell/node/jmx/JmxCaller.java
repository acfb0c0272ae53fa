package io.twinbell.node.jmx;

import java.lang.reflect.InvocationTargetException;
import java.rmi.server.RemoteServer;
import java.rmi.server.ServerNotActiveException;
import java.security.AccessController;
import javax.management.remote.JMXPrincipal;
import javax.security.auth.Subject;

/**
 * The client whose operation runs on the current thread.
 *
 * @param name for logs and the audit: the name that the client logged in with; without passwords, the id of the local
 *     user who opened the connection
 * @param address of the client; null for code in this process
 */
public record JmxCaller(String name, String address) {

    /** The caller of the operation that runs now. */
    public static JmxCaller current() {
        return of(userName());
    }

    /** The client that calls now, under the name that it claims; null for none. */
    static JmxCaller of(String user) {
        CallOrigin origin = origin();
        String local = origin == null || origin.localUser().isEmpty()
                ? "JMX client"
                : nameOf(origin.localUser().getAsLong());
        return new JmxCaller(
                user == null ? local : "JMX user " + user,
                origin == null ? null : origin.address().getHostAddress());
    }

    /** The name of a user of this machine in logs and the audit. */
    static String nameOf(long localUser) {
        return "user id " + localUser;
    }

    private static CallOrigin origin() {
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
