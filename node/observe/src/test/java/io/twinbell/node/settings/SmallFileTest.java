package io.twinbell.node.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SmallFileTest {
    @TempDir
    private Path folder;

    @Test
    void the_text_of_a_file_is_read_through_links() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "grün\n");
        assertEquals("grün\n", SmallFile.read(file));
        assertEquals("grün\n", SmallFile.read(Files.createSymbolicLink(folder.resolve("link"), file)));
    }

    @Test
    void the_refusal_says_what_the_path_is() throws Exception {
        assertEquals("it is a directory, not a file", refusal(folder));
        assertEquals("the file does not exist", refusal(folder.resolve("none")));
        Path link = Files.createSymbolicLink(folder.resolve("dangling"), Path.of("/nowhere/at/all"));
        assertEquals("it is a symbolic link to /nowhere/at/all, which does not exist", refusal(link));
        Path loop = Files.createSymbolicLink(folder.resolve("loop"), folder.resolve("loop"));
        assertEquals(
                "Too many levels of symbolic links or unable to access attributes of symbolic link", refusal(loop));
        Path file = Files.write(folder.resolve("bytes"), new byte[] {(byte) 0xff, 0});
        assertEquals("the file is not UTF-8 text", refusal(file));
        assertEquals("Not a directory", refusal(file.resolve("below")));
        assertEquals(
                "the file is larger than 1 MB", refusal(Files.write(folder.resolve("big"), new byte[(1 << 20) + 1])));
    }

    @Test
    void a_pipe_without_a_writer_and_a_device_without_an_end_are_not_read() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        assertEquals("it is a named pipe, a socket or a device, not a file", refusal(pipe));
        assertEquals("it is a named pipe, a socket or a device, not a file", refusal(Path.of("/dev/zero")));
    }

    private static String refusal(Path file) {
        return assertThrows(IOException.class, () -> SmallFile.read(file)).getMessage();
    }
}
