/** The files of the web console: plain modules, styles and pictures, which the node serves from its jar. */
package io.twinbell.node.console;
