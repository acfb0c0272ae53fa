/**
 * A small web application that embeds a node, built with the library versions that a release of Spring Boot manages.
 */
package io.twinbell.boot;
