package io.twinbell.node.config;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads the URLs under which receivers reach the pair. The default is the node's own address. */
final class CallbackUrlsReader {
    private static final Pattern BASE = Pattern.compile(
            "https?://[A-Za-z0-9._-]+(:[0-9]{1,5})?/?|" + "https?://\\[[0-9a-fA-F:.]+](:[0-9]{1,5})?/?");

    private CallbackUrlsReader() {}

    static List<String> read(Settings settings) {
        String given = settings.optional(ConfigKeys.HTTP_CALLBACK_URLS);
        if (given == null) {
            return List.of(ownUrl(settings));
        }
        List<String> urls = new ArrayList<>();
        for (String entry : given.split(",", -1)) {
            String url = entry.strip();
            if (BASE.matcher(url).matches()) {
                urls.add(url.endsWith("/") ? url.substring(0, url.length() - 1) : url);
            } else {
                settings.error(ConfigKeys.HTTP_CALLBACK_URLS + ": \"" + url
                        + "\" is not a URL without a path, such as http://node-1.example.com:8081");
            }
        }
        return List.copyOf(urls);
    }

    private static String ownUrl(Settings settings) {
        String host = settings.optional(ConfigKeys.HTTP_HOST);
        String scheme = settings.optional(ConfigKeys.TLS_CERTIFICATE) == null ? "http" : "https";
        return scheme + "://" + NodeConfig.Endpoint.address(host, settings.optional(ConfigKeys.HTTP_PORT));
    }
}
