/** A small web application that uses the starter. */
package io.twinbell.orders;
