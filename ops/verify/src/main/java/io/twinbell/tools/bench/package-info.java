/** Benchmarks an operator's own pair with tasks of its own, and checks the ledger against the plan. */
package io.twinbell.tools.bench;
