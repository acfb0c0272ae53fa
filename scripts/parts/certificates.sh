# shellcheck shell=bash
# Which certificates the command line uses for the pair that scripts/pair started with --secure.

# export_certificates DIR: keeps what the variables say already. Nodes may ask for a client's certificate.
export_certificates() {
    export TWINBELL_CA=${TWINBELL_CA:-$1/ca.pem}
    if [ -z "${TWINBELL_CERT:-}" ] && [ -r "$1/operator-key.pem" ]; then
        export TWINBELL_CERT=$1/operator.pem TWINBELL_KEY=$1/operator-key.pem
    fi
}
