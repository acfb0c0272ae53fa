package io.twinbell.node.template;

import java.net.IDN;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A validated http or https URL in ASCII, as it is sent. {@link java.net.URI} is not used, because it rejects hosts
 * with an underscore, which Compose and Swarm create.
 *
 * @param scheme in lower case
 * @param host in lower case; the ASCII form (IDNA) of a name in other scripts; an IPv6 address without brackets
 * @param port -1 for the scheme's default
 * @param target path and query, percent-encoded
 */
public record HttpUrl(String scheme, String host, int port, String target) {
    private static final String NOT_ABSOLUTE = "must be an absolute http or https URL";
    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):(.*)", Pattern.DOTALL);
    private static final Pattern PARTS = Pattern.compile("//([^/?#]*)([^#]*)(#.*)?", Pattern.DOTALL);
    private static final Pattern AUTHORITY = Pattern.compile("(\\[[^\\]]*\\]|[^:]*)(:(.*))?", Pattern.DOTALL);
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,63}(\\.[A-Za-z0-9_-]{1,63})*");
    private static final String NUMBER = "(0[xX][0-9A-Fa-f]*|[0-9]+)";
    private static final Pattern NUMBERS = Pattern.compile(NUMBER + "(\\." + NUMBER + ")*");
    private static final Pattern DECIMAL = Pattern.compile("0|[1-9][0-9]{0,9}");
    private static final Pattern PORT = Pattern.compile("0*([1-9][0-9]{0,4})");
    /** IDNA 2003, which the JDK implements, and IDNA 2008 map these characters to different hosts. */
    private static final String AMBIGUOUS = "\u00df\u03c2\u200c\u200d";

    private static final int MAX_HOST = 253;
    private static final int MAX_PORT = 65_535;
    private static final String ALLOWED = "-._~!$&'()*+,;=:@/?[]";

    /**
     * Parses a URL. Non-ASCII characters are percent-encoded as UTF-8 (RFC 3987); ASCII characters that a URL must not
     * contain are refused.
     *
     * @throws TemplateException naming the error
     */
    public static HttpUrl parse(String text) {
        Matcher scheme = SCHEME.matcher(text);
        if (!scheme.matches()) {
            throw new TemplateException(NOT_ABSOLUTE);
        }
        String name = scheme.group(1).toLowerCase(Locale.ROOT);
        if (!name.equals("http") && !name.equals("https")) {
            throw new TemplateException(NOT_ABSOLUTE + ", not " + name + ":");
        }
        Matcher parts = PARTS.matcher(scheme.group(2));
        if (!parts.matches()) {
            throw new TemplateException("has no host: write " + name + "://HOST/PATH");
        }
        if (parts.group(3) != null) {
            throw new TemplateException("must have no fragment: \"#\" is never sent");
        }
        String authority = parts.group(1);
        if (authority.indexOf('@') >= 0) {
            throw new TemplateException("must not contain a user name or password: use an Authorization header");
        }
        Matcher ends = AUTHORITY.matcher(authority);
        if (!ends.matches()) {
            throw new TemplateException("is not a URL: \"" + authority + "\" is not a host and port");
        }
        String host = host(ends.group(1), name);
        return new HttpUrl(name, host, port(ends.group(3)), target(parts.group(2)));
    }

    /**
     * Resolves the {@code Location} of an answer. Invalid characters are encoded, as browsers do; non-ASCII bytes are
     * sent back unchanged.
     *
     * @param location one character per byte
     * @throws TemplateException if the result is not an http or https URL
     */
    public HttpUrl resolve(String location) {
        String reference = lenient(location.strip());
        int fragment = reference.indexOf('#');
        String bare = fragment < 0 ? reference : reference.substring(0, fragment);
        if (SCHEME.matcher(bare).matches()) {
            return parse(bare);
        }
        if (bare.startsWith("//")) {
            return parse(scheme + ":" + bare);
        }
        String path = target.replaceAll("\\?.*", "");
        if (bare.startsWith("/")) {
            return new HttpUrl(scheme, host, port, target(withoutDots(bare)));
        }
        if (bare.isEmpty() || bare.startsWith("?")) {
            return new HttpUrl(scheme, host, port, bare.isEmpty() ? target : target(path + bare));
        }
        return new HttpUrl(
                scheme, host, port, target(withoutDots(path.substring(0, path.lastIndexOf('/') + 1) + bare)));
    }

    /** Removes dot segments by RFC 3986, section 5.2.4. */
    private static String withoutDots(String target) {
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        StringBuilder kept = new StringBuilder();
        String[] segments = path.substring(1).split("/", -1);
        for (int i = 0; i < segments.length; i++) {
            boolean isLast = i == segments.length - 1;
            if (segments[i].equals("..")) {
                kept.setLength(Math.max(0, kept.lastIndexOf("/")));
            }
            if (!segments[i].equals("..") && !segments[i].equals(".")) {
                kept.append('/').append(segments[i]);
            } else if (isLast) {
                kept.append('/');
            }
        }
        return kept + (query < 0 ? "" : target.substring(query));
    }

    private static String lenient(String location) {
        StringBuilder encoded = new StringBuilder();
        for (byte octet : location.getBytes(StandardCharsets.ISO_8859_1)) {
            char c = (char) (octet & 0xff);
            if (c < 128 && isAllowed(c) || c == '%' || c == '#') {
                encoded.append(c);
            } else {
                percent(octet, encoded);
            }
        }
        return encoded.toString().replaceAll("%(?![0-9A-Fa-f]{2})", "%25");
    }

    private static String host(String text, String scheme) {
        if (text.isEmpty()) {
            throw new TemplateException("has no host: write " + scheme + "://HOST/PATH");
        }
        if (text.startsWith("[")) {
            return ipv6(text);
        }
        String name = text.chars().allMatch(c -> c < 128) ? text : ascii(text);
        String withoutDot = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        if (withoutDot.length() > MAX_HOST || !NAME.matcher(withoutDot).matches()) {
            throw new TemplateException(
                    "\"" + text + "\" is not a host: a name has letters, digits, \"-\", \"_\" and dots");
        }
        if (NUMBERS.matcher(withoutDot).matches() && !isIpv4(withoutDot)) {
            throw new TemplateException("\"" + text
                    + "\" is not an IPv4 address: write four decimal numbers without leading zeros, such as 127.0.0.1");
        }
        // Certificates contain host names without the dot, and TLS clients must not send it.
        return (scheme.equals("https") ? withoutDot : name).toLowerCase(Locale.ROOT);
    }

    /**
     * Whether numbers are an address that every program reads alike. The JDK refuses hexadecimal numbers, and only when
     * the host is called. It reads numbers with a leading zero as decimal, but a proxy as octal, which would evade the
     * check of targets. As everywhere, the last number may stand for several bytes.
     */
    private static boolean isIpv4(String numbers) {
        String[] parts = numbers.split("\\.");
        if (parts.length > 4) {
            return false;
        }
        for (int i = 0; i < parts.length; i++) {
            int bytes = i == parts.length - 1 ? 4 - i : 1;
            if (!DECIMAL.matcher(parts[i]).matches() || Long.parseLong(parts[i]) >= 1L << 8 * bytes) {
                return false;
            }
        }
        return true;
    }

    private static String ipv6(String text) {
        String address = text.endsWith("]") ? text.substring(1, text.length() - 1) : "";
        if (address.indexOf('%') >= 0) {
            throw new TemplateException("\"" + text + "\" has a zone, which is valid on one machine only");
        }
        if (!IPV6.matcher(address).matches() || !isAddress(address)) {
            throw new TemplateException("\"" + text + "\" is not an IPv6 address");
        }
        return address.toLowerCase(Locale.ROOT);
    }

    /** Call it only for text that looks like an address: a name would be looked up. */
    private static boolean isAddress(String text) {
        try {
            InetAddress.getByName(text);
            return true;
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static String ascii(String text) {
        if (text.chars().anyMatch(c -> AMBIGUOUS.indexOf(c) >= 0)) {
            throw new TemplateException("\"" + text
                    + "\" has a character that standards convert differently: write the host's ASCII form, xn--…");
        }
        try {
            return IDN.toASCII(text);
        } catch (IllegalArgumentException e) {
            throw new TemplateException(
                    "\"" + text + "\" cannot be converted to ASCII: write the host's ASCII form, xn--…");
        }
    }

    private static int port(String text) {
        if (text == null || text.isEmpty()) {
            return -1;
        }
        Matcher digits = PORT.matcher(text);
        int port = digits.matches() ? Integer.parseInt(digits.group(1)) : 0;
        if (port < 1 || port > MAX_PORT) {
            throw new TemplateException("has the port " + text + "; ports are numbers from 1 to " + MAX_PORT);
        }
        return port;
    }

    private static String target(String text) {
        StringBuilder encoded = new StringBuilder(text.length() + 1);
        if (!text.startsWith("/")) {
            encoded.append('/');
        }
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '%') {
                if (!isEscape(text, at)) {
                    throw new TemplateException(
                            "has a \"%\" without two hexadecimal digits: write %25 for the character");
                }
                encoded.append(c);
            } else if (c >= 128) {
                int point = text.codePointAt(at);
                at += Character.charCount(point) - 1;
                for (byte octet : Character.toString(point).getBytes(StandardCharsets.UTF_8)) {
                    percent(octet, encoded);
                }
            } else if (isAllowed(c)) {
                encoded.append(c);
            } else {
                throw new TemplateException("has the character " + named(c) + ", which is not allowed in a URL: write %"
                        + HexFormat.of().withUpperCase().toHexDigits((byte) c));
            }
        }
        return encoded.toString();
    }

    private static String named(char c) {
        return c == ' ' ? "blank" : c < ' ' || c == 127 ? "U+" + HexFormat.of().toHexDigits(c) : "\"" + c + "\"";
    }

    private static boolean isAllowed(char c) {
        return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || ALLOWED.indexOf(c) >= 0;
    }

    private static boolean isEscape(String text, int at) {
        return at + 2 < text.length()
                && HexFormat.isHexDigit(text.charAt(at + 1))
                && HexFormat.isHexDigit(text.charAt(at + 2));
    }

    private static void percent(byte octet, StringBuilder to) {
        to.append('%').append(HexFormat.of().withUpperCase().toHexDigits(octet));
    }

    /**
     * Returns the URL of the same receiver with this path and query.
     *
     * @throws TemplateException if the text contains characters that a URL must not contain
     */
    HttpUrl withTarget(String text) {
        return new HttpUrl(scheme, host, port, target(text));
    }

    /** Returns the port to connect to. */
    public int realPort() {
        return port >= 0 ? port : scheme.equals("https") ? 443 : 80;
    }

    /** Whether both URLs have the same origin, and so reach the same receiver. */
    public boolean hasOriginOf(HttpUrl other) {
        return scheme.equals(other.scheme) && host.equals(other.host) && realPort() == other.realPort();
    }

    @Override
    public String toString() {
        String written = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return scheme + "://" + written + (port < 0 ? "" : ":" + port) + target;
    }
}
