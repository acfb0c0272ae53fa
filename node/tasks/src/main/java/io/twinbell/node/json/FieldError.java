package io.twinbell.node.json;

/**
 * One error in a JSON document.
 *
 * @param pointer where, as a JSON pointer (RFC 6901); empty for the whole document
 * @param detail the message for the user
 */
public record FieldError(String pointer, String detail) {}
