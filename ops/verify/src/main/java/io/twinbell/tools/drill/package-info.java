/** What each drill needs: its lines, its exceptions, signals, and repairs that are made however it ends. */
package io.twinbell.tools.drill;
