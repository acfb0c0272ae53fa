/** What every reader of settings needs: files that a configuration names, and the exception that lists its errors. */
package io.twinbell.node.settings;
