/**
 * The process around the library: the main class, signals, and the run that records the class-data archive.
 */
package io.twinbell.daemon;
