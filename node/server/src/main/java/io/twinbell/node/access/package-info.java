/** The sender of a request, and the sender's rights: roles, apps and grants, as values without I/O. */
package io.twinbell.node.access;
