/**
 * Prints the usage of a workspace in a month, by language pair, the most used first:
 *
 *   node examples/usage-report.ts [2026-11]
 *
 * The default is the current month (UTC). LINGUALOOP_URL sets the service. LINGUALOOP_EMAIL and LINGUALOOP_PASSWORD
 * must be those of an administrator, because an API key cannot read usage. If necessary, the program asks for a
 * verification code.
 *
 * Exit codes: 0 printed, 1 the service rejected a request or stopped responding, 2 the program could not begin.
 */
import { createInterface } from 'node:readline/promises';
// In your own project: from '@lingualoop/sdk'.
import { LinguaLoop, LinguaLoopError } from '#sdk/index.ts';

interface Pair {
  name: string;
  jobs: number;
  chars: number;
}

process.exitCode = await main(process.argv[2]);

async function main(period: string | undefined): Promise<number> {
  const { LINGUALOOP_URL: baseUrl, LINGUALOOP_EMAIL: email, LINGUALOOP_PASSWORD: password } = process.env;
  if (!baseUrl || !email || !password) {
    console.error('LINGUALOOP_URL, LINGUALOOP_EMAIL and LINGUALOOP_PASSWORD must be set');
    return 2;
  }
  const client = new LinguaLoop({ baseUrl });
  try {
    const { user } = await client.auth.signIn({ email, password }, { onMfa: askForCode });
    try {
      print(await pairsOf(client, user.tenant_id, period));
    } finally {
      await client.auth.signOut();
    }
    return 0;
  } catch (error) {
    if (!(error instanceof LinguaLoopError)) throw error;
    console.error(error.message);
    return 1;
  }
}

/** Adds up the records while they arrive, because they may not all fit into memory. */
async function pairsOf(client: LinguaLoop, tenantId: string, period: string | undefined): Promise<Pair[]> {
  const pairs = new Map<string, Pair>();
  for await (const record of client.usage.records(tenantId, { period })) {
    const name = `${record.source_lang} to ${record.target_lang}`;
    const pair = pairs.get(name) ?? { name, jobs: 0, chars: 0 };
    pair.jobs += 1;
    pair.chars += record.billable_chars;
    pairs.set(name, pair);
  }
  return [...pairs.values()].sort((a, b) => b.chars - a.chars || a.name.localeCompare(b.name));
}

function print(pairs: Pair[]): void {
  const total: Pair = { name: 'total', jobs: 0, chars: 0 };
  for (const { jobs, chars } of pairs) {
    total.jobs += jobs;
    total.chars += chars;
  }
  const rows = [...pairs, total].map(({ name, jobs, chars }) => [name, String(jobs), String(chars)]);
  const table = [['pair', 'jobs', 'characters'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const [name = '', ...figures] of table) {
    const right = figures.map((figure, column) => figure.padStart(widths[column + 1] ?? 0));
    console.log([name.padEnd(widths[0] ?? 0), ...right].join('  '));
  }
}

async function askForCode(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question('Authenticator code: ');
  } finally {
    terminal.close();
  }
}
