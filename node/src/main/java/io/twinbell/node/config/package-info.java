/**
 * The configuration of a node: a YAML file, overridden by environment variables and by {@code --set}. Unknown keys and
 * bad values are errors that name the key, its place, and the nearest valid key.
 */
package io.twinbell.node.config;
