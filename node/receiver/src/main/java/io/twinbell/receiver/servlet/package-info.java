/** The receiver as a filter of a servlet container. */
package io.twinbell.receiver.servlet;
