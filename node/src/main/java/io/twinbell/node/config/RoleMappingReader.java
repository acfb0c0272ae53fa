package io.twinbell.node.config;

import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Grant;
import io.twinbell.node.access.RoleMapping;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads mappings from external names to roles: entries {@code NAME=ROLE@app,app+grant}, separated by semicolons. */
final class RoleMappingReader {
    private static final Pattern MAPPING =
            Pattern.compile("([^=;]+)=\\s*([a-z]+)((?:@[^+@;]+)?)((?:\\+[a-z]+)*)", Pattern.CASE_INSENSITIVE);

    private RoleMappingReader() {}

    static List<RoleMapping> read(Settings settings, String key) {
        List<RoleMapping> roles = new ArrayList<>();
        String given = settings.optional(key);
        for (String entry : given == null ? new String[0] : given.split(";")) {
            Matcher mapping = MAPPING.matcher(entry.strip());
            Optional<RoleMapping> read = mapping.matches() ? mapping(mapping) : Optional.empty();
            read.ifPresent(roles::add);
            if (read.isEmpty() && !entry.isBlank()) {
                settings.error(key + ": \"" + entry.strip() + "\" is not VALUE=ROLE, such as"
                        + " tb-admins=admin or tb-shop=editor@shop,billing+sql; the roles are "
                        + words(AccessRole.values()) + ", and the grants " + words(Grant.values()));
            }
        }
        return roles;
    }

    private static Optional<RoleMapping> mapping(Matcher found) {
        try {
            Set<String> apps = new HashSet<>();
            if (!found.group(3).isEmpty()) {
                Arrays.stream(found.group(3).substring(1).split(","))
                        .map(String::strip)
                        .forEach(apps::add);
            }
            Set<Grant> grants = new HashSet<>();
            for (String grant : found.group(4).split("\\+")) {
                if (!grant.isEmpty()) {
                    grants.add(Grant.valueOf(grant.toUpperCase(Locale.ROOT)));
                }
            }
            AccessRole role = AccessRole.valueOf(found.group(2).toUpperCase(Locale.ROOT));
            return apps.contains("")
                    ? Optional.empty()
                    : Optional.of(new RoleMapping(found.group(1).strip(), role, apps, grants));
        } catch (IllegalArgumentException unknownRoleOrGrant) {
            return Optional.empty();
        }
    }

    private static String words(Enum<?>[] values) {
        return String.join(
                ", ",
                Arrays.stream(values)
                        .map(value -> value.name().toLowerCase(Locale.ROOT))
                        .toList());
    }
}
