package io.twinbell.node.handler;

import io.twinbell.node.template.TemplateException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The secrets of this node's configuration. Tasks know their names only. */
final class Secrets {
    private static final String COVER = "***";

    private final Map<String, String> byName;

    Secrets(Map<String, String> byName) {
        this.byName = Map.copyOf(byName);
    }

    /** The secrets that one call has asked for, so that they can be covered in whatever is kept of it. */
    Asked ask() {
        return new Asked();
    }

    /** Looks secrets up and remembers which. */
    final class Asked {
        private final Set<String> values = new HashSet<>();

        /** @throws TemplateException if it is not configured on this node */
        String value(String name) {
            String value = byName.get(name);
            if (value == null || value.isEmpty()) {
                throw new TemplateException("the secret " + name + " is not configured on this node: set secrets."
                        + name + " or secrets." + name + "_FILE");
            }
            values.add(value);
            return value;
        }

        /** The length of the longest. */
        int longest() {
            return values.stream().mapToInt(String::length).max().orElse(0);
        }

        /** Puts stars in the place of every secret: a receiver may well repeat what it was sent. */
        String cover(String text) {
            return Secrets.cover(text, values);
        }
    }

    private static String cover(String text, Collection<String> values) {
        if (text == null) {
            return null;
        }
        List<String> longestFirst = values.stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
        String covered = text;
        for (String value : longestFirst) {
            covered = covered.replace(value, COVER);
        }
        return covered;
    }
}
