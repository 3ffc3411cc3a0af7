/**
 * How many connections may be open. When one too many comes, the one that has been idle longest makes room for it,
 * so that thousands of idle connections keep no sender out.
 */
import type {Server, Socket} from 'node:net'

export interface Connections {
  busy(socket: Socket): void
  idle(socket: Socket): void
  closeIdle(): void
}

/** Room for those in a TLS handshake, which are not counted yet. */
const HANDSHAKES = 500

/** `arrival` is the server's event for a connection that may send requests. */
export function boundConnections(
  server: Server,
  arrival: 'connection' | 'secureConnection',
  most: number,
): Connections {
  const open = new Set<Socket>()
  // A Set keeps the order of insertion: the first has been idle longest.
  const idle = new Set<Socket>()
  server.maxConnections = most + HANDSHAKES
  server.on(arrival, (socket: Socket) => {
    open.add(socket)
    idle.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      idle.delete(socket)
    })
    const [oldest] = idle
    if (open.size > most && oldest !== socket) oldest?.destroy()
  })
  return {
    busy: socket => void idle.delete(socket),
    idle(socket) {
      if (open.has(socket)) idle.add(socket)
    },
    closeIdle() {
      for (const socket of idle) socket.destroy()
    },
  }
}
