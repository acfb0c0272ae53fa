package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Fields;
import io.twinbell.node.task.definition.HandlerSpec.CloudEventMode;
import io.twinbell.node.task.definition.HandlerSpec.HttpCompletion;
import io.twinbell.node.task.definition.HandlerSpec.HttpRules;
import io.twinbell.node.task.definition.HandlerSpec.SignatureScheme;
import io.twinbell.node.task.definition.StatusCodes;
import io.twinbell.node.template.TemplateException;
import io.twinbell.node.template.Variable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads how an HTTP call is made, which answers count as success, how it is signed, whether it is an event, and its profile. */
final class HttpRulesReader {
    private static final Duration MAX_CONNECT = Duration.ofMinutes(5);
    private static final int MAX_CODES = 50;
    private static final int MAX_PROFILE = 63;
    private static final Pattern PROFILE = Pattern.compile("[a-z][a-z0-9_]*");

    private HttpRulesReader() {}

    /** @param mayCallBack whether the outcome may come by a callback */
    static HttpRules read(Fields handler, boolean mayCallBack) {
        StatusCodes successCodes = successCodes(handler);
        Duration connect = handler.duration("connectTimeout", Duration.ofMillis(1), MAX_CONNECT);
        Boolean follow = handler.bool("followRedirects");
        String secret = secret(handler);
        return new HttpRules(
                successCodes,
                connect == null ? HttpRules.DEFAULT.connectTimeout() : connect,
                follow == null ? HttpRules.DEFAULT.followRedirects() : follow,
                secret,
                mayCallBack
                        ? handler.choice("completion", HttpCompletion.class, HttpCompletion.RESPONSE)
                        : HttpCompletion.RESPONSE,
                signature(handler),
                handler.choice("cloudEvents", CloudEventMode.class, null),
                profile(handler));
    }

    private static SignatureScheme signature(Fields handler) {
        SignatureScheme signature = handler.choice("signature", SignatureScheme.class, SignatureScheme.TWINBELL);
        if (handler.json("signature") != null && handler.json("secret") == null) {
            handler.error("signature", "requires secret, the name of the secret that signs the calls");
        }
        return signature;
    }

    private static String profile(Fields handler) {
        String name = handler.text("profile", MAX_PROFILE);
        return name == null || PROFILE.matcher(name).matches()
                ? name
                : handler.error("profile", "must be the name of a profile: small letters, digits and \"_\"");
    }

    static void write(HttpRules rules, ObjectNode normalized) {
        ArrayNode codes = normalized.putArray("successCodes");
        for (String code : rules.successCodes().written()) {
            if (code.chars().allMatch(Character::isDigit)) {
                codes.add(Integer.parseInt(code));
            } else {
                codes.add(code);
            }
        }
        normalized.put("connectTimeout", rules.connectTimeout().toString());
        normalized.put("followRedirects", rules.followRedirects());
        if (rules.completion() != HttpCompletion.RESPONSE) {
            normalized.put("completion", rules.completion().name());
        }
        if (rules.secret() != null) {
            normalized.putObject("secret").put("ref", rules.secret());
        }
        if (rules.signature() != SignatureScheme.TWINBELL) {
            normalized.put("signature", rules.signature().name());
        }
        if (rules.cloudEvents() != null) {
            normalized.put("cloudEvents", rules.cloudEvents().name());
        }
        if (rules.profile() != null) {
            normalized.put("profile", rules.profile());
        }
    }

    private static StatusCodes successCodes(Fields handler) {
        JsonNode given = handler.json("successCodes");
        if (given == null) {
            return StatusCodes.DEFAULT;
        }
        if (!given.isArray() || given.isEmpty() || given.size() > MAX_CODES) {
            handler.error("successCodes", "must be a list of 1 to " + MAX_CODES + " statuses such as [200, \"3xx\"]");
            return StatusCodes.DEFAULT;
        }
        List<String> codes = new ArrayList<>();
        for (int i = 0; i < given.size(); i++) {
            String code = StatusCodes.read(given.get(i));
            if (code == null) {
                handler.errorBelow("/successCodes/" + i, StatusCodes.EXPECTATION);
            } else {
                codes.add(code);
            }
        }
        return new StatusCodes(List.copyOf(codes));
    }

    /** Only the name of the secret is stored, never the secret. */
    private static String secret(Fields handler) {
        JsonNode given = handler.json("secret");
        if (given == null) {
            return null;
        }
        if (!given.isObject()) {
            return handler.error(
                    "secret", "must be {\"ref\": \"NAME\"}: the secret itself belongs to the configuration");
        }
        Fields secret = handler.object("secret");
        String name = secret.requiredLine("ref", 100);
        secret.refuseUnknown();
        try {
            return name == null ? null : Variable.secretName(name);
        } catch (TemplateException e) {
            return secret.error("ref", e.getMessage());
        }
    }
}
