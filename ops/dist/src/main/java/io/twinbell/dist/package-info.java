/**
 * Describes what a package contains: checksums, and a bill of materials of all libraries in SPDX format.
 */
package io.twinbell.dist;
