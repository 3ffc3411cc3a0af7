/** Writes the compose file and the Kubernetes manifests of `webhooks service`, with health checks over http. */
import {basename} from 'node:path'
import {usage} from '../../../contract/failure.js'
import {shellWord} from '../../../contract/foreign-text.js'
import {isLoopbackHost} from '../../../contract/network.js'
import {listenLines, placeInContainer, type ServicePlan} from './service-plan.js'

const STATE = '/var/lib/bookctl'
const FILES = '/etc/bookctl/files'
const ADMIN_PORT = 9464
const STOP_SECONDS = 10
/** How long a load balancer needs to notice that a container is no longer ready. */
const DRAIN_SECONDS = 5
/** User id of `node` in the image. */
const USER = 1000

/** Standard output is dropped, because the events are in the store and the log is on stderr. */
const START = 'exec bookctl "$@" > /dev/null'

const image = ({version}: ServicePlan) => `bookctl:${version}`

/** Returns comments that say how to build the image. */
const imageLines = (plan: ServicePlan) => [
  `# Image ${image(plan)}, from a directory with the packed project (npm pack) and this Dockerfile:`,
  '#   FROM node:22-slim',
  '#   COPY bookctl-*.tgz /tmp/',
  `#   RUN npm install --global /tmp/bookctl-*.tgz && install --directory --owner=node --group=node ${STATE}`,
  '#   USER node',
]

interface Contained {
  /** The words after `bookctl`, with one line for each flag. */
  readonly lines: readonly (readonly string[])[]
  readonly adminPort: number
  readonly drain: number
  readonly forwardsToItself: boolean
}

/**
 * Adapts the command line to a container: listens on all interfaces, serves health checks on a separate port, and reads
 * files where they are mounted. Throws a usage error if two files would be mounted at the same path.
 */
function contained(plan: ServicePlan, leastDrain: number): Contained {
  const {flags, port, adminPort = ADMIN_PORT, capture} = plan
  const twice = plan.files.find(file =>
    plan.files.some(other => other !== file && basename(other) === basename(file)),
  )
  if (twice !== undefined) {
    const what = `two files are named ${basename(twice)}, and would have one place in the container`
    throw usage('invalid_input', what, 'rename one of them')
  }
  if (adminPort === port)
    throw usage('invalid_input', `--port and --admin are both ${port}`, 'give --admin another port')
  const drain = flags.some(({name}) => name === 'drain') ? plan.drain : leastDrain
  const moved = flags.map(flag =>
    flag.value !== undefined && plan.files.includes(flag.value)
      ? {...flag, value: placeInContainer(FILES, flag.value)}
      : flag,
  )
  const hasLog = flags.some(({name}) => name === 'log')
  const changes = {
    host: '0.0.0.0',
    port: String(port),
    admin: `0.0.0.0:${adminPort}`,
    drain: drain > 0 ? String(drain) : null,
    ...(hasLog ? {} : {log: 'json'}),
    ...(capture === undefined ? {} : {capture: placeInContainer(STATE, capture)}),
  }
  const forwardsToItself = plan.targets.some(target => isLoopbackHost(new URL(target).hostname))
  return {lines: listenLines(moved, changes), adminPort, drain, forwardsToItself}
}

/** Returns the compose file. Strings are written as JSON, which is valid YAML. */
export function composeFile(plan: ServicePlan): string {
  const {port, isTls, files} = plan
  const {lines, adminPort, drain, forwardsToItself} = contained(plan, 0)
  const probe = `fetch("http://127.0.0.1:${adminPort}/readyz").then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))`
  // Doubles every $, because compose would replace a variable.
  const text = (word: string) => JSON.stringify(word.replaceAll('$', '$$$$'))
  const list = (words: readonly string[]) => `[${words.map(text).join(', ')}]`
  const mounts = files.map(file => [
    `      - type: bind`,
    `        source: ${text(file)}`,
    `        target: ${text(placeInContainer(FILES, file))}`,
    `        read_only: true`,
  ])
  const note = forwardsToItself
    ? [
        '    # In a container 127.0.0.1 is the container itself. To forward to the service `app` of this file, share its network,',
        '    # and publish the port there instead of here:',
        '    # network_mode: "service:app"',
      ]
    : []
  return [
    '# compose.yaml',
    ...imageLines(plan),
    '# Secrets: bookctl.env beside this file, with lines such as BOOKCTL_WEBHOOK_SECRET=whsec_…',
    ...(files.length > 0 ? [`# The mounted files must be readable by the user ${USER}.`] : []),
    'services:',
    '  bookctl-listen:',
    `    image: ${text(image(plan))}`,
    `    entrypoint: ${list(['sh', '-c', START, 'bookctl'])}`,
    '    command:',
    ...lines.flatMap(words => words.map(word => `      - ${text(word)}`)),
    '    restart: unless-stopped',
    `    stop_grace_period: ${drain + STOP_SECONDS}s`,
    `    user: "${USER}:${USER}"`,
    '    read_only: true',
    '    cap_drop: [ALL]',
    '    security_opt: ["no-new-privileges:true"]',
    '    tmpfs: [/tmp]',
    '    environment:',
    `      BOOKCTL_CONFIG_DIR: ${STATE}/state`,
    '    env_file:',
    '      - path: bookctl.env',
    '        required: false',
    ...note,
    '    ports:',
    isTls
      ? `      - "${port}:${port}"`
      : `      - "127.0.0.1:${port}:${port}"   # plain http: a proxy with TLS stands before it`,
    `      - "127.0.0.1:${adminPort}:${adminPort}"   # /metrics, /healthz, /readyz`,
    '    volumes:',
    `      - bookctl:${STATE}`,
    ...mounts.flat(),
    '    healthcheck:',
    `      test: ${list(['CMD', 'node', '-e', probe])}`,
    '      interval: 10s',
    '      timeout: 3s',
    '      start_period: 10s',
    '      retries: 3',
    'volumes:',
    '  bookctl: {}',
    '',
  ].join('\n')
}

