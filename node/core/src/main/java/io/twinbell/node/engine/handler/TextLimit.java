package io.twinbell.node.engine.handler;

/** Shortens texts for storage. */
public final class TextLimit {
    private TextLimit() {}

    /**
     * Returns at most this number of characters. The end is never half of a surrogate pair, which cannot be stored.
     */
    public static String to(int length, String text) {
        if (text.length() <= length) {
            return text;
        }
        boolean splitsPair = length > 0 && Character.isHighSurrogate(text.charAt(length - 1));
        return text.substring(0, splitsPair ? length - 1 : length);
    }
}
