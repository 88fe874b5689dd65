// A TCP proxy on the loopback interface that delays, cuts, freezes and refuses connections to a server.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { ProxyLane } from './proxy-lane.ts';

export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** In milliseconds, for each direction: 0.5 and 0.5 make a round trip 1 ms longer. */
export interface Delay {
  readonly toServer: number;
  readonly toClient: number;
}

export interface TestProxy {
  readonly host: string;
  readonly port: number;
  /** How many connections were made so far. */
  readonly connections: number;
  /** How often a client sent something after an answer, over all connections. */
  readonly roundTrips: number;
  delay(delay: Delay): void;
  /** Cuts the connection that passes the limit, once. The bytes of both directions of all connections count from now on. */
  cutAfter(bytes: number): void;
  /** Cuts every connection. New ones are made. */
  cut(): void;
  /** Keeps every byte until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Resets every new connection, until `accept`. */
  refuse(): void;
  accept(): void;
  close(): Promise<void>;
}

export async function startProxy(target: ProxyTarget): Promise<TestProxy> {
  const proxy = new RunningProxy(target);
  await proxy.listen();
  return proxy;
}

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  readonly lanes: readonly ProxyLane[];
  isFromServer: boolean;
}

class RunningProxy implements TestProxy {
  readonly host = '127.0.0.1';
  connections = 0;
  roundTrips = 0;
  readonly #target: ProxyTarget;
  readonly #listener: Server;
  readonly #open = new Set<Connection>();
  #delay: Delay = { toServer: 0, toClient: 0 };
  #bytesLeft = Number.POSITIVE_INFINITY;
  #isFrozen = false;
  #refuses = false;

  constructor(target: ProxyTarget) {
    this.#target = target;
    this.#listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#connect(client));
  }

  async listen(): Promise<void> {
    this.#listener.listen(0, this.host);
    await once(this.#listener, 'listening');
  }

  get port(): number {
    const address = this.#listener.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  }

  delay(delay: Delay): void {
    this.#delay = delay;
  }

  cutAfter(bytes: number): void {
    this.#bytesLeft = bytes;
  }

  cut(): void {
    for (const connection of this.#open) destroy(connection);
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const { lanes } of this.#open) for (const lane of lanes) lane.pass();
  }

  refuse(): void {
    this.#refuses = true;
  }

  accept(): void {
    this.#refuses = false;
  }

  async close(): Promise<void> {
    this.#listener.close();
    this.cut();
    await once(this.#listener, 'close');
  }

  #connect(client: Socket): void {
    if (this.#refuses) {
      client.resetAndDestroy();
      return;
    }
    this.connections += 1;
    const server = connect({ ...this.#target, allowHalfOpen: true, noDelay: true });
    const isFrozen = (): boolean => this.#isFrozen;
    const [toServer, toClient] = [new ProxyLane(server, isFrozen), new ProxyLane(client, isFrozen)];
    const connection = { client, server, lanes: [toServer, toClient], isFromServer: true };
    this.#open.add(connection);
    const fromClient = (bytes?: Buffer): void => this.#fromClient(connection, toServer, bytes);
    const fromServer = (bytes?: Buffer): void => this.#fromServer(connection, toClient, bytes);
    client.on('data', fromClient).on('end', fromClient);
    server.on('data', fromServer).on('end', fromServer);
    for (const socket of [client, server]) {
      // A reset is expected: the tests kill servers and clients.
      socket.on('error', () => destroy(connection));
      socket.on('close', () => {
        this.#open.delete(connection);
        destroy(connection);
      });
    }
  }

  #fromClient(connection: Connection, lane: ProxyLane, bytes: Buffer | undefined): void {
    if (connection.isFromServer && bytes !== undefined) this.roundTrips += 1;
    connection.isFromServer = false;
    this.#pass(connection, lane, bytes, this.#delay.toServer);
  }

  #fromServer(connection: Connection, lane: ProxyLane, bytes: Buffer | undefined): void {
    connection.isFromServer = true;
    this.#pass(connection, lane, bytes, this.#delay.toClient);
  }

  #pass(connection: Connection, lane: ProxyLane, bytes: Buffer | undefined, delay: number): void {
    const length = bytes?.length ?? 0;
    lane.push(bytes?.subarray(0, this.#bytesLeft), delay);
    this.#bytesLeft -= length;
    if (this.#bytesLeft >= 0) return;
    this.#bytesLeft = Number.POSITIVE_INFINITY;
    destroy(connection);
  }
}

function destroy({ client, server }: Connection): void {
  client.destroy();
  server.destroy();
}
