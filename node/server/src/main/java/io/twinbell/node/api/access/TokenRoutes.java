package io.twinbell.node.api.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Grant;
import io.twinbell.node.access.store.TokenStore;
import io.twinbell.node.access.store.TokenStore.AccessToken;
import io.twinbell.node.access.store.TokenStore.HashedToken;
import io.twinbell.node.access.store.TokenStore.TokenRights;
import io.twinbell.node.access.token.TokenText;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.NamedObject;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Routes that create, list, rotate and revoke tokens. A token itself is shown once, in the answer that creates or
 * rotates it.
 */
public final class TokenRoutes {
    private static final String TOKENS = "/api/v1/tokens";
    private static final NamedObject KIND = new NamedObject("a token");
    private static final int MAX_NAME = 100;
    private static final int MAX_APPS = 100;
    private static final int MAX_APP = 200;
    private static final Duration SHORTEST = Duration.ofMinutes(1);
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final Duration OVERLAP = Duration.ofHours(1);

    private final TokenStore tokens;

    public TokenRoutes(TokenStore tokens) {
        this.tokens = tokens;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(TOKENS, AccessRule.admin(), this::list),
                Route.post(TOKENS, AccessRule.admin(), this::create),
                Route.post(TOKENS + "/{name}/rotate", AccessRule.admin(), this::rotate),
                Route.delete(TOKENS + "/{name}", AccessRule.admin(), this::revoke, ReasonBody.PARAMETER));
    }

    private void list(Context context) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        tokens.all().stream()
                .map(HashedToken::token)
                .forEach(token -> json.withArray("items").add(json(token)));
        json.withArray("items");
        ResponseWriter.json(context, 200, json.putNull("next"));
    }

    private void create(Context context) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(RequestBody.object(context), "", errors);
        String name = fields.requiredLine("name", MAX_NAME);
        if (name != null && name.startsWith(TokenStore.ADMIN_OF)) {
            fields.error("name", "must not begin with \"" + TokenStore.ADMIN_OF + "\", like admin tokens of nodes");
        }
        fields.required("role");
        AccessRole role = fields.choice("role", AccessRole.class, AccessRole.VIEWER);
        List<String> apps = texts(fields, "apps");
        List<String> grants = texts(fields, "grants");
        if (!grants.stream().allMatch(TokenRoutes::isGrant)) {
            fields.error("grants", "must be a list of " + Arrays.toString(Grant.values()));
        }
        Duration validFor = fields.duration("validFor", SHORTEST, LONGEST);
        RequestBody.end(fields, errors);
        String token = TokenText.random();
        TokenStore.CreateOutcome outcome =
                tokens.create(name, TokenText.hash(token), new TokenRights(role.name(), apps, grants), validFor);
        switch (outcome) {
            case CREATED ->
                ResponseWriter.created(
                        context,
                        NamedObject.path(TOKENS, name),
                        json(existing(name)).put("token", token));
            case NAME_TAKEN ->
                throw new ProblemException(
                        ProblemType.CONFLICT, "there is a token \"" + name + "\" already; rotate or revoke it");
            default ->
                throw new ProblemException(
                        ProblemType.CONFLICT,
                        "there are already " + TokenStore.MAX_TOKENS + " tokens; revoke one first");
        }
    }

    private AccessToken existing(String name) {
        return tokens.all().stream()
                .map(HashedToken::token)
                .filter(token -> token.name().equals(name))
                .findFirst()
                .orElseThrow(() -> KIND.unknown(name));
    }

    private static boolean isGrant(String text) {
        return Arrays.stream(Grant.values()).anyMatch(grant -> grant.name().equals(text));
    }

    private static List<String> texts(Fields fields, String member) {
        JsonNode given = fields.json(member);
        List<String> texts = new ArrayList<>();
        if (given != null) {
            for (JsonNode text : given) {
                texts.add(text.asText());
            }
            boolean isList = given.isArray()
                    && given.size() <= MAX_APPS
                    && texts.stream().distinct().count() == given.size()
                    && texts.stream().allMatch(text -> !text.isEmpty() && text.length() <= MAX_APP);
            if (!isList) {
                fields.error(member, "must be a list of at most " + MAX_APPS + " different names");
            }
        }
        return texts;
    }

    private void rotate(Context context) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(RequestBody.objectIfAny(context), "", errors);
        Duration given = fields.duration("overlap", Duration.ZERO, LONGEST);
        RequestBody.end(fields, errors);
        String name = context.pathParam("name");
        if (name.startsWith(TokenStore.ADMIN_OF)) {
            throw new ProblemException(
                    ProblemType.CONFLICT,
                    "this is the admin token of a node; to replace it, remove the node's file http.adminToken and"
                            + " restart the node");
        }
        String token = TokenText.random();
        AccessToken rotated = tokens.rotate(name, TokenText.hash(token), given == null ? OVERLAP : given)
                .orElseThrow(() -> KIND.unknown(name));
        ResponseWriter.json(context, 200, json(rotated).put("token", token));
    }

    private void revoke(Context context) {
        String name = context.pathParam("name");
        if (!tokens.revoke(name)) {
            throw KIND.unknown(name);
        }
        context.status(204);
    }

    private static ObjectNode json(AccessToken token) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("name", token.name()).put("role", token.role());
        token.apps().forEach(json.putArray("apps")::add);
        token.grants().forEach(json.putArray("grants")::add);
        json.put("createdAt", Instants.text(token.times().createdMillis()));
        json.put("expiresAt", instant(token.times().expiresMillis()));
        return json.put("lastUsedAt", instant(token.times().usedMillis()));
    }

    private static String instant(Long millis) {
        return millis == null ? null : Instants.text(millis);
    }
}
