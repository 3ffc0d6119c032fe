import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { TokenStore, Tokens } from '../../../src/index.ts';
import { type Call, type Command, exitCodes, Failed, UsageError } from '../command.ts';
import {
  checkCredential,
  clientOf,
  credentialsPath,
  openClient,
  readUrl,
  removeCredentials,
  storeCredentials,
  urlOf,
} from '../credentials.ts';
import { type Io, printable, readAll, say, tell } from '../io.ts';

export const login: Command = {
  summary: 'store the URL of a service and a credential',
  options: {
    email: { summary: 'sign in as a member instead of with an API key', value: 'EMAIL' },
    tenant: { summary: 'with --email: the ID of the workspace, if the email is in several', value: 'ID' },
  },
  notes: [
    'The API key, or the password, is asked for, or read from standard input. Administration, such as usage, needs a member.',
    'The credential is checked, and stored in a file that only you can read.',
  ],
  examples: [
    'lingualoop login --url https://translate.example.com',
    'lingualoop login --url https://translate.example.com < key.txt',
    'lingualoop login --email ada@example.com',
  ],
  run: async ({ io, values }) => {
    const known = values.text('url') ?? io.env['LINGUALOOP_URL'];
    const url = readUrl(known || (await ask(io, 'URL of the service: ')));
    const email = values.text('email');
    return email === undefined ? withKey(io, url) : asMember(io, url, email, values.text('tenant'));
  },
};

async function withKey(io: Io, url: string): Promise<number> {
  const apiKey = (await askSecret(io, 'API key: ')).trim();
  if (apiKey === '') throw new UsageError('the API key is empty');
  await checkCredential(clientOf(url, { apiKey }), io.signal);
  await storeCredentials(io, url, { apiKey });
  tell(io, `Signed in to ${url}. The key is in ${credentialsPath(io)}.`);
  return exitCodes.done;
}

async function asMember(io: Io, url: string, email: string, tenantId: string | undefined): Promise<number> {
  const password = (await askSecret(io, `Password of ${email}: `)).replace(/\r?\n$/, '');
  // A sign-in that fails leaves the former credential.
  let tokens: Tokens | null = null;
  const store: TokenStore = {
    load: async () => tokens,
    save: async (next) => {
      tokens = next;
    },
  };
  await clientOf(url, { tokens: store }).auth.signIn(
    { email, password, ...(tenantId !== undefined && { tenantId }) },
    {
      signal: io.signal,
      onMfa: () => ask(io, 'Code of the authenticator app: '),
      onWorkspaces: (all) => chooseWorkspace(io, all),
    },
  );
  await storeCredentials(io, url, tokens ? { tokens } : {});
  tell(io, `Signed in to ${url} as ${email}.`);
  return exitCodes.done;
}

/** Asks which workspace to sign in to. */
async function chooseWorkspace(
  io: Io,
  all: readonly { tenant_id: string; tenant_name: string }[],
): Promise<string> {
  for (const [index, { tenant_name, tenant_id }] of all.entries())
    tell(io, `${index + 1}  ${printable(tenant_name)} (${tenant_id})`);
  const chosen = all[Number(await ask(io, 'Number of the workspace: ')) - 1];
  if (!chosen) throw new UsageError(`a number from 1 to ${all.length} is expected`);
  return chosen.tenant_id;
}

export const logout: Command = {
  summary: 'remove the stored credential',
  run: async ({ io, values }) => {
    const url = await urlOf(io, values);
    if (!(await removeCredentials(io, url))) throw new Failed(`no credential is stored for ${url}`);
    tell(
      io,
      `The credential for ${url} is removed. It stays valid: to end it, revoke the API key or sign out in the browser.`,
    );
    return exitCodes.done;
  },
};

export const whoami: Command = {
  summary: 'print the service, and the credential that commands use',
  run: async ({ io, values }: Call) => {
    const { client, url, source, email } = await openClient(io, values);
    await checkCredential(client, io.signal);
    say(io, `${url} (${source}${email ? `: ${email}` : ''})`);
    return exitCodes.done;
  },
};

/** Asks for a line on the terminal. @throws UsageError without a terminal */
async function ask(io: Io, question: string): Promise<string> {
  if (!io.stdin.isTTY) throw new UsageError(`no terminal to ask for: ${question.replace(/: $/, '')}`);
  // `Io` has only what commands use of a stream.
  const lines = createInterface({ input: io.stdin, output: io.stderr as unknown as NodeJS.WritableStream });
  try {
    return (await lines.question(question, { signal: io.signal })).trim();
  } finally {
    lines.close();
  }
}

/** Asks for a secret without showing it; without a terminal, reads standard input. */
async function askSecret(io: Io, question: string): Promise<string> {
  if (!io.stdin.isTTY) return readAll(io);
  io.stderr.write(question);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: io.stdin, output: hidden, terminal: true });
  try {
    return await lines.question('', { signal: io.signal });
  } finally {
    lines.close();
    io.stderr.write('\n');
  }
}
