/** The commands that export, compare and apply manifests. */
package io.twinbell.tools.cli.apply;
