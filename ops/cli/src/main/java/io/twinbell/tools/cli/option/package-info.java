/** Options, converters and output that several commands share. */
package io.twinbell.tools.cli.option;
