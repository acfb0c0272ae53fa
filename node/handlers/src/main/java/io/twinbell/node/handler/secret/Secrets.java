package io.twinbell.node.handler.secret;

import io.twinbell.node.handler.config.HandlerConfig.Secret;
import io.twinbell.node.template.HttpUrl;
import io.twinbell.node.template.TemplateException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The secrets of this node's configuration. Tasks contain only their names. */
public final class Secrets {
    private final Map<String, Secret> byName;
    private final Map<String, SecretForms> forms = new HashMap<>();

    public Secrets(Map<String, Secret> byName) {
        this.byName = Map.copyOf(byName);
        byName.forEach((name, secret) -> forms.put(name, SecretForms.of(secret.value())));
    }

    /**
     * Returns a lookup for one call that records the secrets it uses, so that they can be masked in everything that is
     * stored of the call.
     *
     * @param app null for an alert, which belongs to no app
     */
    public SecretLookup ask(String app, HttpUrl receiver) {
        return new SecretLookup(app, receiver);
    }

    /**
     * Returns why an app's call to a receiver may not carry a secret; empty if it may. A secret that is not configured
     * is not refused here.
     */
    public Optional<String> refusal(String name, String app, HttpUrl receiver) {
        Secret secret = byName.get(name);
        if (secret == null) {
            return Optional.empty();
        }
        if (!secret.apps().isEmpty() && (app == null || !secret.apps().contains(app))) {
            String who = app == null ? "an alert, because an alert has no app" : "the app \"" + app + "\"";
            return Optional.of("the secret " + name + " is not for " + who + "; secrets." + name
                    + ".apps in the node's configuration lists the apps that may use it");
        }
        if (!secret.hosts().isEmpty() && !secret.hosts().names(receiver.host())) {
            return Optional.of("the secret " + name + " may not be sent to " + receiver.host() + "; secrets." + name
                    + ".hosts in the node's configuration lists the hosts that may receive it");
        }
        return Optional.empty();
    }

    /** Whether this node's configuration has the secret, and it is not empty. */
    public boolean isConfigured(String name) {
        Secret secret = byName.get(name);
        return secret != null && !secret.value().isEmpty();
    }

    /** Looks up secrets and records their names. */
    public final class SecretLookup {
        private final String app;
        private final HttpUrl receiver;
        private final Set<String> names = new HashSet<>();

        private SecretLookup(String app, HttpUrl receiver) {
            this.app = app;
            this.receiver = receiver;
        }

        /** @throws TemplateException if the secret is not configured on this node, or not for this call */
        public String value(String name) {
            if (!isConfigured(name)) {
                throw new TemplateException("the secret " + name + " is not configured on this node: set secrets."
                        + name + " or secrets." + name + "_FILE");
            }
            refusal(name, app, receiver).ifPresent(reason -> {
                throw new TemplateException(reason);
            });
            names.add(name);
            return byName.get(name).value();
        }

        /** The length of the longest form of the used secrets. */
        public int longest() {
            return names.stream()
                    .mapToInt(name -> forms.get(name).longest())
                    .max()
                    .orElse(0);
        }

        /** Replaces every used secret with stars: a receiver may repeat what it was sent. */
        public String cover(String text) {
            return SecretForms.cover(text, names.stream().map(forms::get).toList());
        }
    }
}
