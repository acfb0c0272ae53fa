/** The commands that show and move the master role, and that pause firing or hold takeover. */
package io.twinbell.tools.cli.cluster;
