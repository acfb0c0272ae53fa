package io.twinbell.persistence.database;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Splits the URL of a database into the parts for the driver. The driver prefers a parameter of the URL to what a
 * program sets, and quotes the URL in its errors. So passwords are passed separately, and parameters that the node sets
 * itself are left out.
 */
public final class DatabaseUrl {
    private static final String MASK = "******";
    private static final Pattern PARAMETER = Pattern.compile("([?&;]([a-zA-Z0-9_.%-]+)=)[^&\\s\"']*");
    private static final Pattern SECRET_NAME = Pattern.compile("(?i).*(?:password|passwd|secret|token).*");
    private static final Pattern USER_INFO = Pattern.compile("(//[^/?\\s:@]*:)[^?\\s]*@");

    private static final Pattern HOSTS = Pattern.compile("(jdbc:postgresql://(?:.*@)?)([^/?@]+)");
    private static final String TARGET = "targetServerType";
    private static final Set<String> AMONG_HOSTS = Set.of(TARGET, "loadBalanceHosts", "hostRecheckSeconds");

    private static final Pattern LOOPBACK = Pattern.compile("(?i)(localhost|127(\\.\\d{1,3}){3}|\\[::1]|::1)(:\\d+)?");
    private static final String OPTIONS = "options";
    private static final Set<String> PASSWORDS = Set.of("password", "sslpassword");

    /** Timeouts, identity and protocol of a session: the node sets these itself, or needs their defaults. */
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

    /** Returns an invalid encoding unchanged: the driver reports it. */
    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value;
        }
    }

    /** The URL for the driver: without passwords, and without parameters that the node sets itself. */
    String forDriver() {
        return kept.isEmpty() ? address : address + "?" + String.join("&", kept);
    }

    /** The servers in the URL, each with its port if it has one; a single empty name if the URL names none. */
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

    /** The server type that a session may connect to; null if the URL does not specify it. */
    public String targetServerType() {
        return value(TARGET);
    }

    /** How a session is encrypted, for example {@code verify-full}; null if the URL does not specify it. */
    public String sslMode() {
        return value("sslmode");
    }

    private String value(String name) {
        return kept.stream()
                .filter(parameter -> parameter.startsWith(name + "="))
                .map(parameter -> decoded(parameter.substring(name.length() + 1)))
                .reduce((first, last) -> last)
                .orElse(null);
    }

    /** The servers of the URL that are not on this machine. */
    public List<String> remoteHosts() {
        return hosts().stream()
                .filter(host -> !host.isEmpty() && !LOOPBACK.matcher(host).matches())
                .toList();
    }

    /** The role in the URL; null if there is none. */
    public String user() {
        return parameters.get("user");
    }

    /** The {@code options} of the URL, followed by the node's own, which take precedence. */
    String options(String ofNode) {
        return parameters.containsKey(OPTIONS) ? parameters.get(OPTIONS) + " " + ofNode : ofNode;
    }

    /** Adds the passwords, which must not be part of the driver's URL. */
    void addPasswords(Properties properties) {
        for (String name : PASSWORDS) {
            if (parameters.containsKey(name)) {
                properties.setProperty(name, parameters.get(name));
            }
        }
    }

    /** Masks the passwords of all URLs in a text. */
    public static String masked(String text) {
        return text == null
                ? null
                : USER_INFO
                        .matcher(PARAMETER.matcher(text).replaceAll(DatabaseUrl::maskedParameter))
                        .replaceAll("$1" + MASK + "@");
    }

    /** The name may be encoded too. */
    private static String maskedParameter(MatchResult parameter) {
        boolean isSecret = SECRET_NAME.matcher(decoded(parameter.group(2))).matches();
        return Matcher.quoteReplacement(isSecret ? parameter.group(1) + MASK : parameter.group());
    }
}
