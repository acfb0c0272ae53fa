/**
 * The faults that can be drilled: what each does, what it requires of the pair, and its required effect on the roles.
 * This package has what all faults share; the faults are in the packages below, and the package
 * {@code catalog} lists them all.
 */
package io.twinbell.lab.fault;
