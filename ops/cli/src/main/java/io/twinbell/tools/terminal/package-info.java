/**
 * Output for people and for programs: tables, progress, YAML and JSON, made safe for terminals.
 */
package io.twinbell.tools.terminal;
