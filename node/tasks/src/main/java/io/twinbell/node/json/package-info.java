/**
 * Strict JSON: one document, no duplicate members, every mistake reported with its JSON pointer, and a bound on size
 * and depth before memory is spent.
 */
package io.twinbell.node.json;
