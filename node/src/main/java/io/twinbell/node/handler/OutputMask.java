package io.twinbell.node.handler;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Covers what is confidential on this node in the output of a command, which may have read it somewhere. */
final class OutputMask {
    /** What is shorter is a word that stands in texts anyway. */
    private static final int SHORTEST = 4;

    private final List<List<String>> forms = new ArrayList<>();

    OutputMask(Collection<String> confidential) {
        confidential.stream()
                .filter(value -> value != null && value.length() >= SHORTEST)
                .distinct()
                .map(SecretForms::of)
                .forEach(forms::add);
    }

    /** The length of the longest text that is covered. */
    int longest() {
        return forms.stream().mapToInt(list -> list.get(0).length()).max().orElse(0);
    }

    String cover(String text) {
        return Secrets.cover(text, forms);
    }
}
