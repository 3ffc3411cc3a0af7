/** TCP servers on this machine, and tunnels. */
import {type AddressInfo, connect, createServer, type Socket} from 'node:net'

/** Starts a server that calls `serve` for each connection. Rejects if the port is taken. */
export async function startTcp(serve: (socket: Socket) => void, wantedPort = 0) {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    serve(socket)
  })
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(wantedPort, '127.0.0.1', resolve),
  )
  return {
    port: (server.address() as AddressInfo).port,
    /** The open connections. */
    sockets,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Connects `client` to a port of this machine, after sending it `hello`. */
export function tunnel(client: Socket, port: number, hello = ''): Socket {
  const inner = connect(port, '127.0.0.1', () => client.write(hello)).on('error', () => client.destroy())
  client.on('close', () => inner.destroy())
  return inner.pipe(client).pipe(inner)
}
