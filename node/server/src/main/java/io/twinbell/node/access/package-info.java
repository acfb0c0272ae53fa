/**
 * The sender of a request, and the sender's rights: roles, apps and grants. Nothing here does I/O: what is refused is
 * counted in memory, and entered in the audit by others.
 */
package io.twinbell.node.access;
