import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { describeForLog } from '#server/errors.ts';
import { listenForStop } from '#server/platform/stop-signals.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { readSettings, type Settings } from '#server/settings.ts';
import { identityPath } from '#server/storage/store-identity.ts';
import { Refusal, requireData } from './refusal.ts';

const usage = `npm run migrate-store -- --to <url> [--watch]

Copies platform storage to another store while the service runs. <url> has the form of PLATFORM_STORAGE_URL. Each object
is read back and compared. If the copy is interrupted, run it again: it continues.

  --watch   repeats the copy every 5 seconds, until it is stopped

docs/storage.md describes how a service is moved.

Exit codes: 0 if everything was copied, 2 if not.`;

/** Objects that are copied at the same time. */
const atOnce = 16;
/** Milliseconds between two copies. */
const pause = 5000;

const { stop } = listenForStop();

/** The state of a run. */
interface Copy {
  from: PlatformStore;
  to: PlatformStore;
  /** The paths that are in the new store. */
  present: Set<string>;
  /** The paths that the former copy found in the old store, with their versions if these cost no request. */
  known: Map<string, string | null>;
}

async function* pathsIn(store: PlatformStore): AsyncGenerator<string, void> {
  for (const top of await store.listFolders()) yield* store.walk(top);
}

/** The path of an object in the new store that has the ID of the old one, from before the first copy until after the last. */
const markerPath = 'golden/copy-of';

/** @throws Refusal if the new store has objects, but neither the ID of the old one nor a marker with this ID */
async function openCopy(from: PlatformStore, to: PlatformStore): Promise<Copy> {
  await to.check();
  const read = async (store: PlatformStore, path: string) => {
    const content = await store.read(path, 0, 100);
    return content && Buffer.from(content).toString();
  };
  const id = await read(from, identityPath);
  if (!id) throw new Refusal('the storage of the service has no ID; start the service once, and try again');
  const other = await read(to, identityPath);
  const begun = await read(to, markerPath);
  if ((other ?? begun ?? id) !== id) throw new Refusal('--to: the store belongs to another database');
  const present = new Set<string>();
  for await (const path of pathsIn(to)) {
    // Objects that the old store does not have would be removed.
    if (!other && begun === null)
      throw new Refusal(`--to: the store already has objects, such as ${path}; name an empty folder`);
    if (path !== markerPath) present.add(path);
  }
  if (!other) await to.put(markerPath, id);
  else if (begun !== null) await to.remove(markerPath);
  // A copy that was interrupted before its end: what the service has removed since must go, and a cut write is empty.
  const known = new Map<string, string | null>();
  if (!other)
    for (const path of present) {
      known.set(path, null);
      if ((await to.read(path, 0, 1))?.length === 0) present.delete(path);
    }
  return { from, to, present, known };
}

/**
 * Copies the objects that are missing, and removes those that the service has removed since the former copy. The ID is
 * copied last, so that no process can use the new store before it has the others.
 */
async function copyAll({ from, to, present, known }: Copy): Promise<{ copied: number; removed: number }> {
  const found = new Map<string, string | null>();
  let copied = 0;
  const copy = async (path: string) => {
    const version = from.isLocal ? await from.version(path) : null;
    const before = known.get(path) ?? version;
    found.set(path, version);
    if ((present.has(path) && before === version) || !(await copyObject(from, to, path))) return;
    present.add(path);
    copied += 1;
    if (copied % 10_000 === 0) print(`${copied} objects copied`);
  };
  const paths = pathsIn(from);
  const worker = async () => {
    for (let next = await paths.next(); !next.done; next = await paths.next()) {
      stop.throwIfAborted();
      if (next.value === identityPath) found.set(identityPath, null);
      else await copy(next.value);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (!found.has(identityPath)) throw new Refusal('the storage of the service is gone; nothing was removed');
  let removed = 0;
  for (const path of known.keys())
    if (!found.has(path)) {
      known.delete(path);
      present.delete(path);
      if (await to.remove(path)) removed += 1;
    }
  for (const [path, version] of found) known.set(path, version);
  if (!present.has(identityPath) && (await copyObject(from, to, identityPath))) {
    present.add(identityPath);
    await to.remove(markerPath);
  }
  return { copied, removed };
}

/** @returns false if the object has been removed in the meantime */
async function copyObject(from: PlatformStore, to: PlatformStore, path: string): Promise<boolean> {
  const content = await readWhole(from, path);
  if (!content) return false;
  await to.put(path, content);
  const written = await readWhole(to, path);
  if (written && digest(written) === digest(content)) return true;
  throw new Error(`${path}: the object in the new store differs from the copied one`);
}

async function readWhole(store: PlatformStore, path: string): Promise<Buffer | null> {
  const stream = await store.stream(path);
  if (!stream) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const print = (line: string) => void process.stdout.write(`${line}\n`);

function describe(error: unknown): string {
  const isOurs = error instanceof Refusal || (error as { name?: string })?.name === 'SettingsError';
  const { name, code, message } = describeForLog(error);
  const text = isOurs ? (error as Error).message : [name, code, message].filter(Boolean).join(' ');
  return text.split('\n')[0] ?? '';
}

/** The place of a store without its options, with a slash at its end. */
function placeOf({
  PLATFORM_STORAGE_URL,
  DATA_DIR,
}: Pick<Settings, 'PLATFORM_STORAGE_URL' | 'DATA_DIR'>): string {
  const { protocol, host, pathname, searchParams } = new URL(
    PLATFORM_STORAGE_URL ?? pathToFileURL(join(DATA_DIR, 'storage')),
  );
  return `${searchParams.get('endpoint') ?? ''} ${protocol}//${host}${pathname.replace(/\/*$/, '/')}`;
}

async function run(url: string, watch: boolean): Promise<void> {
  const settings = readSettings();
  await requireData(settings);
  const { PLATFORM_STORAGE_URL } = readSettings({ PLATFORM_STORAGE_URL: url });
  const ours = placeOf(settings);
  const theirs = placeOf({ ...settings, PLATFORM_STORAGE_URL });
  if (ours === theirs) throw new Refusal('--to: the service uses this store already');
  if (ours.startsWith(theirs) || theirs.startsWith(ours))
    throw new Refusal('--to: one of the two stores is in a folder of the other one');
  const copy = await openCopy(
    openPlatformStore(settings),
    openPlatformStore({ ...settings, PLATFORM_STORAGE_URL }),
  );
  for (;;) {
    const began = new Date().toISOString();
    try {
      const { copied, removed } = await copyAll(copy);
      print(`complete since ${began}: ${copy.known.size} objects, ${copied} copied, ${removed} removed`);
    } catch (error) {
      if (!watch || stop.aborted) throw error;
      process.stderr.write(`lingualoop: ${describe(error)}; trying again\n`);
    }
    if (!watch) return;
    await sleep(pause, undefined, { signal: stop });
  }
}

try {
  const { values } = parseArgs({
    options: {
      to: { type: 'string' },
      watch: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) print(usage);
  else if (values.to === undefined) throw new Refusal('--to is missing: the URL of the new store');
  else await run(values.to, values.watch);
} catch (error) {
  if (!stop.aborted) process.stderr.write(`lingualoop: could not copy: ${describe(error)}\n`);
  process.exitCode = stop.aborted ? 0 : 2;
}
