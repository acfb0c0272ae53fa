import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Run by {@code ./mvnw} as a single source file: downloads where there is neither curl nor wget, and checks the sum. */
final class Fetch {
    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "get" -> {
                try {
                    get(URI.create(arguments[1]), Path.of(arguments[2]));
                } catch (IOException e) {
                    System.err.println(e);
                    System.exit(1);
                }
            }
            case "sha512" -> System.out.println(sha512(Path.of(arguments[1])));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void get(URI from, Path to) throws IOException {
        URLConnection connection = from.toURL().openConnection();
        connection.setConnectTimeout(10_000);
        connection.setReadTimeout(60_000);
        try (InputStream body = connection.getInputStream()) {
            Files.copy(body, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static String sha512(Path file) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-512").digest(Files.readAllBytes(file)));
    }
}
