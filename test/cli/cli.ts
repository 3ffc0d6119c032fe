import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Io } from '#cli/io.ts';
import { run } from '#cli/program.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { testFolder } from '#test/setup/launch.ts';

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Creates a folder with files, a workspace, and functions that run commands there with the workspace's key. */
export async function openProject(app: TestApp, files: Record<string, string | Uint8Array> = {}) {
  const folder = await testFolder();
  const config = await testFolder();
  const signup = await app.signUp();
  const credentials = { LINGUALOOP_URL: app.address, LINGUALOOP_API_KEY: signup.apiKey };
  const write = async (path: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) await write(path, content);
  /** Runs a command as `lingualoop` does. */
  const lingualoop = async (
    argv: readonly string[],
    {
      env = credentials,
      stdin = '',
      signal = new AbortController().signal,
      cwd = folder,
    }: Partial<{ env: Io['env']; stdin: string; signal: AbortSignal; cwd: string }> = {},
  ): Promise<Ran> => {
    const output: Record<'out' | 'err', string[]> = { out: [], err: [] };
    const io: Io = {
      stdin: Readable.from([Buffer.from(stdin)]),
      stdout: { write: (text) => output.out.push(text) },
      stderr: { write: (text) => output.err.push(text) },
      env: { XDG_CONFIG_HOME: config, ...env },
      cwd,
      signal,
    };
    const code = await run(argv, io);
    return { code, out: output.out.join(''), err: output.err.join('') };
  };
  return {
    ...signup,
    folder,
    config,
    credentials,
    lingualoop,
    write,
    read: (path: string) => readFile(join(folder, path), 'utf8'),
    /** All files of the folder. */
    files: async () =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort(),
    /** The documents of the workspace that are queued. */
    queued: async () => {
      const [row] = await openSuperuser(app.superuserUrl)`
        select count(*)::int as count from document_jobs where tenant_id = ${signup.tenantId} and status = 'queued'`;
      return row!['count'] as number;
    },
    /** The billed characters of the workspace. */
    billed: async () => {
      const [row] = await openSuperuser(app.superuserUrl)`
        select coalesce(sum(billable_chars), 0)::int as chars from usage_records where tenant_id = ${signup.tenantId}`;
      return row!['chars'] as number;
    },
  };
}
