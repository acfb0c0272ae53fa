package io.twinbell.node.template;

import java.util.Locale;

/** A body whose values are written as its kind asks: JSON, a form, or as they are. */
public record BodyTemplate(Template template, Escape escape) {
    /**
     * @param contentType as the task's headers say; null if they don't: then what begins like JSON is JSON
     * @throws TemplateException with what is wrong
     */
    public static BodyTemplate parse(String text, String contentType) {
        Template template = Template.parse(text);
        if (template.namesSecret()) {
            throw new TemplateException("must not carry a secret: use a header, or a signature");
        }
        return new BodyTemplate(template, escape(text, contentType));
    }

    private static Escape escape(String text, String contentType) {
        if (contentType == null) {
            String start = text.stripLeading();
            return start.startsWith("{") || start.startsWith("[") ? Escape.JSON : Escape.NONE;
        }
        String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (type.endsWith("/json") || type.endsWith("+json")) {
            return Escape.JSON;
        }
        return type.equals("application/x-www-form-urlencoded") ? Escape.FORM : Escape.NONE;
    }

    /** @throws TemplateException if a value is missing */
    public String render(Values values) {
        return template.render(values, escape);
    }
}
