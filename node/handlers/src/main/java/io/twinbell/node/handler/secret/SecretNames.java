package io.twinbell.node.handler.secret;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.template.Template;
import io.twinbell.node.template.TemplateException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds the names of the secrets that the JSON of a call uses. */
public final class SecretNames {
    private SecretNames() {}

    /** Returns the names by the JSON pointer of the place that uses them. */
    public static Map<String, List<String>> of(JsonNode call) {
        Map<String, List<String>> found = new LinkedHashMap<>();
        add("/url", call.path("url"), found);
        for (Map.Entry<String, JsonNode> header : call.path("headers").properties()) {
            add("/headers/" + header.getKey().replace("~", "~0").replace("/", "~1"), header.getValue(), found);
        }
        JsonNode signing = call.path("secret").path("ref");
        if (signing.isTextual()) {
            found.put("/secret/ref", List.of(signing.textValue()));
        }
        return found;
    }

    private static void add(String pointer, JsonNode text, Map<String, List<String>> found) {
        if (!text.isTextual() || !text.textValue().contains("secret.")) {
            return;
        }
        try {
            found.put(pointer, Template.parse(text.textValue()).secrets());
        } catch (TemplateException e) {
            // The reader of the call reports this error.
            found.remove(pointer);
        }
    }
}
