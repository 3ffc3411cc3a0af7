/** Ways to write, and names that resolve to, addresses no event may be sent to. */

/** What names resolve to: one list for each time they are asked for, the last for all that follow. */
export const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'here.example': [['127.0.0.1']],
  'rebinding.example': [['127.0.0.1'], ['10.0.0.1']],
  'xn--bcher-kva.example': [['10.0.0.1']],
  'xn--e1awd7f.example': [['192.168.1.1']],
  localhost: [['10.0.0.1']],
  'metadata.google.internal': [['169.254.169.254']],
  'private.example': [['10.0.0.1']],
  'metadata.example': [['169.254.169.254']],
  'unspecified.example': [['0.0.0.0']],
  'unspecified6.example': [['::']],
  'mapped.example': [['::ffff:127.0.0.1']],
  'nat64.example': [['64:ff9b::7f00:1']],
  '6to4.example': [['2002:7f00:1::']],
  'teredo.example': [['2001:0:4136:e378:8000:63bf:80ff:fffe']],
  'local6.example': [['fd00::1']],
  'zone.example': [['fe80::1%lo']],
  'mixed.example': [['127.0.0.1', '10.0.0.1']],
  'mixed6.example': [['::1', '169.254.169.254']],
  'multicast.example': [['224.0.0.1']],
  'broadcast.example': [['255.255.255.255']],
  'nowhere.example': [[]],
}

/** Hosts separated by spaces, with the edges of every special range of IANA's registries; each is tried with both schemes. */
export const HOSTS = String.raw`
  10.0.0.1 167772161 0x0a000001 0xA000001 012.0.0.1 0xa.0.0.1 10.1 10.0.1 00012.0x0.0.1 2852039166 0xa9fea9fe
  0251.0376.0251.0376 169.254.43518 0xA9.0xFE.0xA9.0xFE 169.254.169.254 3232235777 192.168.257 0300.0250.1.1 172.16.0.1
  0xac.0x10.1 2886729729 100.64.0.1 100.100.100.200 168.63.129.16 192.0.0.192 10.255.255.255

  0.0.0.0 0 0x0 00000 0.0 0.0.0.0. 0.1.2.3 224.0.0.1 239.255.255.250 255.255.255.255 0xffffffff 4294967295 240.0.0.1
  198.18.0.1 192.0.2.1 198.51.100.1 203.0.113.1 192.88.99.1

  [::] [0:0:0:0:0:0:0:0] [::0.0.0.0] [fd00::1] [fd00:ec2::254] [fe80::1] [fec0::1] [ff02::1] [2001:db8::1] [100::1]
  [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::FFFF:10.0.0.1] [::ffff:a9fe:a9fe] [::127.0.0.1]
  [::ffff:0:127.0.0.1] [::ffff:0.0.0.0] [64:ff9b::127.0.0.1] [64:ff9b::a00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::]
  [2002:a9fe:a9fe::1] [2001:0:4136:e378:8000:63bf:80ff:fffe] [5f00::1]

  00 0.255.255.255 172.16.1 0254.020.0.1 0xac100001 172.31.255.255 192.168.1 192.168.0.1 192.168.255.255 0xc0.0xa8.0.1
  0300.0250.0.1 3232235521 0xc0a80001 100.127.255.255 169.254.0.1 169.254.170.2 192.0.0.1 192.0.0.8 192.31.196.1
  192.52.193.1 192.175.48.1 198.19.255.255 198.51.100.7 203.0.113.9 239.255.255.255 0xe0000001 250.1.2.3
  [::ffff:10.0.0.1] [::ffff:8.8.8.8] [::FFFF:192.168.0.1] [::10.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b:1::a00:1]
  [2002:a00:1::1] [2001::1] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [fc00::1] [fdff::1] [febf::1] [ff0e::1] [2001:2::1]
  [2001:10::1] [2001:20::1] [3fff::1] [3ffe::1] [2620:4f:8000::1] [4000::1] [::2] [1::1] [e000::1]

  10.0.0.1. 169.254.169.254. １０.０.０.１ ①⓪.⓪.⓪.① 10。0。0。1 10．0．0．1 10｡0｡0｡1 １６９。２５４。１６９。２５４ %31%30.0.0.1
  %31%30%2e0%2e0%2e1 0ｘ0a000001 ¹⁰.⁰.⁰.¹ 𝟏𝟎.𝟎.𝟎.𝟏 169.254.169.254%2e 1\u00ad0.0.0.1 10.0.0.1%00 %30%78%30a000001

  partner.example@10.0.0.1 partner.example:443@10.0.0.1 127.0.0.1:80@10.0.0.1 a@b@10.0.0.1 @10.0.0.1 user@127.0.0.1
  127.0.0.1%00@10.0.0.1 127.0.0.1%20@10.0.0.1 127.0.0.1&@10.0.0.1 10.0.\t0.1 10.\n0.0.1 1\r\n0.0.0.1

  private.example PRIVATE.example. metadata.example metadata.google.internal unspecified.example unspecified6.example
  mapped.example nat64.example 6to4.example teredo.example local6.example zone.example mixed.example mixed6.example
  multicast.example broadcast.example nowhere.example bücher.example xn--bcher-kva.example сайт.example localhost
  ｐｒｉｖａｔｅ.example ⓟrivate。example LOCALHOST. no-such.example 127.0.0.1.private.example 10.0.0.1.no-such.example
`
  .split(/ |\n\s*/)
  .filter(host => host !== '')
  .map(host => host.replace(/\\[tnr]|\\u00ad/g, escape => JSON.parse(`"${escape}"`)))