/** Returns a StatefulSet with its volume, and a Service. */
export function kubernetesManifests(plan: ServicePlan): string {
  const {port, files} = plan
  const {lines, adminPort, drain, forwardsToItself} = contained(plan, DRAIN_SECONDS)
  const text = (word: string) => JSON.stringify(word)
  // Doubles the $ of $(NAME), because Kubernetes would replace a variable.
  const argument = (word: string) => text(word.replaceAll('$(', '$$('))
  const names = files.map(file => `--from-file=${shellWord(`${basename(file)}=${file}`)}`)
  const mountsFiles = files.length > 0
  return [
    ...imageLines(plan),
    '# Secrets: kubectl create secret generic bookctl-listen --from-literal=BOOKCTL_WEBHOOK_SECRET=whsec_…',
    ...(mountsFiles
      ? [`# Files:   kubectl create secret generic bookctl-listen-files ${names.join(' ')}`]
      : []),
    '# With BOOKCTL_STORE (PostgreSQL) in the secret it may have more replicas.',
    ...(forwardsToItself
      ? [
          '# 127.0.0.1 is this pod: add the container of your own receiver to it, or forward to an https address.',
        ]
      : []),
    'apiVersion: apps/v1',
    'kind: StatefulSet',
    'metadata:',
    '  name: bookctl-listen',
    '  labels: {app.kubernetes.io/name: bookctl-listen}',
    'spec:',
    '  serviceName: bookctl-listen',
    '  replicas: 1',
    '  selector:',
    '    matchLabels: {app.kubernetes.io/name: bookctl-listen}',
    '  template:',
    '    metadata:',
    '      labels: {app.kubernetes.io/name: bookctl-listen}',
    '    spec:',
    `      terminationGracePeriodSeconds: ${drain + STOP_SECONDS}`,
    '      automountServiceAccountToken: false',
    '      securityContext:',
    '        runAsNonRoot: true',
    `        runAsUser: ${USER}`,
    `        runAsGroup: ${USER}`,
    `        fsGroup: ${USER}`,
    '        seccompProfile: {type: RuntimeDefault}',
    '      containers:',
    '        - name: listen',
    `          image: ${text(image(plan))}`,
    `          command: [${['sh', '-c', START, 'bookctl'].map(text).join(', ')}]`,
    '          args:',
    ...lines.flatMap(words => words.map(word => `            - ${argument(word)}`)),
    '          env:',
    '            - name: BOOKCTL_CONFIG_DIR',
    `              value: ${STATE}/state`,
    '          envFrom:',
    '            - secretRef: {name: bookctl-listen, optional: true}',
    '          ports:',
    `            - {name: events, containerPort: ${port}}`,
    `            - {name: admin, containerPort: ${adminPort}}`,
    '          startupProbe:',
    '            httpGet: {path: /healthz, port: admin}',
    '            periodSeconds: 1',
    '            failureThreshold: 60',
    '          livenessProbe:',
    '            httpGet: {path: /healthz, port: admin}',
    '            periodSeconds: 10',
    '            timeoutSeconds: 3',
    '          readinessProbe:',
    '            httpGet: {path: /readyz, port: admin}',
    '            periodSeconds: 2',
    '            timeoutSeconds: 2',
    '          securityContext:',
    '            allowPrivilegeEscalation: false',
    '            readOnlyRootFilesystem: true',
    '            capabilities: {drop: [ALL]}',
    '          resources:',
    '            requests: {cpu: 100m, memory: 128Mi}',
    '            limits: {memory: 512Mi}',
    '          volumeMounts:',
    `            - {name: state, mountPath: ${STATE}}`,
    '            - {name: tmp, mountPath: /tmp}',
    ...(mountsFiles ? [`            - {name: files, mountPath: ${FILES}, readOnly: true}`] : []),
    '      volumes:',
    '        - {name: tmp, emptyDir: {}}',
    ...(mountsFiles ? ['        - {name: files, secret: {secretName: bookctl-listen-files}}'] : []),
    '  volumeClaimTemplates:',
    '    - metadata: {name: state}',
    '      spec:',
    '        accessModes: [ReadWriteOnce]',
    '        resources: {requests: {storage: 5Gi}}',
    '---',
    'apiVersion: v1',
    'kind: Service',
    'metadata:',
    '  name: bookctl-listen',
    '  labels: {app.kubernetes.io/name: bookctl-listen}',
    'spec:',
    '  selector: {app.kubernetes.io/name: bookctl-listen}',
    '  ports:',
    `    - {name: events, port: ${port}, targetPort: events}`,
    '',
  ].join('\n')
}
