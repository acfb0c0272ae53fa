package io.twinbell.persistence.database;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.CRC32;
import javax.sql.DataSource;

/**
 * Checks with one query whether a schema has exactly this build's migrations, as it has at nearly every start of a
 * node. Flyway needs most of a second for the same answer in a new process.
 */
final class AppliedMigrations {
    private static final String FOLDER = "io/twinbell/persistence/migrations/";
    /** The names of the files in the folder, one a line. The build writes it. */
    private static final String INDEX = "io/twinbell/persistence/migrations.txt";

    /** Asked first, because a query of a missing table would leave an error in the server's log. */
    private static final String HAS_HISTORY = "select to_regclass('twinbell.flyway_schema_history') is not null";

    private static final String HISTORY = """
            select script, checksum, success from twinbell.flyway_schema_history
            where type <> 'SCHEMA' order by installed_rank""";

    /** Flyway's checksums, by file name, in the order of the versions. */
    private final Map<String, Integer> checksums = new LinkedHashMap<>();

    private int newest;

    /**
     * Reads this build's migrations.
     *
     * @param loader finds them
     */
    static AppliedMigrations ofThisBuild(ClassLoader loader) {
        AppliedMigrations ours = new AppliedMigrations();
        index(loader).stream()
                .sorted(Comparator.comparingInt(AppliedMigrations::version))
                .forEach(script -> {
                    ours.checksums.put(script, checksum(script, loader));
                    ours.newest = version(script);
                });
        return ours;
    }

    /** A row of the history. The checksum is null for what Flyway enters by itself. */
    private record Applied(String script, Integer checksum, boolean isComplete) {}

    /**
     * Returns the version of the schema if all migrations of this build are applied, unchanged and in their order, and
     * no others. Empty in any other case, also if the history cannot be read: Flyway then decides.
     */
    Optional<SchemaVersion> complete(DataSource dataSource) {
        List<Applied> ours = new ArrayList<>();
        checksums.forEach((script, checksum) -> ours.add(new Applied(script, checksum, true)));
        try {
            if (ours.isEmpty() || !history(dataSource).equals(ours)) {
                return Optional.empty();
            }
        } catch (SQLException e) {
            return Optional.empty();
        }
        return Optional.of(new SchemaVersion(Integer.toString(newest), newest));
    }

    /** A migration of the schema that has a number of this build's, and is another. */
    Optional<String> foreign(DataSource dataSource) {
        if (checksums.isEmpty()) {
            return Optional.empty();
        }
        try {
            return history(dataSource).stream()
                    .filter(applied -> !Objects.equals(checksums.get(applied.script()), applied.checksum())
                            && version(applied.script()) <= newest)
                    .map(Applied::script)
                    .findFirst();
        } catch (SQLException e) {
            throw new DatabaseUnavailableException("read the migrations of the schema", e);
        }
    }

    private static List<Applied> history(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement exists = connection.prepareStatement(HAS_HISTORY)) {
            if (!Rows.only(exists, row -> row.getBoolean(1))) {
                return List.of();
            }
            try (PreparedStatement history = connection.prepareStatement(HISTORY)) {
                return Rows.all(
                        history,
                        row -> new Applied(row.getString(1), row.getObject(2, Integer.class), row.getBoolean(3)));
            }
        }
    }

    /** All lists on the class path, like Flyway's search. Empty if the classes were built by an editor, for example. */
    private static List<String> index(ClassLoader loader) {
        try {
            List<String> names = new ArrayList<>();
            for (URL list : Collections.list(loader.getResources(INDEX))) {
                try (InputStream file = list.openStream()) {
                    names.addAll(lines(file));
                }
            }
            return names;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int version(String script) {
        return Integer.parseInt(script.substring(1, script.indexOf("__")));
    }

    /** Flyway's checksum: the CRC-32 of all lines, without their ends. */
    private static int checksum(String script, ClassLoader loader) {
        try (InputStream file = loader.getResourceAsStream(FOLDER + script)) {
            CRC32 checksum = new CRC32();
            for (String line : lines(file)) {
                checksum.update(line.getBytes(StandardCharsets.UTF_8));
            }
            return (int) checksum.getValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> lines(InputStream file) {
        return new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))
                .lines()
                .toList();
    }
}
