package io.twinbell.node.handler;

import io.twinbell.node.config.NodeConfig.Secret;
import io.twinbell.node.template.HttpUrl;
import io.twinbell.node.template.TemplateException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The secrets of this node's configuration. Tasks know their names only. */
final class Secrets {
    private static final String COVER = "***";

    private final Map<String, Secret> byName;
    private final Map<String, List<String>> forms = new HashMap<>();

    Secrets(Map<String, Secret> byName) {
        this.byName = Map.copyOf(byName);
        byName.forEach((name, secret) -> forms.put(name, SecretForms.of(secret.value())));
    }

    /**
     * The secrets that one call asks for, so that they can be covered in whatever is kept of it.
     *
     * @param app null for an alert, which belongs to none
     */
    Asked ask(String app, HttpUrl receiver) {
        return new Asked(app, receiver);
    }

    /** Why an app's call to a receiver may not carry a secret, if so; one that is not configured is not refused here. */
    Optional<String> refusal(String name, String app, HttpUrl receiver) {
        Secret secret = byName.get(name);
        if (secret == null) {
            return Optional.empty();
        }
        if (!secret.apps().isEmpty() && (app == null || !secret.apps().contains(app))) {
            String who = app == null ? "an alert, which belongs to no app" : "the app \"" + app + "\"";
            return Optional.of("the secret " + name + " is not for " + who + ": secrets." + name
                    + ".apps of the node's configuration names others");
        }
        if (!secret.hosts().isEmpty() && !secret.hosts().names(receiver.host())) {
            return Optional.of("the secret " + name + " may not be sent to " + receiver.host() + ": secrets." + name
                    + ".hosts of the node's configuration names others");
        }
        return Optional.empty();
    }

    /** Looks secrets up and remembers which. */
    final class Asked {
        private final String app;
        private final HttpUrl receiver;
        private final Set<String> names = new HashSet<>();

        private Asked(String app, HttpUrl receiver) {
            this.app = app;
            this.receiver = receiver;
        }

        /** @throws TemplateException if it is not configured on this node, or not for this call */
        String value(String name) {
            Secret secret = byName.get(name);
            if (secret == null || secret.value().isEmpty()) {
                throw new TemplateException("the secret " + name + " is not configured on this node: set secrets."
                        + name + " or secrets." + name + "_FILE");
            }
            refusal(name, app, receiver).ifPresent(reason -> {
                throw new TemplateException(reason);
            });
            names.add(name);
            return secret.value();
        }

        /** The length of the longest text in which one of them may come back. */
        int longest() {
            return names.stream()
                    .mapToInt(name -> forms.get(name).get(0).length())
                    .max()
                    .orElse(0);
        }

        /** Puts stars in the place of every secret: a receiver may well repeat what it was sent. */
        String cover(String text) {
            return Secrets.cover(text, names.stream().map(forms::get).toList());
        }
    }

    /** Puts stars in the place of each form; every list begins with its longest. */
    static String cover(String text, Collection<List<String>> forms) {
        if (text == null) {
            return null;
        }
        String covered = text;
        for (String form : forms.stream()
                .flatMap(List::stream)
                .filter(form -> !form.isEmpty())
                .sorted((one, other) -> other.length() - one.length())
                .toList()) {
            covered = covered.replace(form, COVER);
        }
        return covered;
    }
}