/** Whole addresses, as inside the quotes of JSON, with _ for a space; PORT is that of the listener. */
export const WHOLE = String.raw`
  HTTPS://10.0.0.1:PORT/ HtTp://10.0.0.1:PORT/ https:10.0.0.1:PORT/ https:/10.0.0.1:PORT https:\\\\10.0.0.1:PORT\\x
  https:///10.0.0.1:PORT/ https:////10.0.0.1:PORT/ _https://10.0.0.1:PORT/_ \thttps://10.0.0.1:PORT/
  ht\ntps://10.0.0.1:PORT/ https://10.0.0.1\\@partner.example/ https://10.0.0.1#@partner.example/
  https://10.0.0.1?@partner.example/ https://10.0.0.1;partner.example/ https://10.0.0.1:PORT:80/ https://10.0.0.1:0/
  https://10.0.0.1:99999/ https://10.0.0.1:22/ https://127.0.0.1_@10.0.0.1/ https://10.0.0.1\\.partner.example/

  https://[fe80::1%25lo]:PORT/ https://[fe80::1%lo]:PORT/ https://[::1%25lo]:PORT/ https://[::1]x:PORT/
  https://[127.0.0.1]:PORT/ https://[v1.127]/ https://256.256.256.256/ https://1.2.3.4.5/ https://0x100000000/
  https://10.0.0.0x/ https://08.0.0.1/ https://[::ffff:127.0.0.1/ https://:PORT/ https:// http://

  ftp://127.0.0.1:PORT/ file:///etc/passwd file://127.0.0.1:PORT/x gopher://127.0.0.1:PORT/_x dict://127.0.0.1:PORT/
  ws://127.0.0.1:PORT/ wss://127.0.0.1:PORT/ ldap://127.0.0.1:PORT/ jar:https://127.0.0.1:PORT!/ data:text/plain,x
  javascript:0 blob:https://127.0.0.1:PORT/x unix:/var/run/docker.sock http://unix:/var/run/docker.sock:/x
  //127.0.0.1:PORT/ 127.0.0.1:PORT view-source:https://127.0.0.1:PORT/ https://\u0000127.0.0.1:PORT/ http+unix://%2Fx/
`
  .split(/ |\n\s*/)
  .filter(form => form !== '')
  .map(form => JSON.parse(`"${form.replaceAll('_', ' ')}"`) as string)
