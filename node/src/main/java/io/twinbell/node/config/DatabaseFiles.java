package io.twinbell.node.config;

import io.twinbell.node.settings.SmallFile;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks the TLS files in a database URL and makes their paths absolute: the driver would resolve relative paths
 * against the working directory.
 */
final class DatabaseFiles {
    private static final Pattern FILE = Pattern.compile("([?&](?:sslrootcert|sslcert|sslkey)=)([^&]+)");

    /** In the other modes the driver continues without TLS if the server has none, and reads none of the files. */
    private static final Pattern NEEDS_TLS = Pattern.compile(
            "[?&](?:sslmode=(?:require|verify-ca|verify-full)|ssl=true)(?:&|$)", Pattern.CASE_INSENSITIVE);

    private DatabaseFiles() {}

    /** Returns the problems with the files in a URL with absolute paths. */
    static List<String> problems(String url) {
        List<String> problems = new ArrayList<>();
        Matcher file = FILE.matcher(NEEDS_TLS.matcher(url).find() ? url : "");
        while (file.find()) {
            String path = URLDecoder.decode(file.group(2), StandardCharsets.UTF_8);
            try {
                SmallFile.check(Path.of(path));
            } catch (IOException e) {
                problems.add(ConfigKeys.DATABASE_URL + ": " + file.group(1).replaceAll("[?&=]", "") + " names " + path
                        + ", which can't be read: " + e.getMessage());
            }
        }
        return problems;
    }

    /** Returns the URL with absolute paths. */
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
