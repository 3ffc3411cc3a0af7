/** What `webhooks service` prints is accepted by those who read it: systemd-analyze, and a YAML parser. */
import {spawnSync} from 'node:child_process'
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {parse, parseAllDocuments} from 'yaml'
import {ownHome} from '../support/own.js'

const SERVICE = ['webhooks', 'service']
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

async function printed(...argv: string[]): Promise<string> {
  const {exit, stdout, stderr} = await ownHome().run([...SERVICE, ...argv])
  expect({exit, stderr}).toEqual({exit: 0, stderr: ''})
  return stdout
}

/** Returns the words of a command line of a unit, as systemd reads them. */
function wordsOf(unit: string): string[] {
  const [, line = ''] = /^ExecStart=((?:.*\\\n)*.*)$/m.exec(unit) ?? []
  const words = line.replaceAll('\\\n', ' ').match(/"(?:\\.|[^"\\])*"|\S+/g) ?? []
  const plain = words.map(word => (word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word))
  return plain.map(word => word.replaceAll('%%', '%').replaceAll('$$', '$'))
}

const ROUTE = 'reservation.*=http://127.0.0.1:3000/a b?x=$HOME&y="%n"\\'
const URL_OF_ROUTE = ROUTE.replace('reservation.*=', '')

test('the unit starts listen with the flags given, as its own user, watched and reloadable', async () => {
  const unit = await printed(
    '--systemd',
    '--forward-to',
    ROUTE,
    '--event',
    'reservation.updated',
    '--drain',
    '5',
  )
  const words = wordsOf(unit)
  expect(words.slice(2)).toEqual([
    ...['webhooks', 'listen', '--port', '4020', '--log', 'text'],
    ...['--forward-to', ROUTE, '--event', 'reservation.updated', '--drain', '5'],
  ])
  expect(words[0]).toBe(process.execPath)
  for (const line of [
    'Type=notify',
    'NotifyAccess=all',
    'WatchdogSec=60',
    'SuccessExitStatus=143',
    'TimeoutStopSec=15',
    'User=bookctl',
  ])
    expect(unit.split('\n')).toContain(line)
  expect(unit).toContain('ExecReload=/bin/kill -HUP $MAINPID\n')
  expect(unit).toContain(
    'BOOKCTL_WEBHOOK_SECRET=whsec_…\n# After a change of that file: systemctl restart bookctl-listen\n',
  )
  expect(unit).toContain('CapabilityBoundingSet=\n')
  const low = await printed('--systemd', '--port', '443', '--capture', 'captures/x y.ndjson', '--log', 'json')
  expect(low).toContain('AmbientCapabilities=CAP_NET_BIND_SERVICE\n')
  expect(low).toMatch(/ReadWritePaths="?\/.*captures"?\n/)
  expect(wordsOf(low)).toEqual(
    expect.arrayContaining(['--log', 'json', expect.stringMatching(/^\/.*captures\/x y\.ndjson$/)]),
  )
})

test('a unit that reads files in /tmp has no /tmp of its own', async () => {
  const unit = await printed('--systemd', '--secret-file', '/tmp/signing secret')
  expect(unit).toContain('\n# /tmp/signing secret would not be there with a /tmp of its own.')
  expect(unit).not.toContain('PrivateTmp')
})

test('a unit whose admin port differs after each start is warned of', async () => {
  const {exit, stderr} = await ownHome().run([...SERVICE, '--systemd', '--admin', '0'])
  expect(exit).toBe(0)
  expect(stderr).toMatch(/^Warning: with --admin 0 the port of health and metrics differs after each start/)
})

test.skipIf(!hasSystemd)(
  'systemd-analyze verify accepts the units (skipped where it is not installed)',
  async () => {
    const home = ownHome()
    const flags = [
      '--forward-to',
      ROUTE,
      '--port',
      '443',
      '--cert',
      'c.pem',
      '--key',
      'k.pem',
      '--capture',
      'x y.ndjson',
    ]
    const names = ['bookctl-listen.service', 'bookctl-listen.socket']
    writeFileSync(join(home.directory, names[0] ?? ''), await printed('--systemd', ...flags))
    writeFileSync(join(home.directory, names[1] ?? ''), await printed('--systemd', '--socket', ...flags))
    const options = {cwd: home.directory, encoding: 'utf8'} as const
    const {status, stderr} = spawnSync(
      'systemd-analyze',
      ['verify', ...names.map(name => `./${name}`)],
      options,
    )
    expect({status, stderr}).toEqual({status: 0, stderr: ''})
  },
)

