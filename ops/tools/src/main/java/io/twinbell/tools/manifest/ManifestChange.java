package io.twinbell.tools.manifest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * What it takes to make one thing as a file has it.
 *
 * @param key what it is known by, for people
 * @param differences of an update, else empty
 * @param wanted as it is sent; for a removal, what the pair has
 * @param version what the pair had when it was looked at, so that nobody's edit in between is lost; 0 if there is none
 * @param obstacle why it can't be done, with {@link Verb#REFUSE} and {@link Verb#PASS_OVER}, else null
 */
public record ManifestChange(
        ManifestKind kind,
        String key,
        Verb verb,
        List<MemberDifference> differences,
        ObjectNode wanted,
        long version,
        String obstacle) {
    /** What is to be done. */
    public enum Verb {
        KEEP(" ", "unchanged"),
        CREATE("+", "create"),
        UPDATE("~", "change"),
        REMOVE("-", "remove"),
        /** A time that fires once and is over would run at once if it were made. */
        PASS_OVER("!", "pass over"),
        REFUSE("!", "refused");

        private final String sign;
        private final String word;

        Verb(String sign, String word) {
            this.sign = sign;
            this.word = word;
        }

        public String sign() {
            return sign;
        }

        public String word() {
            return word;
        }
    }
}
