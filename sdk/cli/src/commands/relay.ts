import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { LinguaLoop } from '../../../src/index.ts';
import { type Command, exitCodes, Failed, UsageError } from '../command.ts';
import { openClient } from '../credentials.ts';
import { tell } from '../io.ts';
import { type RelayConfig, RelayError, readConfig } from '../relay/config.ts';
import { lockState } from '../relay/lock.ts';
import { type Pauses, Sender } from '../relay/sender.ts';

export const relay: Command = {
  summary: 'post the events of the workspace to webhooks',
  args: 'CONFIG',
  options: {
    state: { summary: 'the folder of its state (default: lingualoop-relay)', value: 'FOLDER' },
    replay: { summary: 'first send the dead letters again' },
    'skip-gap': { summary: 'continue at the end of the feed if unread events were deleted' },
  },
  notes: [
    'CONFIG is a JSON file with the destinations. The program runs until it is stopped. Each event is delivered at least once, with',
    'the same webhook-id, and in order for each translation, document and import.',
  ],
  examples: ['lingualoop relay relay.json --state /var/lib/lingualoop-relay'],
  run: async ({ io, args: [path = ''], values }) => {
    const config = await configOf(io, path);
    const { client, url } = await openClient(io, values);
    try {
      await runRelay({
        client,
        baseUrl: url,
        config,
        stateDir: resolve(io.cwd, values.text('state') ?? 'lingualoop-relay'),
        signal: io.signal,
        log: (line) => tell(io, line),
        replay: values.has('replay'),
        skipGap: values.has('skip-gap'),
      });
    } catch (error) {
      throw error instanceof RelayError ? new Failed(error.message) : error;
    }
    return exitCodes.done;
  },
};

/** @throws UsageError that names the wrong field */
async function configOf(
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string | undefined>> },
  path: string,
): Promise<RelayConfig> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw new Failed(`cannot read ${path}: ${(error as Error).message}`);
  }
  try {
    return readConfig(JSON.parse(text), env);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${path} is not JSON: ${error.message}`);
    if (error instanceof RelayError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

export interface RelayOptions {
  /** A client with a credential of the workspace. */
  client: LinguaLoop;
  /** The URL of the service, for links in messages, without a slash at the end. */
  baseUrl: string;
  config: RelayConfig;
  /** The directory of the relay's state. It is created if it is missing. */
  stateDir: string;
  /** Stops the relay after the requests in progress. */
  signal: AbortSignal;
  /** Called with lines for the operator of the relay. They contain no secrets. */
  log?: (line: string) => void;
  /** Pauses after failures. Default: from 1 s to 5 min. */
  pauses?: Pauses;
  /** Sends dead letters again, before new events. */
  replay?: boolean;
  /** If events that were not read have been deleted, continues at the end of the feed. Default: the relay fails. */
  skipGap?: boolean;
}

/**
 * Posts the events of a workspace to webhooks, until the signal aborts. Each event is delivered at least once: after a
 * crash, some are repeated with the same `webhook-id`. The first start begins with the events from then on.
 * @throws RelayError if another relay uses the directory, if the state is damaged, or if unread events were deleted; the
 * errors of the client if trying again does not help
 */
export async function runRelay({
  client,
  baseUrl,
  config,
  stateDir,
  signal,
  log = () => {},
  pauses = { firstMs: 1000, maxMs: 300_000 },
  replay = false,
  skipGap = false,
}: RelayOptions): Promise<void> {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const stop = new AbortController();
  let lost: unknown;
  const lock = lockState(stateDir, (error) => {
    lost = error;
    stop.abort();
  });
  try {
    const options = {
      client,
      baseUrl,
      stateDir,
      signal: AbortSignal.any([signal, stop.signal]),
      log,
      pauses,
      replay,
      skipGap,
    };
    const senders = config.destinations.map((destination) => new Sender(destination, options));
    const ends = await Promise.allSettled(
      senders.map((sender) =>
        sender.run().catch((error: unknown) => {
          // The others stop, too: a relay that serves only some destinations would go unnoticed.
          stop.abort();
          throw error;
        }),
      ),
    );
    if (lost) throw lost;
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } finally {
    lock.release();
  }
}
