package io.twinbell.node.template;

import java.util.ArrayList;
import java.util.List;

/**
 * A text with variables, such as <code>{"slot": "${slot}"}</code>. <code>$${</code> stands for a literal
 * <code>${</code>.
 */
public final class Template {
    /** Prevents a short text that repeats large data from filling the memory. */
    static final int MAX_RENDERED = 1024 * 1024;

    private static final String OPEN = "${";

    private final String text;
    private final List<TemplatePart> pieces;

    /**
     * A literal, followed by a variable.
     *
     * @param variable null at the end
     * @param isQuoted whether the variable is between the quotes of a JSON string
     */
    private record TemplatePart(String literal, Variable variable, boolean isQuoted) {}

    private Template(String text, List<TemplatePart> pieces) {
        this.text = text;
        this.pieces = pieces;
    }

    /** @throws TemplateException naming the error */
    public static Template parse(String text) {
        List<TemplatePart> pieces = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        boolean quoted = false;
        int at = 0;
        while (at < text.length()) {
            if (text.startsWith("$" + OPEN, at)) {
                literal.append(OPEN);
                at += 1 + OPEN.length();
            } else if (text.startsWith(OPEN, at)) {
                int close = text.indexOf('}', at);
                if (close < 0) {
                    throw new TemplateException("\"${\" without \"}\"; write $${ for a literal ${");
                }
                quoted ^= togglesQuotes(literal);
                pieces.add(new TemplatePart(
                        literal.toString(), Variable.parse(text.substring(at + OPEN.length(), close)), quoted));
                literal.setLength(0);
                at = close + 1;
            } else {
                literal.append(text.charAt(at++));
            }
        }
        pieces.add(new TemplatePart(literal.toString(), null, false));
        return new Template(text, List.copyOf(pieces));
    }

    private static boolean togglesQuotes(CharSequence literal) {
        boolean toggles = false;
        for (int i = 0; i < literal.length(); i++) {
            if (literal.charAt(i) == '\\') {
                i++;
            } else if (literal.charAt(i) == '"') {
                toggles = !toggles;
            }
        }
        return toggles;
    }

    /** Returns the text as written. */
    public String text() {
        return text;
    }

    /** Whether the template uses a secret. */
    public boolean namesSecret() {
        return !secrets().isEmpty();
    }

    /** Returns the names of the secrets that the template uses. */
    public List<String> secrets() {
        return pieces.stream()
                .filter(templatePart -> templatePart.variable() != null
                        && templatePart.variable().kind() == Variable.Kind.SECRET)
                .map(templatePart -> templatePart.variable().path().get(0))
                .toList();
    }

    /** @throws TemplateException if a value is missing or not allowed at its place */
    public String render(Values values, Escape escape) {
        StringBuilder rendered = new StringBuilder();
        for (TemplatePart templatePart : pieces) {
            rendered.append(templatePart.literal());
            if (templatePart.variable() != null) {
                rendered.append(value(templatePart, values, escape));
            }
            if (rendered.length() > MAX_RENDERED) {
                throw new TemplateException("is longer than " + MAX_RENDERED + " characters when it is filled in");
            }
        }
        return rendered.toString();
    }

    private static String value(TemplatePart templatePart, Values values, Escape escape) {
        try {
            return escape.write(values.of(templatePart.variable()), templatePart.isQuoted());
        } catch (TemplateException e) {
            throw new TemplateException("${" + templatePart.variable() + "}: " + e.getMessage());
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Template template && template.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
