package io.twinbell.persistence.database;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The URL of a database, taken apart: the driver lets a parameter of the URL win over what a program sets, and quotes the
 * URL in its errors. So passwords are handed over beside it, and parameters that the node decides on are left out.
 */
public final class DatabaseUrl {
    private static final String MASK = "******";
    private static final Pattern SECRET_PARAMETER =
            Pattern.compile("(?i)([?&;][a-z_.-]*(?:password|passwd|secret|token)[a-z_.-]*=)[^&\\s\"']*");
    private static final Pattern USER_INFO = Pattern.compile("(//[^/?\\s:@]*:)[^?\\s]*@");

    private static final Pattern HOSTS = Pattern.compile("(jdbc:postgresql://(?:.*@)?)([^/?@]+)");
    private static final String TARGET = "targetServerType";
    private static final Set<String> AMONG_HOSTS = Set.of(TARGET, "loadBalanceHosts", "hostRecheckSeconds");

    private static final String OPTIONS = "options";
    private static final Set<String> PASSWORDS = Set.of("password", "sslpassword");

    /** How long to wait for an answer, whom the session is of and how it speaks: the node sets it, or needs the default. */
    private static final Set<String> OF_NODE = Set.of(
            "ApplicationName",
            "connectTimeout",
            "loginTimeout",
            "socketTimeout",
            "tcpKeepAlive",
            "currentSchema",
            "readOnly",
            "readOnlyMode",
            "preferQueryMode",
            "autosave",
            "cleanupSavepoints",
            "stringtype",
            "replication",
            "defaultRowFetchSize",
            "user");

    private final String address;
    private final Map<String, String> parameters = new LinkedHashMap<>();
    private final List<String> kept = new ArrayList<>();

    public DatabaseUrl(String url) {
        int query = url.indexOf('?');
        address = query < 0 ? url : url.substring(0, query);
        for (String parameter :
                query < 0 ? new String[0] : url.substring(query + 1).split("&")) {
            int equals = parameter.indexOf('=');
            String name = equals < 0 ? parameter : parameter.substring(0, equals);
            if (PASSWORDS.contains(name) || OF_NODE.contains(name) || name.equals(OPTIONS)) {
                parameters.put(name, equals < 0 ? "" : decoded(parameter.substring(equals + 1)));
            } else if (!parameter.isEmpty()) {
                kept.add(parameter);
            }
        }
    }

    /** As it is, if it is no proper encoding: the driver says so then. */
    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value;
        }
    }

    /** For the driver: without passwords, and without what the node decides on. */
    String forDriver() {
        return kept.isEmpty() ? address : address + "?" + String.join("&", kept);
    }

    /** The servers that the URL names, each with its port if it has one; one empty name if it names none. */
    public List<String> hosts() {
        Matcher named = HOSTS.matcher(address);
        return named.lookingAt() ? List.of(named.group(2).split(",")) : List.of("");
    }

    /** The URL of one of {@link #hosts()}, whatever role that server has. */
    public String ofHost(String host) {
        Matcher named = HOSTS.matcher(address);
        String one = named.lookingAt() ? named.group(1) + host + address.substring(named.end()) : address;
        List<String> left = kept.stream()
                .filter(parameter -> AMONG_HOSTS.stream().noneMatch(name -> parameter.startsWith(name + "=")))
                .toList();
        return left.isEmpty() ? one : one + "?" + String.join("&", left);
    }

    /** Which of several servers a session may lead to; null if the URL does not say. */
    public String targetServerType() {
        return kept.stream()
                .filter(parameter -> parameter.startsWith(TARGET + "="))
                .map(parameter -> decoded(parameter.substring(TARGET.length() + 1)))
                .reduce((first, last) -> last)
                .orElse(null);
    }

    /** The role that the URL names; null if it names none. */
    public String user() {
        return parameters.get("user");
    }

    /** The {@code options} of the URL and then the node's own, which win. */
    String options(String ofNode) {
        return parameters.containsKey(OPTIONS) ? parameters.get(OPTIONS) + " " + ofNode : ofNode;
    }

    /** What must not stand in the URL that is handed to the driver. */
    void addPasswords(Properties properties) {
        for (String name : PASSWORDS) {
            if (parameters.containsKey(name)) {
                properties.setProperty(name, parameters.get(name));
            }
        }
    }

    /** A text with the passwords of all URLs in it masked. */
    public static String masked(String text) {
        return text == null
                ? null
                : USER_INFO
                        .matcher(SECRET_PARAMETER.matcher(text).replaceAll("$1" + MASK))
                        .replaceAll("$1" + MASK + "@");
    }
}
