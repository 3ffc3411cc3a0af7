#!/bin/sh
# Creates the certificates of the TLS tests with openssl. They are valid for a hundred years, except for the expired one and
# the one that begins in the next century. Run it in this directory. The keys are only for tests.
set -eu
key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }
leaf() { # name, start, end, subjectAltName
  key "$1"
  openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
  printf 'subjectAltName=%s\n' "$4" > "$1.ext"
  openssl ca -batch -config ca.cnf -in "$1.csr" -startdate "$2" -enddate "$3" -extfile "$1.ext" -notext -out "$1.pem"
}
printf '[ca]\ndefault_ca=d\n[d]\nnew_certs_dir=.\ndatabase=index.txt\nserial=serial\ncertificate=ca.pem\nprivate_key=ca.key\ndefault_md=sha256\npolicy=p\nunique_subject=no\n[p]\ncommonName=supplied\n' > ca.cnf
: > index.txt; echo 01 > serial
key ca
openssl req -x509 -new -key ca.key -subj '/CN=Test Authority' -days 36500 -out ca.pem
leaf good 20200101000000Z 21190101000000Z 'DNS:localhost,DNS:service.test,IP:127.0.0.1'
leaf expired 20200101000000Z 20210101000000Z 'DNS:localhost,IP:127.0.0.1'
leaf not-yet-valid 21000101000000Z 21190101000000Z 'DNS:localhost,IP:127.0.0.1'
leaf other-host 20200101000000Z 21190101000000Z 'DNS:other.test'
key self-signed
openssl req -x509 -new -key self-signed.key -subj '/CN=localhost' -addext 'subjectAltName=IP:127.0.0.1' -days 36500 -out self-signed.pem
rm -f ./*.csr ./*.ext ca.key ca.cnf index.txt* serial* [0-9]*.pem
