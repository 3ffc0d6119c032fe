import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, exitCodes, Failed, UsageError } from '../command.ts';
import { openClient } from '../credentials.ts';
import { tell } from '../io.ts';
import { type RelayConfig, RelayError, readConfig } from '../relay/config.ts';
import { runRelay } from '../relay/relay.ts';

export const relay: Command = {
  summary: 'post the events of the workspace to webhooks',
  args: 'CONFIG',
  count: { min: 1, max: 1 },
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
