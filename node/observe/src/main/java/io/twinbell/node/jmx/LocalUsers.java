package io.twinbell.node.jmx;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Users of this machine who may connect to JMX, beside the node's own and root: the config key {@code jmx.localUsers}.
 *
 * @param names user names or numeric ids; {@code *} means every user
 */
public record LocalUsers(List<String> names) {
    /** No user besides the node's own and root. */
    public static final LocalUsers NONE = new LocalUsers(List.of());

    private static final String EVERYBODY = "*";
    private static final Pattern ID = Pattern.compile("\\d{1,10}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.@\\\\-]{0,254}\\$?");
    private static final int ANSWER_LIMIT = 1000;

    public LocalUsers {
        names = List.copyOf(names);
    }

    /** Whether every user of this machine may connect. */
    public boolean isEverybody() {
        return names.contains(EVERYBODY);
    }

    /** What is wrong with the names, each naming the key. A name that passes may still not exist on this machine. */
    public List<String> problems() {
        return names.stream()
                .filter(name -> !name.equals(EVERYBODY)
                        && !ID.matcher(name).matches()
                        && !NAME.matcher(name).matches())
                .map(name -> "jmx.localUsers: \"" + name + "\" is neither a user name nor a user id nor \"*\"")
                .toList();
    }

    /**
     * Resolves the users to numeric ids. The system command {@code id} knows the users of every configured directory
     * service.
     */
    Set<Long> ids() throws IOException {
        Set<Long> ids = new HashSet<>();
        for (String name : names) {
            ids.add(Long.parseLong(ID.matcher(name).matches() ? name : askForId(name)));
        }
        return ids;
    }

    private static String askForId(String name) throws IOException {
        Process process =
                new ProcessBuilder("id", "-u", name).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readNBytes(ANSWER_LIMIT), StandardCharsets.UTF_8).strip();
        try {
            if (process.waitFor() != 0 || !ID.matcher(said).matches()) {
                throw new IOException("jmx.localUsers: user \"" + name + "\" does not exist on this machine: " + said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("jmx.localUsers: interrupted while looking up the id of " + name, e);
        }
        return said;
    }
}
