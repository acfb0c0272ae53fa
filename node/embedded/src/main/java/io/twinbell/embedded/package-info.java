/** What the jar for applications has beside the node and its libraries. */
package io.twinbell.embedded;
