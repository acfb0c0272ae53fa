package io.twinbell.ops.jmx;

import io.twinbell.ops.text.SmallFile;
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
 * Checks what is in the files of passwords and access rights before the JDK reads them: it passes over lines of the one that
 * it cannot read, and of the other it says neither file nor line. No message shows a password.
 */
final class JmxRoles {
    private static final String PASSWORDS = "jmx.passwords";
    private static final String ACCESS = "jmx.access";

    /** Of a file that is something else altogether, a few lines show that. */
    private static final int MOST_PROBLEMS = 5;

    private static final int MOST_SHOWN = 100;
    /** In bytes: a password with a blank in it may be Base64, too. */
    private static final int SHORTEST_HASH = 16;

    /** What the JDK's {@code MBeanServerFileAccessController} takes. */
    private static final Pattern RIGHTS =
            Pattern.compile("readonly|readwrite(?:\\s+(?:create\\s+[\\w.$*]+(?:\\s*,\\s*[\\w.$*]+)*|unregister))*");

    private final List<String> problems = new ArrayList<>();
    private int left;

    private JmxRoles() {}

    /** What is wrong in the two files, each with its line; none if the JDK takes them and they name the same roles. */
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
                            shown(role) + " has no line in " + access + ", so it may do nothing");
                }
            });
            begin();
            allowed.forEach((role, line) -> {
                if (!asked.containsKey(role)) {
                    add(
                            ACCESS,
                            access,
                            line,
                            shown(role) + " has no password in " + passwords + ", so nobody can be it");
                }
            });
        }
        return problems;
    }

    /** Reads the roles of a file, each with its line. */
    private interface Reading {
        Map<String, Integer> of(Path file, List<String> lines);
    }

    /** Null if it cannot be read as text. */
    private Map<String, Integer> read(String key, Path file, Reading reading) {
        begin();
        try {
            Map<String, Integer> roles =
                    reading.of(file, SmallFile.read(file).lines().toList());
            if (roles.isEmpty() && problems.isEmpty()) {
                problems.add(key + ": " + file + " names no role");
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
                add(PASSWORDS, file, i + 1, "must not begin with a blank");
            } else if (words.length != 2 && !isHashed(words)) {
                add(
                        PASSWORDS,
                        file,
                        i + 1,
                        "must be the name of a role and a password without blanks, or the hash that the JDK has put there");
            } else if (roles.put(words[0], i + 1) != null) {
                add(PASSWORDS, file, i + 1, shown(words[0]) + " is there twice");
            }
        }
        return roles;
    }

    /** A name, salt and hash in Base64, and the algorithm if it is not the usual one. */
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

    /** The JDK reads it as properties: with blanks, {@code =} or {@code :} after the name, and lines that go on after a backslash. */
    private Map<String, Integer> access(Path file, List<String> lines) {
        Map<String, Integer> roles = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            int number = i + 1;
            StringBuilder whole = new StringBuilder(lines.get(i));
            while (goesOn(whole) && i + 1 < lines.size()) {
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
                    add(ACCESS, file, number, shown(role) + " is there twice");
                }
            }
        }
        return roles;
    }

    /** An odd number of backslashes at the end; not in a comment. */
    private static boolean goesOn(StringBuilder line) {
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

    /** Null if they cannot be read. */
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
