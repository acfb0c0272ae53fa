/** Rules for text that is shown to people. */
package io.twinbell.ops.text;
