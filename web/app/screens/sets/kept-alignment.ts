import { createStore, del, get, set } from 'idb-keyval';
import { currentPerson, open, type Sealed, seal } from '../../drafts/sealing.ts';
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

const store = createStore('lingualoop-alignments', 'alignments');

/** Milliseconds for which the work is kept. */
const lifetime = 3_600_000;

/** Maximum UTF-16 units of work that is kept; more would take seconds to encrypt at each change. */
const maxSize = 30_000_000;

/** The last write. Each one starts after the one before it, so that a deletion is never overtaken. */
let writing: Promise<unknown> = Promise.resolve();

/**
 * Keeps the member's work, encrypted as drafts are, so that a reload does not lose it.
 * @returns whether the browser has stored it
 */
export function keepAlignment(work: AlignmentWork): Promise<boolean> {
  const kept = writing.then(() => write(work)).catch(() => false);
  writing = kept;
  return kept;
}

async function write(work: AlignmentWork): Promise<boolean> {
  const person = currentPerson();
  const lengthOf = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0);
  const size = work.links.reduce((sum, one) => sum + lengthOf(one.sources) + lengthOf(one.targets), 0);
  if (!person || size > maxSize) return false;
  await set(person, await seal(person, keyOf(person), work, Date.now()), store);
  return true;
}

const keyOf = (person: string) => `alignment:${person}`;

/** The member's work of the last hour. */
export async function readAlignment(): Promise<AlignmentWork | undefined> {
  const person = currentPerson();
  if (!person) return undefined;
  try {
    const sealed = await get<Sealed>(person, store);
    if (sealed && Date.now() - sealed.changedAt < lifetime)
      return (await open(person, keyOf(person), sealed))?.value as AlignmentWork | undefined;
    if (sealed) await del(person, store);
  } catch {
    // The browser blocks storage.
  }
  return undefined;
}

/** Deletes the member's work. */
export async function dropAlignment(): Promise<void> {
  await writing;
  const person = currentPerson();
  if (person) await del(person, store).catch(() => {});
}
