package io.twinbell.node.config;

import io.twinbell.node.config.NodeConfig.Database;
import io.twinbell.node.settings.Login;
import io.twinbell.node.settings.SmallFile;
import io.twinbell.persistence.database.DatabaseUrl;
import io.twinbell.persistence.database.SchemaName;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the settings of the database: its address, its logins and its TLS files. */
final class DatabaseReader {
    private static final Pattern JDBC_URL = Pattern.compile("jdbc:postgresql:\\S+");
    /** The driver would take a login before the host for a part of the host's name, and show it in its errors. */
    private static final Pattern LOGIN_BEFORE_HOST = Pattern.compile("jdbc:postgresql:(//)?[^/?]*@.*");

    private static final Pattern USER = Pattern.compile(".{1,63}");

    private static final Pattern FILE = Pattern.compile("([?&](?:sslrootcert|sslcert|sslkey)=)([^&]+)");

    /** In the other modes the driver continues without TLS if the server has none, and reads none of the files. */
    private static final Pattern NEEDS_TLS = Pattern.compile(
            "[?&](?:sslmode=(?:require|verify-ca|verify-full)|ssl=true)(?:&|$)", Pattern.CASE_INSENSITIVE);

    private DatabaseReader() {}

    static Database read(Settings settings) {
        String user = user(settings);
        String owner = settings.optional(ConfigKeys.DATABASE_OWNER);
        String ownerPassword = settings.optional(ConfigKeys.DATABASE_OWNER_PASSWORD);
        if (owner == null && ownerPassword != null) {
            settings.error(ConfigKeys.DATABASE_OWNER_PASSWORD + ": needs " + ConfigKeys.DATABASE_OWNER
                    + ", the role that it belongs to");
        } else if (owner != null && owner.equals(user)) {
            settings.error(ConfigKeys.DATABASE_OWNER + ": must not be the node's own role, \"" + owner
                    + "\"; remove it if that role owns the schema");
        }
        return new Database(
                url(settings),
                user,
                settings.optional(ConfigKeys.DATABASE_PASSWORD),
                schema(settings),
                owner == null ? null : new Login(owner, ownerPassword));
    }

    private static String url(Settings settings) {
        String url = settings.text(ConfigKeys.DATABASE_URL, JDBC_URL, "a URL such as jdbc:postgresql://host:5432/name");
        if (url == null) {
            return null;
        }
        if (LOGIN_BEFORE_HOST.matcher(url).matches()) {
            settings.error(ConfigKeys.DATABASE_URL + ": the driver reads no login before the host: use "
                    + ConfigKeys.DATABASE_USER + " and " + ConfigKeys.DATABASE_PASSWORD);
            return null;
        }
        String absolute = withAbsoluteFiles(settings, url);
        checkFiles(settings, absolute);
        return absolute;
    }

    /**
     * Makes the paths of the TLS files in a URL absolute, because the driver would resolve relative paths against the
     * working directory.
     */
    private static String withAbsoluteFiles(Settings settings, String url) {
        try {
            return FILE.matcher(url).replaceAll(found -> {
                String path = settings.base()
                        .resolve(URLDecoder.decode(found.group(2), StandardCharsets.UTF_8))
                        .toString();
                String encoded = URLEncoder.encode(path, StandardCharsets.UTF_8).replace("%2F", "/");
                return Matcher.quoteReplacement(found.group(1) + encoded);
            });
        } catch (IllegalArgumentException e) {
            settings.error(ConfigKeys.DATABASE_URL + " names a file with an invalid path: "
                    + DatabaseUrl.masked(e.getMessage()));
            return url;
        }
    }

    /**
     * Checks the TLS files in a URL with absolute paths now: the driver reads them at the first connection, where a
     * wrong file looks like a server that does not answer.
     */
    private static void checkFiles(Settings settings, String url) {
        Matcher file = FILE.matcher(NEEDS_TLS.matcher(url).find() ? url : "");
        while (file.find()) {
            String path = URLDecoder.decode(file.group(2), StandardCharsets.UTF_8);
            try {
                SmallFile.check(Path.of(path));
            } catch (IOException e) {
                settings.error(ConfigKeys.DATABASE_URL + ": " + file.group(1).replaceAll("[?&=]", "") + " names " + path
                        + ", which can't be read: " + e.getMessage());
            }
        }
    }

    private static SchemaName schema(Settings settings) {
        try {
            return new SchemaName(settings.optional(ConfigKeys.DATABASE_SCHEMA));
        } catch (IllegalArgumentException e) {
            settings.error(ConfigKeys.DATABASE_SCHEMA + ": " + e.getMessage());
            return SchemaName.DEFAULT;
        }
    }

    /** The driver would use the user in the URL, but errors name the key, so the two must be equal. */
    private static String user(Settings settings) {
        String url = settings.optional(ConfigKeys.DATABASE_URL);
        String ofUrl = url == null ? null : new DatabaseUrl(url).user();
        String ofKey = settings.text(ConfigKeys.DATABASE_USER, USER, "a PostgreSQL role");
        if (ofUrl == null || ofUrl.equals(ofKey)) {
            return ofKey;
        }
        if (settings.isSet(ConfigKeys.DATABASE_USER)) {
            settings.error(ConfigKeys.DATABASE_URL + " names the role \"" + ofUrl + "\", but "
                    + ConfigKeys.DATABASE_USER + " names another: set the role in "
                    + ConfigKeys.DATABASE_USER + " only");
        }
        return ofUrl;
    }
}
