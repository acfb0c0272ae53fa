package io.twinbell.dist;

import io.twinbell.dist.SbomComponent.Licence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Reads libraries and their POMs, including parents, from the layout of a Maven repository:
 * group/artifact/version/file.
 */
final class MavenRepository {
    private final Path top;

    private MavenRepository(Path top) {
        this.top = top;
    }

    static MavenRepository at(Path top) {
        return new MavenRepository(top);
    }

    /** The libraries, ordered by group, artifact and version. */
    List<SbomComponent> components() throws IOException {
        try (Stream<Path> tree = Files.walk(top)) {
            List<SbomComponent> components = new ArrayList<>();
            for (Path jar : tree.filter(file -> file.toString().endsWith(".jar"))
                    .sorted((one, other) -> one.toString().compareTo(other.toString()))
                    .toList()) {
                components.add(component(jar));
            }
            return components;
        }
    }

    private SbomComponent component(Path jar) throws IOException {
        Path version = jar.getParent();
        Path artifact = version.getParent();
        String group = top.relativize(artifact.getParent()).toString().replace('/', '.');
        String name = artifact.getFileName().toString();
        String number = version.getFileName().toString();
        return new SbomComponent(
                group, name, number, classifier(jar, name, number), Checksums.of(jar), licences(group, name, number));
    }

    /** The part of the file name after the version. */
    private static String classifier(Path jar, String name, String version) {
        String file = jar.getFileName().toString();
        String rest = file.substring((name + "-" + version).length(), file.length() - ".jar".length());
        return rest.isEmpty() ? null : rest.substring(1);
    }

    /** The licences of the POM, or of the nearest parent that states any. */
    private List<Licence> licences(String group, String name, String version) throws IOException {
        Path file = top.resolve(group.replace('.', '/'))
                .resolve(name)
                .resolve(version)
                .resolve(name + "-" + version + ".pom");
        if (Files.notExists(file)) {
            throw new IOException(file + " is missing, so the licence of " + name + " is unknown");
        }
        Element pom = read(file);
        List<Licence> own = children(pom, "licenses").stream()
                .flatMap(list -> children(list, "license").stream())
                .map(licence -> SpdxIds.licence(text(licence, "name"), text(licence, "url")))
                .toList();
        List<Element> parents = children(pom, "parent");
        if (!own.isEmpty() || parents.isEmpty()) {
            return own;
        }
        Element parent = parents.get(0);
        return licences(text(parent, "groupId"), text(parent, "artifactId"), text(parent, "version"));
    }

    private static Element read(Path file) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(file + " can't be read: " + e.getMessage(), e);
        }
    }

    private static List<Element> children(Element parent, String name) {
        return IntStream.range(0, parent.getChildNodes().getLength())
                .mapToObj(parent.getChildNodes()::item)
                .filter(node -> node.getNodeType() == Node.ELEMENT_NODE && name.equals(node.getNodeName()))
                .map(Element.class::cast)
                .toList();
    }

    /** Empty if there is no such element. */
    private static String text(Element parent, String name) {
        return children(parent, name).stream()
                .findFirst()
                .map(element -> element.getTextContent().strip().replaceAll("\\s+", " "))
                .orElse("");
    }
}
