package io.twinbell.node.access.token;

import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.PrincipalResolver;
import io.twinbell.persistence.clock.DatabaseClock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Signs requests of a node to the other node, and recognizes them. The signature is a keyed hash over the time, with
 * the secret key of the database that also seals the entries in ZooKeeper. A signature is valid for a minute and
 * permits reading only.
 */
public final class PairSignature implements PrincipalResolver {
    private static final Principal OTHER_NODE =
            new Principal("a node of the pair", AccessRole.VIEWER, Set.of(), Set.of());
    private static final Pattern FORM = Pattern.compile("pair_(\\d{1,15})_([0-9a-f]{64})");
    private static final String PURPOSE = "request between nodes at ";
    private static final long VALID_MILLIS = Duration.ofMinutes(1).toMillis();

    private final Function<String, Optional<String>> seal;
    private final BiPredicate<String, String> hasSealed;
    private final DatabaseClock clock;

    /**
     * @param seal returns the keyed hash of a text; empty until the database has answered once
     * @param hasSealed whether the second argument is the keyed hash of the first
     */
    public PairSignature(
            Function<String, Optional<String>> seal, BiPredicate<String, String> hasSealed, DatabaseClock clock) {
        this.seal = seal;
        this.hasSealed = hasSealed;
        this.clock = clock;
    }

    /** What a request between nodes sends as {@code Authorization}; empty until the database has answered once. */
    public Optional<String> header() {
        long now = clock.nowMillis();
        return seal.apply(PURPOSE + now).map(hash -> "Bearer pair_" + now + "_" + hash);
    }

    @Override
    public Optional<Principal> resolve(String credentials) {
        Matcher form = FORM.matcher(credentials);
        if (!form.matches() || Math.abs(clock.nowMillis() - Long.parseLong(form.group(1))) > VALID_MILLIS) {
            return Optional.empty();
        }
        return hasSealed.test(PURPOSE + form.group(1), form.group(2)) ? Optional.of(OTHER_NODE) : Optional.empty();
    }
}
