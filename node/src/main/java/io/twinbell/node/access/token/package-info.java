/** Tokens: how they are made and recognized, and how long a node trusts what it last read of them. */
package io.twinbell.node.access.token;
