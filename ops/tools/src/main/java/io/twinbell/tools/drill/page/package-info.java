/** Whether the shipped rules page somebody while a fault lasts, and fall silent afterwards: promtool judges what both nodes told. */
package io.twinbell.tools.drill.page;
