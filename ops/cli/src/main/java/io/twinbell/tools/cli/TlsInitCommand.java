package io.twinbell.tools.cli;

import io.twinbell.node.tls.TlsInit;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell tls-init}: issues certificates of a private authority for the pair and its clients. */
@Command(
        name = "tls-init",
        description =
                "Creates a private certificate authority and certificates for the two nodes and for clients, for a"
                        + " pair without a PKI. A directory that has an authority keeps it: a later call issues more"
                        + " certificates, or renews them with --renew. The command prints the configuration keys to set.",
        exitCodeList = {"0:created", "1:a file exists already, or cannot be read or written"},
        footer = {
            "  twinbell tls-init tls --node a=10.0.0.11,node-a.example.com --node b=10.0.0.12",
            "  twinbell tls-init tls --node a=10.0.0.11,node-a.example.com --renew",
            "  twinbell tls-init tls --client deploy",
        })
final class TlsInitCommand implements Callable<Integer> {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
    private static final Pattern HOST = Pattern.compile("(\\*\\.)?[A-Za-z0-9_.-]{1,253}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*");
    private static final List<String> THIS_MACHINE = List.of("127.0.0.1", "localhost");
    private static final String AUTHORITY = "ca";

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "Target directory; it is created if it does not exist.")
    private Path directory;

    @Option(
            names = "--node",
            paramLabel = "NAME=HOST[,HOST...]",
            description = "A node, and the names and addresses that it is reached by; repeatable. 127.0.0.1 and"
                    + " localhost are added. Default: nodes a and b on this machine, unless --client is given.")
    private List<String> nodes = List.of();

    @Option(
            names = "--client",
            paramLabel = "NAME",
            description = "A client's certificate, for http.tls.clientCertificates; repeatable.")
    private List<String> clients = List.of();

    @Option(
            names = "--days",
            paramLabel = "N",
            defaultValue = "397",
            description = "How long the certificates are valid, 1 to 3650 days. The authority is valid for 3650 days."
                    + " Default: ${DEFAULT-VALUE}.")
    private int days;

    @Option(
            names = "--renew",
            description = "Replaces certificates and keys that exist. Running nodes use them within seconds.")
    private boolean isRenewal;

    @Override
    public Integer call() throws InterruptedException {
        List<TlsInit.Request> requests = requests();
        TlsInit authority = new TlsInit(directory.toAbsolutePath().normalize(), days);
        try {
            authority.issue(requests, isRenewal);
        } catch (FileAlreadyExistsException e) {
            spec.commandLine()
                    .getErr()
                    .println(e.getMessage() + " exists already; nothing was created (--renew replaces it)");
            return 1;
        } catch (IOException e) {
            spec.commandLine().getErr().println(e.getMessage());
            return 1;
        }
        requests.forEach(request -> print(authority, request));
        return 0;
    }

    private List<TlsInit.Request> requests() {
        if (days < 1 || days > 3650) {
            throw misused("--days must be from 1 to 3650");
        }
        List<String> wanted = nodes.isEmpty() && clients.isEmpty() ? List.of("a", "b") : nodes;
        List<TlsInit.Request> requests = new ArrayList<>();
        wanted.forEach(node -> requests.add(node(node)));
        clients.forEach(client -> requests.add(new TlsInit.Request(name(client), List.of(), TlsInit.Use.CLIENT)));
        Set<String> names = new HashSet<>();
        for (TlsInit.Request request : requests) {
            if (!names.add(request.name())) {
                throw misused("the name " + request.name() + " is given twice");
            }
        }
        return requests;
    }

    private TlsInit.Request node(String given) {
        String[] parts = given.split("=", 2);
        Set<String> hosts = new LinkedHashSet<>();
        if (parts.length == 2) {
            Arrays.stream(parts[1].split(",", -1)).map(this::host).forEach(hosts::add);
        }
        hosts.addAll(THIS_MACHINE);
        return new TlsInit.Request(name(parts[0]), List.copyOf(hosts), TlsInit.Use.NODE);
    }

    private String name(String given) {
        if (!NAME.matcher(given).matches() || given.equals(AUTHORITY)) {
            throw misused("\"" + given + "\" is not a name of letters, digits, \".\", \"_\" and \"-\" (\"" + AUTHORITY
                    + "\" is the authority)");
        }
        return given;
    }

    private String host(String given) {
        if (!HOST.matcher(given).matches()) {
            throw misused("\"" + given + "\" is not a host name or an address");
        }
        return given;
    }

    private ParameterException misused(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private void print(TlsInit authority, TlsInit.Request request) {
        List<String> lines = request.use() == TlsInit.Use.NODE
                ? List.of(
                        "# node " + request.name(),
                        "http:",
                        "  tls:",
                        "    certificate: " + authority.certificate(request.name()),
                        "    key: " + authority.key(request.name()),
                        "    ca: " + authority.certificate(AUTHORITY))
                : List.of(
                        "# client " + request.name(),
                        "twinbell status --ca " + authority.certificate(AUTHORITY) + " --cert "
                                + authority.certificate(request.name()) + " --key " + authority.key(request.name()));
        lines.forEach(spec.commandLine().getOut()::println);
    }
}
