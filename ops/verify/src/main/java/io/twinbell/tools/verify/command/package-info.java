/** The commands that judge and measure a pair. */
package io.twinbell.tools.verify.command;
