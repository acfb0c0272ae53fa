package io.twinbell.node.handler;

/** Shortens texts that are kept. */
final class TextLimit {
    private TextLimit() {}

    /** At most so many characters, and no half of a surrogate pair at the end, which cannot be stored. */
    static String to(int length, String text) {
        if (text.length() <= length) {
            return text;
        }
        boolean splitsPair = length > 0 && Character.isHighSurrogate(text.charAt(length - 1));
        return text.substring(0, splitsPair ? length - 1 : length);
    }
}
