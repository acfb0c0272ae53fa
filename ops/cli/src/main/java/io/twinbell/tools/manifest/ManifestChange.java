package io.twinbell.tools.manifest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * The change that makes one object match a manifest.
 *
 * @param key the object's identity, for people
 * @param differences the differences of an update; otherwise empty
 * @param wanted the object as sent; for a removal, as the pair has it
 * @param version the pair's version when it was read, so that no concurrent edit is lost; 0 if there is none
 * @param obstacle why the change cannot be made, for {@link ChangeKind#REFUSE} and {@link ChangeKind#PASS_OVER}; otherwise null
 */
public record ManifestChange(
        ManifestKind kind,
        String key,
        ChangeKind changeKind,
        List<MemberDifference> differences,
        ObjectNode wanted,
        long version,
        String obstacle) {
    /** The kind of change. */
    public enum ChangeKind {
        KEEP(" ", "unchanged"),
        CREATE("+", "create"),
        UPDATE("~", "change"),
        REMOVE("-", "remove"),
        /** A task whose only fire time has passed would run at once if it were created. */
        PASS_OVER("!", "leave out"),
        REFUSE("!", "refused");

        private final String sign;
        private final String word;

        ChangeKind(String sign, String word) {
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
