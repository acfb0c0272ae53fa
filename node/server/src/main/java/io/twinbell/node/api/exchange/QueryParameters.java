package io.twinbell.node.api.exchange;

import io.javalin.http.Context;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.NearestName;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The query parameters of a request. Unknown, repeated and empty parameters are refused: silently ignoring a filter
 * would widen the effect of a bulk request.
 */
public final class QueryParameters {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1000;

    /** An earlier decoder, for example the client's, has replaced a character by U+FFFD. */
    static final String LOST_CHARACTER = "contains U+FFFD, which stands for a character that was lost in a conversion";

    private static final String IMPLIED = QueryParameters.class.getName() + ".implied";

    private final Map<String, List<String>> given;

    private QueryParameters(Map<String, List<String>> given) {
        this.given = given;
    }

    /** Returns the parameters of a request that has passed {@link #check}. */
    public static QueryParameters of(Context context) {
        Map<String, List<String>> given = parse(context.queryString());
        Map<String, String> implied = context.attribute(IMPLIED);
        if (implied != null) {
            implied.forEach((name, value) -> given.putIfAbsent(name, List.of(value)));
        }
        return new QueryParameters(given);
    }

    /** Sets a parameter for the rest of the request, unless the request has it. */
    public static void imply(Context context, String name, String value) {
        context.attribute(IMPLIED, Map.of(name, value));
    }

    /** Returns the parameters for a handler that accepts only some of its route's parameters in some requests. */
    public static QueryParameters of(Context context, Set<String> known) {
        check(context, known);
        return of(context);
    }

    /** Checks the parameters of every request, also on routes that read none. */
    static void check(Context context, Set<String> known) {
        if (context.queryString() == null) {
            return;
        }
        parse(context.queryString()).forEach((name, values) -> {
            if (!known.contains(name)) {
                throw refusal(name, "unknown parameter" + hint(name, known));
            }
            if (values.size() > 1) {
                throw refusal(name, "is given " + values.size() + " times; give it once");
            }
            if (values.get(0).isEmpty()) {
                throw refusal(name, "has no value; give one, or omit the parameter");
            }
        });
    }

    private static String hint(String name, Set<String> known) {
        return known.isEmpty() ? ": this request has no parameters" : NearestName.hint(name, new TreeSet<>(known));
    }

    /**
     * Parses the query by hand: a lenient parser drops a filter that it cannot decode, and a bulk request would then
     * change too much.
     */
    private static Map<String, List<String>> parse(String query) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        for (String pair : query == null ? new String[0] : query.split("&")) {
            int equals = pair.indexOf('=');
            String name = decoded(equals < 0 ? pair : pair.substring(0, equals), pair);
            if (!pair.isEmpty()) {
                parameters
                        .computeIfAbsent(name, first -> new ArrayList<>())
                        .add(equals < 0 ? "" : decoded(pair.substring(equals + 1), name));
            }
        }
        return parameters;
    }

    private static String decoded(String text, String name) {
        try {
            String decoded = URLDecoder.decode(text, StandardCharsets.UTF_8);
            if (decoded.indexOf('\ufffd') >= 0) {
                boolean isSent = text.toUpperCase(Locale.ROOT).contains("%EF%BF%BD");
                throw refusal(name, isSent ? LOST_CHARACTER : "is not percent-encoded UTF-8");
            }
            if (decoded.indexOf('\0') < 0) {
                return decoded;
            }
        } catch (IllegalArgumentException e) {
            throw refusal(name, "is not percent-encoded UTF-8");
        }
        throw refusal(name, "contains the character U+0000");
    }

    public String text(String name) {
        List<String> values = given.getOrDefault(name, List.of());
        if (values.isEmpty() || values.get(0).isEmpty()) {
            return null;
        }
        return values.get(0);
    }

    /** Returns a text for people in one line, or null. */
    public String line(String name, int maxLength) {
        String text = text(name);
        if (text != null && text.length() > maxLength) {
            throw refusal(name, "has more than " + maxLength + " characters");
        }
        if (text != null && ControlCharacters.isIn(text)) {
            throw refusal(name, "must not contain " + ControlCharacters.NAMED);
        }
        return text;
    }

    public <E extends Enum<E>> E choice(String name, Class<E> choices) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        return constant(text, choices)
                .orElseThrow(() -> refusal(name, "must be one of " + Arrays.toString(choices.getEnumConstants())));
    }

    /** Returns several values, separated by commas. */
    public <E extends Enum<E>> Set<E> choices(String name, Class<E> choices) {
        String text = text(name);
        Set<E> chosen = EnumSet.noneOf(choices);
        for (String one : text == null ? new String[0] : text.split(",", -1)) {
            chosen.add(constant(one, choices)
                    .orElseThrow(() -> refusal(
                            name,
                            "must be one or more of " + Arrays.toString(choices.getEnumConstants())
                                    + ", separated by commas")));
        }
        return chosen;
    }

    private static <E extends Enum<E>> Optional<E> constant(String text, Class<E> choices) {
        return Arrays.stream(choices.getEnumConstants())
                .filter(constant -> constant.name().equals(text))
                .findFirst();
    }

    /** Returns true if the value is {@code true}; {@code false} is the default. */
    public boolean flag(String name) {
        String text = text(name);
        if (text != null && !text.equals("true") && !text.equals("false")) {
            throw refusal(name, "must be true or false");
        }
        return "true".equals(text);
    }

    /** Returns an id, which is 0 or more, or null. */
    public Long id(String name) {
        return whole(name, 0, Long.MAX_VALUE, ", 0 or more");
    }

    private Long whole(String name, long least, long most, String bounds) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw refusal(name, "must be a whole number" + bounds);
        }
        throw refusal(name, "must be a whole number" + bounds);
    }

    public Long instant(String name) {
        String text = text(name);
        try {
            return text == null ? null : Long.valueOf(Instants.millis(text));
        } catch (IllegalArgumentException e) {
            throw refusal(name, e.getMessage());
        }
    }

    /** Returns a whole number of at least 1, or null. */
    public Long number(String name) {
        return whole(name, 1, Long.MAX_VALUE, ", 1 or more");
    }

    public int limit() {
        return limit(MAX_LIMIT);
    }

    public int limit(int max) {
        Long limit = whole("limit", 1, max, " from 1 to " + max);
        return limit == null ? DEFAULT_LIMIT : limit.intValue();
    }

    public static ProblemException refusal(String name, String detail) {
        return new ProblemException(Problem.inQuery(name, detail));
    }
}
