/** The audit of changes: reading its entries, sealing them in a hash chain, and checking that chain. */
package io.twinbell.node.audit.store;
