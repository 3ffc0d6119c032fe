import { runRelay } from '#cli/commands/relay.ts';
import { readConfig } from '#cli/relay/config.ts';
import { LinguaLoop } from '#sdk/index.ts';

/** A relay in its own process, for tests that kill it. */
const { BASE_URL = '', API_KEY = '', STATE_DIR = '', CONFIG = '' } = process.env;
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await runRelay({
  client: new LinguaLoop({ baseUrl: BASE_URL, apiKey: API_KEY }),
  baseUrl: BASE_URL,
  config: readConfig(JSON.parse(CONFIG), process.env),
  stateDir: STATE_DIR,
  signal: stop.signal,
  pauses: { firstMs: 20, maxMs: 500 },
  log: (line) => console.log(line),
});
