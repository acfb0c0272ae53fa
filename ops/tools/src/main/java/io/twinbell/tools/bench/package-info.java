/** Measures an operator's own pair with tasks of its own, and holds the ledger against what was planned. */
package io.twinbell.tools.bench;
