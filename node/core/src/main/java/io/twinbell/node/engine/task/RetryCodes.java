package io.twinbell.node.engine.task;

import java.util.List;

/**
 * The error codes after which an attempt may be tried again. A code that ends with {@code *} stands for all codes with
 * this beginning.
 *
 * @param onlyOn if not empty, no other codes are retried
 * @param notOn codes that are not retried, even if {@code onlyOn} names them
 */
public record RetryCodes(List<String> onlyOn, List<String> notOn) {
    public static final RetryCodes ALL = new RetryCodes(List.of(), List.of());

    /** Returns why an attempt with this code is not tried again, or null if it may be. */
    public String refusal(String code) {
        if (isNamed(notOn, code)) {
            return "retry.notOn names " + code;
        }
        return onlyOn.isEmpty() || isNamed(onlyOn, code) ? null : "retry.onlyOn does not name " + code;
    }

    private static boolean isNamed(List<String> codes, String code) {
        return code != null && codes.stream().anyMatch(pattern -> isNamed(pattern, code));
    }

    private static boolean isNamed(String pattern, String code) {
        return pattern.endsWith("*")
                ? code.startsWith(pattern.substring(0, pattern.length() - 1))
                : code.equals(pattern);
    }
}
