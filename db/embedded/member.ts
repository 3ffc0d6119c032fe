import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import type { DataFolder } from './folder.ts';
import { type Joined, joinServer } from './join.ts';
import { stopPostmaster } from './postmaster.ts';
import { isPassing, type Presence } from './presence.ts';
import { servicePassword, serviceRole } from './secrets.ts';

/** Membership of this process in the PostgreSQL of a data folder. */
export interface EmbeddedPostgres {
  /**
   * URL to connect as the service's own role, which owns nothing and is subject to row-level security, to the database
   * `lingualoop`. Changes only if the server had to be restarted and its port was taken.
   */
  readonly url: string;
  /** URL to connect as the owner of the database, who migrates, backs up and restores it. No superuser. */
  readonly ownerUrl: string;
  /**
   * URL to connect as the superuser to the database `postgres`, for tests and benchmarks: they create databases and
   * read pg_stat_statements. The service never uses it.
   */
  readonly superuserUrl: string;
  /**
   * Ends the membership. The last member to leave stops the server and waits for its end. The caller must close all
   * its connections before: a server with other clients keeps running. Further calls are allowed. Rejects if the
   * server does not stop within 60 s.
   */
  leave(): Promise<void>;
}

const firstPauseMs = 100;
const maxPauseMs = 30_000;

/**
 * Keeps the membership until `leave` is called. If the server dies, the members restart it on the same port if the
 * port is free, so that their connection pools reconnect.
 */
export function keepMembership(
  joined: Joined,
  folder: DataFolder,
  binaries: Binaries,
  onNotice: (message: string) => void,
): EmbeddedPostgres {
  const { secrets } = joined;
  const departure = new AbortController();
  let { port } = joined.presence;
  let presence: Presence | undefined;
  let returning: Promise<void> | undefined;
  let leaving: Promise<void> | undefined;

  function enter(next: Presence): void {
    presence = next;
    port = next.port;
    next.gone.then(() => {
      if (departure.signal.aborted) return;
      presence = undefined;
      returning = comeBack(next);
    });
  }

  async function comeBack(lost: Presence): Promise<void> {
    onNotice(`The embedded PostgreSQL in ${folder.root} stopped unexpectedly; restarting it.`);
    await lost.close();
    const { signal } = departure;
    for (let pause = firstPauseMs; !signal.aborted; pause = Math.min(2 * pause, maxPauseMs)) {
      try {
        const { presence: next } = await joinServer(folder, binaries, {
          create: false,
          port,
          onNotice,
          signal,
        });
        const moved = next.port === port ? '' : `, now on port ${next.port}`;
        enter(next);
        onNotice(`The embedded PostgreSQL in ${folder.root} is running again${moved}.`);
        return;
      } catch (error) {
        if (signal.aborted) return;
        onNotice(
          `The embedded PostgreSQL in ${folder.root} could not be restarted: ${(error as Error).message}`,
        );
      }
      await delay(pause, undefined, { signal }).catch(() => {});
    }
  }

  async function leave(): Promise<void> {
    departure.abort();
    await returning;
    if (!presence) return;
    try {
      const left = await presence.stepDown();
      if (left === 'last') await stopPostmaster(folder, binaries);
      if (left === 'strangers') {
        onNotice(
          `The embedded PostgreSQL in ${folder.root} keeps running: other clients are connected to it.`,
        );
      }
    } catch (error) {
      // A temporary error means that the server has just died. The membership has ended with it.
      if (!isPassing(error)) throw error;
    } finally {
      await presence.close();
    }
  }

  const address = (user: string, password: string, database: string) =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  enter(joined.presence);
  return {
    get url() {
      return address(serviceRole, servicePassword(secrets), secrets.database);
    },
    get ownerUrl() {
      return address(secrets.role, secrets.password, secrets.database);
    },
    get superuserUrl() {
      return address(secrets.superuser, secrets.superuserPassword, 'postgres');
    },
    leave: () => {
      leaving ??= leave();
      return leaving;
    },
  };
}
