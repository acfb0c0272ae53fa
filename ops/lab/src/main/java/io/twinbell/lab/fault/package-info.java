/**
 * The faults that can be drilled, one class each: what it does, what it requires of the pair, and its required effect
 * on the roles. This package has what all faults share; the faults are in the packages below, and the package
 * {@code catalog} lists them all.
 */
package io.twinbell.lab.fault;
