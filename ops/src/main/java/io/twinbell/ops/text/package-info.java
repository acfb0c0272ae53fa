/** What text may be shown to people. */
package io.twinbell.ops.text;
