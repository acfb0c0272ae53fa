package io.twinbell.node.jmx;

import io.twinbell.node.settings.SmallFile;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;

/**
 * Validates the JMX password and access files before the JDK reads them. The JDK silently skips malformed lines of the
 * password file, and its errors about the access file name neither file nor line. No message shows a password.
 */
final class JmxRoles {
    private static final String PASSWORDS = "jmx.passwords";
    private static final String ACCESS = "jmx.access";

    /** Limit of reported problems per file: a few lines show that a file is of another kind. */
    private static final int MOST_PROBLEMS = 5;

    private static final int MOST_SHOWN = 100;
    /**
     * In bytes. Shorter fields are not taken for a hash, because a password that contains a space may be valid Base64,
     * too.
     */
    private static final int SHORTEST_HASH = 16;

    /** The syntax that the JDK's {@code MBeanServerFileAccessController} accepts. */
    private static final Pattern RIGHTS =
            Pattern.compile("readonly|readwrite(?:\\s+(?:create\\s+[\\w.$*]+(?:\\s*,\\s*[\\w.$*]+)*|unregister))*");

    private final List<String> problems = new ArrayList<>();
    private int left;

    private JmxRoles() {}

    /**
     * Problems of the two files, each with its line; empty if the JDK accepts the files and both name the same roles.
     */
    static List<String> problems(Path passwords, Path access) {
        return new JmxRoles().check(passwords, access);
    }

    private List<String> check(Path passwords, Path access) {
        Map<String, Integer> asked = read(PASSWORDS, passwords, this::passwords);
        Map<String, Integer> allowed = read(ACCESS, access, this::access);
        if (problems.isEmpty() && asked != null && allowed != null) {
            begin();
            asked.forEach((role, line) -> {
                if (!allowed.containsKey(role)) {
                    add(
                            PASSWORDS,
                            passwords,
                            line,
                            shown(role) + " has no line in " + access + ", so the role has no rights");
                }
            });
            begin();
            allowed.forEach((role, line) -> {
                if (!asked.containsKey(role)) {
                    add(
                            ACCESS,
                            access,
                            line,
                            shown(role) + " has no password in " + passwords + ", so no client can log in with this"
                                    + " role");
                }
            });
        }
        return problems;
    }

    /** Parses one file into its roles and the line of each. */
    private interface Reading {
        Map<String, Integer> of(Path file, List<String> lines);
    }

    /** Returns null if the file cannot be read as text. */
    private Map<String, Integer> read(String key, Path file, Reading reading) {
        begin();
        try {
            Map<String, Integer> roles =
                    reading.of(file, SmallFile.read(file).lines().toList());
            if (roles.isEmpty() && problems.isEmpty()) {
                problems.add(key + ": " + file + " contains no role");
            }
            return roles;
        } catch (IOException e) {
            problems.add(key + ": " + file + ": " + e.getMessage());
            return null;
        }
    }

    private void begin() {
        left = MOST_PROBLEMS;
    }

    private void add(String key, Path file, int line, String what) {
        if (left-- > 0) {
            problems.add(key + ": " + file + ", line " + line + ": " + what);
        }
    }

    private Map<String, Integer> passwords(Path file, List<String> lines) {
        Map<String, Integer> roles = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] words = line.split("\\s+");
            if (words[0].isEmpty()) {
                add(PASSWORDS, file, i + 1, "must not begin with a space");
            } else if (words.length != 2 && !isHashed(words)) {
                add(
                        PASSWORDS,
                        file,
                        i + 1,
                        "must be a role name and a password without spaces, or the hash that the JDK has written");
            } else if (roles.put(words[0], i + 1) != null) {
                add(PASSWORDS, file, i + 1, shown(words[0]) + " occurs twice");
            }
        }
        return roles;
    }

    /** Whether a line has a role's name, salt and hash in Base64 and, unless it is the default, the hash algorithm. */
    private static boolean isHashed(String[] words) {
        if (words.length != 3 && words.length != 4) {
            return false;
        }
        try {
            Base64.getDecoder().decode(words[1]);
            return Base64.getDecoder().decode(words[2]).length >= SHORTEST_HASH
                    && (words.length == 3 || MessageDigest.getInstance(words[3]) != null);
        } catch (IllegalArgumentException | NoSuchAlgorithmException e) {
            return false;
        }
    }

    /**
     * Parses the access file by the syntax of Java properties, as the JDK does: spaces, {@code =} or {@code :} end the
     * name, and a backslash at the end continues the line.
     */
    private Map<String, Integer> access(Path file, List<String> lines) {
        Map<String, Integer> roles = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            int number = i + 1;
            StringBuilder whole = new StringBuilder(lines.get(i));
            while (isContinued(whole) && i + 1 < lines.size()) {
                whole.append('\n').append(lines.get(++i));
            }
            Properties read = properties(whole.toString());
            if (read == null) {
                add(ACCESS, file, number, "has a \\u without four hexadecimal digits");
                continue;
            }
            for (String role : read.stringPropertyNames()) {
                String rights = read.getProperty(role).strip();
                if (!RIGHTS.matcher(rights).matches()) {
                    add(
                            ACCESS,
                            file,
                            number,
                            shown(role) + " must be followed by readonly or readwrite, not by " + shown(rights));
                } else if (roles.put(role, number) != null) {
                    add(ACCESS, file, number, shown(role) + " occurs twice");
                }
            }
        }
        return roles;
    }

    /** Whether the line ends in an odd number of backslashes and is not a comment. */
    private static boolean isContinued(StringBuilder line) {
        String text = line.toString().stripLeading();
        if (text.startsWith("#") || text.startsWith("!")) {
            return false;
        }
        int backslashes = 0;
        for (int i = line.length() - 1; i >= 0 && line.charAt(i) == '\\'; i--) {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    /** Returns null if the line is no valid property. */
    private static Properties properties(String line) {
        Properties read = new Properties();
        try {
            read.load(new StringReader(line));
            return read;
        } catch (IOException | IllegalArgumentException e) {
            return null;
        }
    }

    private static String shown(String text) {
        return "\"" + (text.length() > MOST_SHOWN ? text.substring(0, MOST_SHOWN) + "…" : text) + "\"";
    }
}
