/** Who sends a request and what the sender may do: roles, apps and grants, as values without I/O. */
package io.twinbell.node.access;
