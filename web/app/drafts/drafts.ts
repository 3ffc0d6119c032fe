import { createStore, del, entries, get, set } from 'idb-keyval';
import { useSyncExternalStore } from 'react';
import { sessionState } from '../session/keeper.ts';

/*
 * What a person typed and did not send yet, in IndexedDB: it is found again after a crash, a reload, or the end of a session. The
 * only texts of a tenant that this application stores. Nothing here is ever sent by itself.
 */

/** What a draft is of: a job, or a segment of a document (`<document>/<position>/<who has it open>`). */
export interface DraftItem {
  kind: 'job' | 'segment';
  id: string;
}

export interface Draft {
  text: string;
  /** The text that the person began with; null: there was none. */
  base: string | null;
  /** The version of the job that `base` is of, its `updated_at`. A segment has none: what is sent names `base` itself. */
  version?: string | undefined;
  /** Of `text`. */
  language: string;
  /** The first `sourceExcerpt` characters of the source text. */
  source: string;
  /** Milliseconds since 1970. */
  changedAt: number;
  /** The text that was found when this one was begun, and that the person has not decided on; it may have a former one itself. */
  former?: Draft | undefined;
}

/** A draft and its item. */
export type StoredDraft = Draft & { item: DraftItem };

const store = createStore('lingualoop-drafts', 'drafts');

/** Characters of the source that a draft keeps, so that a list of drafts tells what each is of. */
export const sourceExcerpt = 120;

/** Milliseconds from a keystroke to its writing. */
const writeAfter = 150;

/** Texts that are not written yet, by key. Null: to be removed. */
const unwritten = new Map<string, Draft | null>();
/** The writing of each key that is under way. Only one at a time, so that an older text never comes after a newer one. */
const writing = new Map<string, Promise<boolean>>();
let timer: ReturnType<typeof setTimeout> | undefined;
/** Whether the last writing succeeded: a full disk, or a browser that is told to keep nothing, refuses it. */
let isKeeping = true;
const listeners = new Set<() => void>();

/** Keeps what was typed: stored within 300 ms, however fast the typing goes on. */
export function keepDraft(item: DraftItem, draft: Draft): void {
  unwritten.set(keyOf(item), draft);
  timer ??= setTimeout(writeDrafts, writeAfter);
}

/**
 * Forgets the texts of an item: they were sent, or the person gave them up.
 * @param until milliseconds since 1970: what was typed later stays, here or in another tab
 */
export async function dropDraft(item: DraftItem, until?: number): Promise<void> {
  const key = keyOf(item);
  if (until !== undefined) {
    const stored = await readDraft(item).catch(() => undefined);
    // What was typed while it was read is newer.
    const draft = unwritten.get(key) ?? stored;
    if (!draft || draft.changedAt > until) return;
  }
  unwritten.set(key, null);
  await write(key);
}

/** The texts that a draft stands for, newest first. */
export function textsOf(draft: Draft): Draft[] {
  return [draft, ...(draft.former ? textsOf(draft.former) : [])];
}

/** The draft that stands for these texts, newest first; undefined for none. */
export function draftOf(texts: readonly Draft[]): Draft | undefined {
  return texts.reduceRight<Draft | undefined>((former, text) => ({ ...text, former }), undefined);
}

/** The draft that the signed-in person left of an item. */
export async function readDraft(item: DraftItem): Promise<Draft | undefined> {
  const key = keyOf(item);
  if (unwritten.has(key)) return unwritten.get(key) ?? undefined;
  await writing.get(key);
  return get<Draft>(key, store);
}

/** All drafts of the signed-in person, newest first. */
export async function listDrafts(): Promise<StoredDraft[]> {
  await writeDrafts();
  const prefix = personPrefix();
  const all = await entries<string, Draft>(store);
  return all
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, draft]) => ({ ...draft, item: itemOf(key.slice(prefix.length)) }))
    .sort((one, other) => other.changedAt - one.changedAt);
}

/** Whether this device keeps drafts. A failure to do so ends nothing else: what is sent is sent. */
export function useKeeping(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => isKeeping,
  );
}

function setKeeping(keeps: boolean): void {
  isKeeping = keeps;
  for (const listener of listeners) listener();
}

/** Writes what is not written yet. */
export async function writeDrafts(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  await Promise.all([...unwritten.keys()].map(write));
}

async function write(key: string): Promise<void> {
  const before = writing.get(key);
  if (before) return before.then(() => (unwritten.has(key) ? write(key) : undefined));
  const draft = unwritten.get(key);
  if (draft === undefined) return;
  const done = (draft ? set(key, draft, store) : del(key, store))
    .then(
      () => {
        setKeeping(true);
        // What was typed meanwhile is newer, and is written next.
        if (unwritten.get(key) === draft) unwritten.delete(key);
        return true;
      },
      () => {
        // It is tried again with the next text, and is known until the page ends.
        setKeeping(false);
        return false;
      },
    )
    .finally(() => writing.delete(key));
  writing.set(key, done);
  return done.then((isWritten) => (isWritten && unwritten.has(key) ? write(key) : undefined));
}

/** Workspace, person, item. Ids have no colon. */
function keyOf({ kind, id }: DraftItem): string {
  return `${personPrefix()}${kind}:${id}`;
}

function itemOf(rest: string): DraftItem {
  const [kind, ...id] = rest.split(':');
  return { kind: kind as DraftItem['kind'], id: id.join(':') };
}

/** Whose drafts they are: of the person who signed in last, since typing may go on for a moment after a sign-out in another tab. */
let person: string | undefined;

function personPrefix(): string {
  const state = sessionState();
  if (state.kind === 'signed_in' || state.kind === 'expired')
    person = `${state.tokens.user.tenant_id}:${state.tokens.user.user_id}:`;
  if (!person) throw new Error('nobody has signed in');
  return person;
}

// A page that is hidden may be ended without another event.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void writeDrafts();
});
