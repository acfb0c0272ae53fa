package io.twinbell.node.json;

/**
 * One thing that is wrong with a JSON document.
 *
 * @param pointer where, as a JSON pointer (RFC 6901); empty for the whole document
 * @param detail written for the person who typed it
 */
public record FieldError(String pointer, String detail) {}
