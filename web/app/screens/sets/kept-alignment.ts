import { del, get, set } from 'idb-keyval';
import { personPrefix, store } from '../../drafts/drafts.ts';
import type { Alignment, Languages } from './alignment.ts';

/** The memory that gets the pairs: an existing one, or a new one with this name. */
export type IntoMemory = { id: string; name: string } | { id?: undefined; name: string };

/** An alignment that a member checks. */
export interface AlignmentWork {
  into: IntoMemory;
  languages: Languages;
  /** The names of the files. */
  files: Languages;
  links: Alignment['links'];
  /** The confidence from which links are accepted, from 0 to 1. */
  least: number;
}

/** Milliseconds for which the work is kept. */
const lifetime = 3_600_000;

/** Maximum UTF-16 units of work that is kept; more would take seconds to write at each change. */
const maxSize = 30_000_000;

/** The last write. Each one starts after the one before it, so that a deletion is never overtaken. */
let writing: Promise<unknown> = Promise.resolve();

/**
 * Keeps the member's work, as drafts are, so that a reload does not lose it.
 * @returns whether the browser has stored it
 */
export function keepAlignment(work: AlignmentWork): Promise<boolean> {
  const kept = writing.then(() => write(work)).catch(() => false);
  writing = kept;
  return kept;
}

async function write(work: AlignmentWork): Promise<boolean> {
  const lengthOf = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0);
  const size = work.links.reduce((sum, one) => sum + lengthOf(one.sources) + lengthOf(one.targets), 0);
  if (size > maxSize) return false;
  await set(keyOf(), { work, changedAt: Date.now() }, store);
  return true;
}

const keyOf = () => `${personPrefix()}alignment`;

/** The member's work of the last hour. */
export async function readAlignment(): Promise<AlignmentWork | undefined> {
  try {
    const kept = await get<{ work: AlignmentWork; changedAt: number }>(keyOf(), store);
    if (kept && Date.now() - kept.changedAt < lifetime) return kept.work;
    if (kept) await del(keyOf(), store);
  } catch {
    // The browser blocks storage, or no member is signed in.
  }
  return undefined;
}

/** Deletes the member's work. */
export async function dropAlignment(): Promise<void> {
  await writing;
  await del(keyOf(), store).catch(() => {});
}
