package io.twinbell.node.config;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files that a database URL names for TLS: the driver would look for relative ones where the node was started. */
final class DatabaseFiles {
    private static final Pattern FILE = Pattern.compile("([?&](?:sslrootcert|sslcert|sslkey)=)([^&]+)");

    private DatabaseFiles() {}

    /** The URL with absolute paths. */
    static String absolute(String url, Path base) {
        Matcher file = FILE.matcher(url);
        return file.replaceAll(found -> {
            String path = base.resolve(URLDecoder.decode(found.group(2), StandardCharsets.UTF_8))
                    .toString();
            String encoded = URLEncoder.encode(path, StandardCharsets.UTF_8).replace("%2F", "/");
            return Matcher.quoteReplacement(found.group(1) + encoded);
        });
    }
}
