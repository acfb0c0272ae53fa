package io.twinbell.node.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.OpenApiRoutes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class CausePageTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([A-Z_]+)` \\| [^|]+ \\|$");
    private static final List<String> CAUSES =
            Arrays.stream(SlotCause.values()).map(Enum::name).toList();

    @Test
    void the_page_explains_every_cause() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "WHY.md"));
        assertEquals(
                CAUSES,
                ROW.matcher(page)
                        .results()
                        .map((MatchResult row) -> row.group(1))
                        .toList());
    }

    @Test
    void the_description_of_the_api_lists_every_cause() {
        JsonNode causes = OpenApiRoutes.document().at("/components/schemas/Explanation/properties/cause/enum");
        List<String> listed = new ArrayList<>();
        causes.forEach(cause -> listed.add(cause.asText()));
        assertEquals(CAUSES, listed);
    }
}
