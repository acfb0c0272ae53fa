package io.twinbell.node.template;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A variable of a template or a statement: {@code slot}, {@code fireTime}, {@code attempt}, {@code data}, a path into
 * it such as {@code data.customer.id} or {@code data.items.0}, or {@code secret.NAME}. The webhook of an alert has
 * {@code alert}, with paths into it, instead of slot, fire time and data.
 *
 * @param path within the data or the alert; the name of a secret; otherwise empty
 */
public record Variable(Kind kind, List<String> path) {
    private static final String EXPECTED =
            "unknown variable \"%s\"; known are slot, fireTime, attempt, data, data.PATH and secret.NAME";
    private static final Pattern STEP = Pattern.compile("[A-Za-z0-9_-]{1,100}");
    private static final Pattern SECRET = Pattern.compile("[A-Z][A-Z0-9_]{0,62}");
    private static final int MAX_STEPS = 32;

    /** The kind of value. */
    public enum Kind {
        SLOT,
        FIRE_TIME,
        ATTEMPT,
        DATA,
        ALERT,
        SECRET
    }

    /** @throws TemplateException if the variable is unknown */
    public static Variable parse(String name) {
        return switch (name) {
            case "slot" -> new Variable(Kind.SLOT, List.of());
            case "fireTime" -> new Variable(Kind.FIRE_TIME, List.of());
            case "attempt" -> new Variable(Kind.ATTEMPT, List.of());
            case "data" -> new Variable(Kind.DATA, List.of());
            case "alert" -> new Variable(Kind.ALERT, List.of());
            default -> withPath(name);
        };
    }

    private static Variable withPath(String name) {
        if (name.startsWith("secret.")) {
            return new Variable(Kind.SECRET, List.of(secretName(name.substring("secret.".length()))));
        }
        List<String> steps = Arrays.asList(name.split("\\.", -1));
        boolean isPath = (steps.get(0).equals("data") || steps.get(0).equals("alert"))
                && steps.size() <= MAX_STEPS
                && steps.stream().allMatch(step -> STEP.matcher(step).matches());
        if (!isPath) {
            throw new TemplateException(String.format(Locale.ROOT, EXPECTED, name));
        }
        Kind root = steps.get(0).equals("data") ? Kind.DATA : Kind.ALERT;
        return new Variable(root, List.copyOf(steps.subList(1, steps.size())));
    }

    /** @throws TemplateException unless the text is a valid name of a secret */
    public static String secretName(String name) {
        if (!SECRET.matcher(name).matches() || name.endsWith("_FILE")) {
            throw new TemplateException("\"" + name + "\" is not the name of a secret: use capital letters, digits and"
                    + " \"_\", such as BILLING_KEY");
        }
        return name;
    }

    @Override
    public String toString() {
        return switch (kind) {
            case SLOT -> "slot";
            case FIRE_TIME -> "fireTime";
            case ATTEMPT -> "attempt";
            case DATA -> withPath("data", path);
            case ALERT -> withPath("alert", path);
            case SECRET -> "secret." + path.get(0);
        };
    }

    private static String withPath(String root, List<String> path) {
        return path.isEmpty() ? root : root + "." + String.join(".", path);
    }
}
