/**
 * Writes the systemd units of `webhooks service --systemd`: a hardened, watched and reloadable service with its own
 * user.
 */
import {isIP} from 'node:net'
import {dirname, isAbsolute} from 'node:path'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {listenLines, type ServicePlan} from './service-plan.js'

/** `webhooks listen` ends within 3 s after the seconds of --drain. */
const STOP_SECONDS = 10
/** Ports below this one need a capability. */
const FIRST_FREE_PORT = 1024
/** Enough for the receiver's maximum number of connections and its files. */
const OPEN_FILES = 8192

/** Returns the service unit. Its first lines say how to install it. */
export function serviceUnit(plan: ServicePlan): string {
  const {port, files, capture, program, drain, flags} = plan
  const hasLog = flags.some(({name}) => name === 'log')
  const changes = {port: String(port), ...(hasLog ? {} : {log: 'text'})}
  const lines = listenLines(flags, changes).map(words => words.map(unitWord).join(' '))
  const command = [program.map(unitWord).join(' '), ...lines].join(' \\\n  ')
  const isAtHome = [...files, ...program].some(path => /^\/(home|root|run\/user)\//.test(path))
  const temporary = [...files, ...program, capture ?? ''].find(path => /^\/(var\/)?tmp\//.test(path))
  const bindsLowPort = port < FIRST_FREE_PORT
  const capability = bindsLowPort ? 'CAP_NET_BIND_SERVICE' : ''
  const settings = [
    '[Unit]',
    'Description=Receiver of webhooks (bookctl webhooks listen)',
    'Wants=network-online.target',
    'After=network-online.target',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=notify',
    // The notifications are sent by systemd-notify, which is another process.
    'NotifyAccess=all',
    `ExecStart=${command}`,
    'ExecReload=/bin/kill -HUP $MAINPID',
    'Restart=always',
    'RestartSec=2',
    // Exit code of a command that SIGTERM ended.
    'SuccessExitStatus=143',
    'WatchdogSec=60',
    `TimeoutStopSec=${drain + STOP_SECONDS}`,
    '# The log is on stderr, and every event in the store.',
    'StandardOutput=null',
    '',
    'User=bookctl',
    'Group=bookctl',
    'UMask=0077',
    'StateDirectory=bookctl',
    'StateDirectoryMode=0700',
    'Environment=BOOKCTL_CONFIG_DIR=/var/lib/bookctl',
    'EnvironmentFile=-/etc/bookctl/environment',
    `LimitNOFILE=${OPEN_FILES}`,
    '',
    `AmbientCapabilities=${capability}`,
    `CapabilityBoundingSet=${capability}`,
    ...HARDENING,
    ...(temporary === undefined
      ? ['PrivateTmp=yes']
      : [
          `# ${sanitizeLine(temporary, 200)} would not be there with a /tmp of its own. Old files in /tmp are removed: move it.`,
        ]),
    `ProtectHome=${isAtHome ? 'read-only' : 'yes'}`,
    ...(capture !== undefined && isAbsolute(capture) ? [`ReadWritePaths=${unitPath(dirname(capture))}`] : []),
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ]
  return `${INSTALLATION.map(line => `# ${line}`.trimEnd()).join('\n')}\n${settings.join('\n')}\n`
}

const INSTALLATION = [
  '/etc/systemd/system/bookctl-listen.service',
  'Install:',
  '  useradd --system --home-dir /var/lib/bookctl --shell /usr/sbin/nologin bookctl',
  '  systemctl daemon-reload && systemctl enable --now bookctl-listen',
  'Secrets: /etc/bookctl/environment (root, mode 0600) with lines such as BOOKCTL_WEBHOOK_SECRET=whsec_…',
  'After a change of that file: systemctl restart bookctl-listen',
  'After a change of the files of --cert, --key and --secret-file: systemctl reload bookctl-listen',
  'For restarts that refuse no connection, add the unit of --systemd --socket.',
]

const HARDENING = [
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'PrivateDevices=yes',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectSystem=strict',
  'RemoveIPC=yes',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
]

/** Returns the socket unit, with which systemd keeps the socket open while the service restarts. */
export function socketUnit({host, port}: ServicePlan): string {
  const address = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`
  return `# /etc/systemd/system/bookctl-listen.socket
# Install: systemctl daemon-reload && systemctl stop bookctl-listen && systemctl enable --now bookctl-listen.socket
[Unit]
Description=Socket of the receiver of webhooks

[Socket]
ListenStream=${isIP(host) === 0 ? port : address}
Backlog=4096

[Install]
WantedBy=sockets.target
`
}

/** Quotes a word for a command line in a unit. */
function unitWord(word: string): string {
  const text = word.replace(/%/g, '%%').replace(/\$/g, '$$$$')
  return /^[\w@%+=:,./*$-]+$/.test(text) ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`
}

function unitPath(path: string): string {
  return /\s/.test(path) ? `"${path.replace(/%/g, '%%')}"` : path.replace(/%/g, '%%')
}
