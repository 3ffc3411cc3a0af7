#!/bin/sh
# Creates vectors.json with openssl alone, so that the vectors and our code cannot share a mistake. Run it in this directory.
# Bodies are written with the octal escapes of printf, and stored as base64 because they need not be text.
set -eu
vector() { # name, secret, timestamp, body as a printf format, now, expected reason, [prefix of the header]
  printf "$4" > body.bin
  digest=$({ printf '%s.' "$3"; cat body.bin; } | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$(printf "$2" | od -An -v -tx1 | tr -d ' \n')" | sed 's/.*= //')
  [ "$first" = yes ] || printf ',\n'
  first=no
  printf '  {"name": "%s", "secret_base64": "%s", "header": "t=%s,%sv1=%s", "body_base64": "%s", "now": %s, "reason": "%s"}' \
    "$1" "$(printf "$2" | openssl base64 -A)" "$3" "${7:-}" "$digest" "$(openssl base64 -A -in body.bin)" "$5" "$6"
}
EVENT='{"id":"evt_01","type":"reservation.confirmed"}'
ZEROS=0000000000000000000000000000000000000000000000000000000000000000
first=yes
{
  printf '[\n'
  vector 'the event of the interface' whsec_test 1700000000 "$EVENT" 1700000000 ok
  vector '300 s old' whsec_test 1700000000 "$EVENT" 1700000300 ok
  vector '301 s old' whsec_test 1700000000 "$EVENT" 1700000301 timestamp_outside_tolerance
  vector '300 s ahead' whsec_test 1700000000 "$EVENT" 1699999700 ok
  vector '301 s ahead' whsec_test 1700000000 "$EVENT" 1699999699 timestamp_outside_tolerance
  vector 'zeros before the timestamp are signed as they stand' whsec_test 001700000000 "$EVENT" 1700000000 ok
  vector 'timestamp of one digit' whsec_test 0 "$EVENT" 0 ok
  vector 'timestamp of twelve digits' whsec_test 999999999999 "$EVENT" 999999999999 ok
  vector 'timestamp of thirteen digits' whsec_test 1700000000000 "$EVENT" 1700000000 malformed_header
  vector 'empty body' whsec_test 1700000000 '' 1700000000 ok
  vector 'not UTF-8' whsec_test 1700000000 '\377\376\200{\000}' 1700000000 ok
  vector 'U+FFFD is not the byte FF' whsec_test 1700000000 '\357\277\275' 1700000000 ok
  vector 'byte order mark' whsec_test 1700000000 "\\357\\273\\277$EVENT" 1700000000 ok
  vector 'ends with CR LF' whsec_test 1700000000 "$EVENT\\r\\n" 1700000000 ok
  vector 'Turkish letters' whsec_test 1700000000 '{"id":"evt_02","name":"Ay\305\237e \303\226\304\237\303\274t"}' 1700000000 ok
  vector 'NUL bytes' whsec_test 1700000000 '\000\000\000' 1700000000 ok
  vector 'a secret longer than a block' whsec_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 1700000000 "$EVENT" 1700000000 ok
  vector 'a secret beyond ASCII' 'whsec_\305\237\304\237' 1700000000 "$EVENT" 1700000000 ok
  vector 'the second v1 is right' whsec_test 1700000000 "$EVENT" 1700000000 ok "v1=$ZEROS,"
  vector 'v0 is passed over' whsec_test 1700000000 "$EVENT" 1700000000 ok 'v0=abc,'
  vector 'an empty unknown field' whsec_test 1700000000 "$EVENT" 1700000000 ok 'x=,'
  vector 'two t' whsec_test 1700000000 "$EVENT" 1700000000 malformed_header 't=1700000000,'
  vector 'a blank' whsec_test 1700000000 "$EVENT" 1700000000 malformed_header ' '
  vector 'an empty field' whsec_test 1700000000 "$EVENT" 1700000000 malformed_header ','
  vector 'a wrong v1 that is no digest' whsec_test 1700000000 "$EVENT" 1700000000 malformed_header 'v1=abc,'
  vector 'signed with an unknown secret' whsec_other 1700000000 "$EVENT" 1700000000 signature_mismatch
  vector 'wrong and old is a mismatch' whsec_other 1700000000 "$EVENT" 1800000000 signature_mismatch
  printf '\n]\n'
} > vectors.json
rm -f body.bin
