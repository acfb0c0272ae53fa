/** How many runs may share something at once, or start in a time. */
package io.twinbell.persistence.limit;
