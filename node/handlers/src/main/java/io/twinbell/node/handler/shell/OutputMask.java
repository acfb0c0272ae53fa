package io.twinbell.node.handler.shell;

import io.twinbell.node.handler.secret.SecretForms;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Masks this node's confidential values in the output of a command, which may have read them. */
public final class OutputMask {
    /** Shorter values occur in ordinary text and are not masked. */
    private static final int SHORTEST = 4;

    private final List<SecretForms> forms = new ArrayList<>();

    public OutputMask(Collection<String> confidential) {
        confidential.stream()
                .filter(value -> value != null && value.length() >= SHORTEST)
                .distinct()
                .map(SecretForms::of)
                .forEach(forms::add);
    }

    /** The length of the longest text that is masked. */
    int longest() {
        return forms.stream().mapToInt(SecretForms::longest).max().orElse(0);
    }

    String cover(String text) {
        return SecretForms.cover(text, forms);
    }
}
