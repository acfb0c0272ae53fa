/** The {@code java} handler: code of the embedding program or of a plugin, which runs inside this process. */
package io.twinbell.node.handler.jvm;
