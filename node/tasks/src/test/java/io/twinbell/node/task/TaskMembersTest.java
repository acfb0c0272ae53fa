package io.twinbell.node.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.json.Member;
import io.twinbell.node.task.reader.TaskMembers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class TaskMembersTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ((?:`\\w+`(?:, )?)+) \\|");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    /** The members that a task must have stand in the sentence above the table. */
    private static final Set<String> REQUIRED = Set.of("app", "name", "schedule", "handler");

    @Test
    void the_page_on_tasks_has_a_row_for_every_member() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "TASKS.md"));
        assertEquals(names(TaskMembers.ALL), rows(page, "## Fields", REQUIRED));
        assertEquals(names(TaskMembers.RETRY.type().members()), rows(page, "## Retries", Set.of()));
    }

    private static Set<String> names(List<Member<?>> members) {
        Set<String> names = new TreeSet<>();
        members.forEach(member -> names.add(member.name()));
        return names;
    }

    private static Set<String> rows(String page, String heading, Set<String> others) {
        String section = page.substring(page.indexOf(heading + "\n"));
        section = section.substring(0, section.indexOf("\n## ", 1));
        Set<String> names = new TreeSet<>(others);
        for (Matcher row = ROW.matcher(section); row.find(); ) {
            NAME.matcher(row.group(1)).results().forEach(name -> names.add(name.group(1)));
        }
        return names;
    }
}