test('the compose file is YAML with the command, a probe over http and the files mounted', async () => {
  const text = await printed(
    '--compose',
    '--forward-to',
    ROUTE,
    '--port',
    '8080',
    '--secret-file',
    'my secret.txt',
  )
  const {services, volumes} = parse(text)
  const service = services['bookctl-listen']
  const words = service.command.map((word: string) => word.replaceAll('$$', '$'))
  expect(words).toEqual([
    ...[
      'webhooks',
      'listen',
      '--host',
      '0.0.0.0',
      '--port',
      '8080',
      '--admin',
      '0.0.0.0:9464',
      '--log',
      'json',
    ],
    ...['--forward-to', ROUTE, '--secret-file', '/etc/bookctl/files/my secret.txt'],
  ])
  expect(service.entrypoint[2]).toBe('exec bookctl "$$@" > /dev/null')
  expect(service.healthcheck.test.at(-1)).toContain('fetch("http://127.0.0.1:9464/readyz")')
  expect(service.ports).toContain('127.0.0.1:8080:8080')
  expect(service.volumes[1]).toMatchObject({
    type: 'bind',
    target: '/etc/bookctl/files/my secret.txt',
    read_only: true,
  })
  expect(service.volumes[1].source).toMatch(/^\/.*\/my secret\.txt$/)
  expect(volumes).toEqual({bookctl: {}})
  expect(text).toContain('network_mode')
  expect(
    parse(await printed('--compose', '--tls', '--admin', '9000')).services['bookctl-listen'].ports,
  ).toEqual(['4020:4020', '127.0.0.1:9000:9000'])
})

test('the manifests are YAML with probes over http, a drain, and a volume', async () => {
  const text = await printed(
    '--kubernetes',
    '--cert',
    'c.pem',
    '--key',
    'k.pem',
    '--forward-to',
    ROUTE.replace('$HOME', '$(HOME)'),
  )
  const documents = parseAllDocuments(text)
  expect(documents.flatMap(({errors, warnings}) => [...errors, ...warnings])).toEqual([])
  const [set, service] = documents.map(document => document.toJS())
  const {spec} = set.spec.template
  const [container] = spec.containers
  expect(container.args).toEqual(
    expect.arrayContaining(['--drain', '5', '--admin', '0.0.0.0:9464', '--cert', '/etc/bookctl/files/c.pem']),
  )
  expect(container.args.at(-1)).toBe(ROUTE.replace('$HOME', '$$(HOME)'))
  expect(container.readinessProbe.httpGet).toEqual({path: '/readyz', port: 'admin'})
  expect(container.livenessProbe.httpGet).toEqual({path: '/healthz', port: 'admin'})
  expect(container.ports).toContainEqual({name: 'admin', containerPort: 9464})
  expect(spec.terminationGracePeriodSeconds).toBe(15)
  expect(spec.securityContext).toMatchObject({runAsNonRoot: true})
  expect([set.kind, service.kind, service.spec.selector]).toEqual([
    'StatefulSet',
    'Service',
    set.spec.template.metadata.labels,
  ])
  expect(text).toContain('--from-file=c.pem=')
})

test('one kind is chosen, and flags that end listen are none of a service', async () => {
  const home = ownHome()
  expect(await home.refusal(SERVICE)).toMatchObject({exit: 2, code: 'missing_flag'})
  expect(await home.refusal([...SERVICE, '--systemd', '--compose'])).toMatchObject({exit: 2})
  expect(await home.refusal([...SERVICE, '--compose', '--socket'])).toMatchObject({exit: 2})
  for (const flag of ['--exit-after=1', '--subscribe', '--secret-stdin', '--dry-run'])
    expect(await home.refusal([...SERVICE, '--systemd', flag])).toMatchObject({exit: 2})
  const wrong = await home.refusal([...SERVICE, '--systemd', '--forward-to', 'http://a.example/'])
  expect(wrong).toMatchObject({exit: 2, code: 'invalid_input'})
  const sameName = ['--cert', '/a/x.pem', '--key', '/b/x.pem']
  for (const kind of ['--compose', '--kubernetes'])
    expect(await home.refusal([...SERVICE, kind, ...sameName])).toMatchObject({
      exit: 2,
      code: 'invalid_input',
    })
  const samePort = await home.refusal([...SERVICE, '--compose', '--admin', '9464', '--port', '9464'])
  expect(samePort).toMatchObject({exit: 2, code: 'invalid_input'})
  expect(await printed('--kubernetes', '--secret-file', '/a b/c.txt')).toContain(
    "--from-file='c.txt=/a b/c.txt'",
  )
  const idle = await home.run([
    ...SERVICE,
    '--systemd',
    '--forward-to',
    `payment.*=${URL_OF_ROUTE}`,
    '--event',
    'voucher.ready',
  ])
  expect(idle.stderr).toContain('gets no events')
  const {result} = await home.json<{files: {name: string; text: string}[]}>([...SERVICE, '--systemd'])
  expect(result).toMatchObject({
    kind: 'systemd',
    files: [{name: 'bookctl-listen.service'}, {name: 'bookctl-listen.socket'}],
  })
})
