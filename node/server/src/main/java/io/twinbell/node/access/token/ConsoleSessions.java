package io.twinbell.node.access.token;

import io.twinbell.node.access.Principal;
import io.twinbell.node.access.oidc.OidcSignIn.SignedIn;
import io.twinbell.persistence.clock.DatabaseClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sessions of the web console. The cookie of a session contains the hash of a token, the end of the session, and a
 * keyed hash over both with the secret key of the database. So both nodes accept it without a table of sessions, and
 * the session ends with its token.
 */
public final class ConsoleSessions {
    /** How long a session lasts. */
    public static final Duration LIFE = Duration.ofHours(12);

    /**
     * How long a session lasts after a sign-in at an OpenID Connect provider. It is shorter because the provider cannot
     * end it.
     */
    public static final Duration LIFE_OF_SIGNED_IN = Duration.ofHours(1);

    private static final Pattern SIGNED_IN =
            Pattern.compile("([A-Za-z0-9_-]{1,300})\\.([A-Za-z0-9_-]{1,700})\\.(\\d{1,15})\\.([0-9a-f]{64})");
    private static final String SIGNED_IN_PURPOSE = "console session of a provider ";
    private static final Pattern FORM = Pattern.compile("([0-9a-f]{64})_(\\d{1,15})_([0-9a-f]{64})");
    private static final String PURPOSE = "console session ";

    private final Function<String, Optional<String>> seal;
    private final BiPredicate<String, String> hasSealed;
    private final Function<byte[], Optional<Principal>> tokens;
    private final Function<SignedIn, Optional<Principal>> people;
    private final DatabaseClock clock;

    /**
     * @param seal returns the keyed hash of a text; empty until the database has answered once
     * @param hasSealed whether the second argument is the keyed hash of the first
     * @param tokens returns the principal of the token that has this hash; empty if there is no such valid token
     * @param people returns what a person of the OpenID Connect provider may do; empty if nothing
     */
    public ConsoleSessions(
            Function<String, Optional<String>> seal,
            BiPredicate<String, String> hasSealed,
            Function<byte[], Optional<Principal>> tokens,
            Function<SignedIn, Optional<Principal>> people,
            DatabaseClock clock) {
        this.seal = seal;
        this.hasSealed = hasSealed;
        this.tokens = tokens;
        this.people = people;
        this.clock = clock;
    }

    /** Returns the value of a new cookie; empty if this is not a valid token of Twinbell's own. */
    public Optional<String> begin(String token) {
        byte[] hash = TokenText.hash(token);
        if (!token.startsWith(TokenText.PREFIX) || tokens.apply(hash).isEmpty()) {
            return Optional.empty();
        }
        String content = HexFormat.of().formatHex(hash) + "_" + (clock.nowMillis() + LIFE.toMillis());
        return seal.apply(PURPOSE + content).map(keyedHash -> content + "_" + keyedHash);
    }

    /** Returns the value of a new cookie for a person of the provider; empty if the person may do nothing. */
    public Optional<String> begin(SignedIn person) {
        if (people.apply(person).isEmpty()) {
            return Optional.empty();
        }
        String content = encoded(person.name()) + "." + encoded(person.role()) + "."
                + (clock.nowMillis() + LIFE_OF_SIGNED_IN.toMillis());
        return seal.apply(SIGNED_IN_PURPOSE + content).map(keyedHash -> content + "." + keyedHash);
    }

    private static String encoded(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String text) {
        return new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
    }

    private Optional<Principal> signedIn(String cookie) {
        Matcher form = SIGNED_IN.matcher(cookie);
        if (!form.matches()
                || Long.parseLong(form.group(3)) <= clock.nowMillis()
                || !hasSealed.test(
                        SIGNED_IN_PURPOSE + form.group(1) + "." + form.group(2) + "." + form.group(3), form.group(4))) {
            return Optional.empty();
        }
        return people.apply(new SignedIn(decoded(form.group(1)), decoded(form.group(2))));
    }

    /** Returns the principal of a session; empty if it has ended, its token is not valid any more, or it is forged. */
    public Optional<Principal> principal(String cookie) {
        Matcher form = FORM.matcher(cookie);
        if (!form.matches()) {
            return signedIn(cookie);
        }
        if (Long.parseLong(form.group(2)) <= clock.nowMillis()) {
            return Optional.empty();
        }
        return hasSealed.test(PURPOSE + form.group(1) + "_" + form.group(2), form.group(3))
                ? tokens.apply(HexFormat.of().parseHex(form.group(1)))
                : Optional.empty();
    }
}
