package io.twinbell.node.access.token;

import io.twinbell.node.access.Principal;
import io.twinbell.persistence.database.DatabaseClock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sessions of the web console. The value of a session's cookie names the hash of a token and the end of the session,
 * with a keyed hash over both by the secret key of the database. So both nodes accept it without a table of sessions, and
 * it ends with its token.
 */
public final class ConsoleSessions {
    /** How long a session lasts. */
    public static final Duration LIFE = Duration.ofHours(12);

    private static final Pattern FORM = Pattern.compile("([0-9a-f]{64})_(\\d{1,15})_([0-9a-f]{64})");
    private static final String PURPOSE = "console session ";

    private final Function<String, Optional<String>> seal;
    private final BiPredicate<String, String> hasSealed;
    private final Function<byte[], Optional<Principal>> tokens;
    private final DatabaseClock clock;

    /**
     * @param seal returns the keyed hash of a text; empty until the database has answered once
     * @param hasSealed whether the second argument is the keyed hash of the first
     * @param tokens returns the principal of the token that has this hash; empty if there is no such valid token
     */
    public ConsoleSessions(
            Function<String, Optional<String>> seal,
            BiPredicate<String, String> hasSealed,
            Function<byte[], Optional<Principal>> tokens,
            DatabaseClock clock) {
        this.seal = seal;
        this.hasSealed = hasSealed;
        this.tokens = tokens;
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

    /** Returns the principal of a session; empty if it has ended, its token is not valid any more, or it is forged. */
    public Optional<Principal> principal(String cookie) {
        Matcher form = FORM.matcher(cookie);
        if (!form.matches() || Long.parseLong(form.group(2)) <= clock.nowMillis()) {
            return Optional.empty();
        }
        return hasSealed.test(PURPOSE + form.group(1) + "_" + form.group(2), form.group(3))
                ? tokens.apply(HexFormat.of().parseHex(form.group(1)))
                : Optional.empty();
    }
}
