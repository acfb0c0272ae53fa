package io.twinbell.node.template;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The template of an HTTP body, which escapes values for JSON, for a form, or not at all.
 *
 * @param charset the encoding of the body
 * @param contentType the Content-Type to declare; null if the task's headers declare one
 */
public record BodyTemplate(Template template, Escape escape, Charset charset, String contentType) {
    private static final Pattern CHARSET = Pattern.compile("(?i);\\s*charset\\s*=\\s*(\"[^\"]*\"|[^;\\s]*)");

    /**
     * @param contentType from the task's headers; null if there is none: a text that begins like JSON is JSON then
     * @throws TemplateException naming the error
     */
    public static BodyTemplate parse(String text, String contentType) {
        Template template = Template.parse(text);
        if (template.namesSecret()) {
            throw new TemplateException("must not contain a secret: use a header or a signature");
        }
        if (contentType == null) {
            String start = text.stripLeading();
            return start.startsWith("{") || start.startsWith("[")
                    ? new BodyTemplate(template, Escape.JSON, StandardCharsets.UTF_8, "application/json")
                    : new BodyTemplate(template, Escape.NONE, StandardCharsets.UTF_8, "text/plain; charset=utf-8");
        }
        return new BodyTemplate(template, escape(contentType), charset(contentType), null);
    }

    private static Escape escape(String contentType) {
        String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (type.endsWith("/json") || type.endsWith("+json")) {
            return Escape.JSON;
        }
        return type.equals("application/x-www-form-urlencoded") ? Escape.FORM : Escape.NONE;
    }

    private static Charset charset(String contentType) {
        Matcher declared = CHARSET.matcher(contentType);
        if (!declared.find()) {
            return StandardCharsets.UTF_8;
        }
        String name = declared.group(1).replace("\"", "");
        try {
            Charset charset = Charset.forName(name);
            if (charset.canEncode()) {
                return charset;
            }
        } catch (IllegalArgumentException e) {
            throw unknown(name);
        }
        throw unknown(name);
    }

    private static TemplateException unknown(String name) {
        return new TemplateException(
                "cannot be encoded: the charset \"" + name + "\" of its Content-Type is not" + " supported; use utf-8");
    }

    /**
     * Returns the body as a JSON value: the JSON that it is, or else its text.
     *
     * @throws TemplateException if a value is missing, or a body that is declared as JSON is not JSON
     */
    public JsonNode event(Values values) {
        String text = template.render(values, escape);
        if (escape != Escape.JSON) {
            return TextNode.valueOf(text);
        }
        try {
            return StrictJson.read(text.getBytes(StandardCharsets.UTF_8));
        } catch (InvalidJsonException e) {
            throw new TemplateException("is not JSON, as its Content-Type says: " + e.getMessage());
        }
    }

    /** @throws TemplateException if a value is missing, or has a character that the charset lacks */
    public byte[] render(Values values) {
        String text = template.render(values, escape);
        try {
            ByteBuffer encoded = charset.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new TemplateException("has a character that " + charset.name()
                    + ", the charset of its Content-Type, cannot encode; use utf-8");
        }
    }
}
