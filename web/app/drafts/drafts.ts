import { createStore, del, delMany, entries, get, keys, set } from 'idb-keyval';
import { useSyncExternalStore } from 'react';
import type { Confirmation } from '../editor/segment-saves.ts';
import { onSessionChange, sessionState } from '../session/keeper.ts';

/*
 * Unsent changes in IndexedDB. They can be restored after a crash, a reload, or the end of a session, and are deleted at
 * sign-out. The next visit sends confirmations, because the reviewer has decided. It never sends another draft
 * automatically.
 */

/** The subject of a draft: a job, or a segment of a document (`<document>/<position>/<tab>`). */
export interface DraftItem {
  kind: 'job' | 'segment';
  id: string;
}

export interface Draft {
  text: string;
  /** The text before the change; null if the item had no translation. */
  base: string | null;
  /**
   * The `updated_at` of the job when `base` was read. Undefined for a segment, which has no version: its correction is
   * checked by `base`.
   */
  version?: string | undefined;
  /** The language of `text`. */
  language: string;
  /** The first `sourceExcerpt` characters of the source text. */
  source: string;
  /** Milliseconds since 1970. */
  changedAt: number;
  /** Set if the reviewer confirmed the item with this text. */
  confirmed?: Confirmation | undefined;
  /**
   * An earlier draft of the same item that the member has neither restored nor discarded. It can contain an even
   * earlier one.
   */
  former?: Draft | undefined;
}

/** A draft and its item. */
export type StoredDraft = Draft & { item: DraftItem };

/** The member's unsent work, by `personPrefix()` and item. All of it is deleted at sign-out. */
export const store = createStore('lingualoop-drafts', 'drafts');

/** Characters of the source in a draft, so that a list of drafts can identify each. */
export const sourceExcerpt = 120;

/** Milliseconds until a draft expires. */
const lifetime = 14 * 86_400_000;

/** Milliseconds from a keystroke to the write. */
const writeAfter = 150;

/** Drafts that are not written to IndexedDB yet, by key. Null deletes the stored draft. */
const unwritten = new Map<string, Draft | null>();
/**
 * The running write of each key. Each key has only one write at a time, so that an older text never overwrites a later
 * one.
 */
const writing = new Map<string, Promise<boolean>>();
let timer: ReturnType<typeof setTimeout> | undefined;
/** Whether the last write succeeded. It fails if the disk is full or the browser blocks storage. */
let keeping = true;
const listeners = new Set<() => void>();

/** Stores a text within 300 ms, even while typing continues. */
export function keepDraft(item: DraftItem, draft: Draft): void {
  unwritten.set(keyOf(item), draft);
  timer ??= setTimeout(writeDrafts, writeAfter);
}

/**
 * Deletes the drafts of an item after they were sent or discarded.
 * @param until milliseconds since 1970: a draft that was changed later is kept, even if another tab changed it
 */
export async function dropDraft(item: DraftItem, until?: number): Promise<void> {
  const key = keyOf(item);
  if (until !== undefined) {
    const stored = await readDraft(item).catch(() => undefined);
    // Text that was typed during the read is more recent than the stored draft.
    const draft = unwritten.get(key) ?? stored;
    if (!draft || draft.changedAt > until) return;
  }
  unwritten.set(key, null);
  await write(key);
}

/** The draft and its former drafts, the latest first. */
export function textsOf(draft: Draft): Draft[] {
  return [draft, ...(draft.former ? textsOf(draft.former) : [])];
}

/** Combines drafts, the latest first, into one draft with former drafts; undefined if the list is empty. */
export function draftOf(texts: readonly Draft[]): Draft | undefined {
  return texts.reduceRight<Draft | undefined>((former, text) => ({ ...text, former }), undefined);
}

/** The member's draft of an item. */
export async function readDraft(item: DraftItem): Promise<Draft | undefined> {
  const key = keyOf(item);
  if (unwritten.has(key)) return unwritten.get(key) ?? undefined;
  await writing.get(key);
  const stored = await get<Draft>(key, store);
  return stored && isDraft(stored) ? stored : undefined;
}

/** All drafts of the member, the latest first. */
export async function listDrafts(): Promise<StoredDraft[]> {
  await writeDrafts();
  const prefix = personPrefix();
  return (await entries<string, Draft>(store))
    .filter(([key, stored]) => key.startsWith(prefix) && isDraft(stored))
    .map(([key, draft]) => ({ ...draft, item: itemOf(key.slice(prefix.length)) }))
    .sort((one, other) => other.changedAt - one.changedAt);
}

/** Deletes all unsent work of the member, in this tab and on the device. */
export async function deleteDrafts(): Promise<void> {
  unwritten.clear();
  await Promise.all(writing.values());
  const prefix = personPrefix();
  await delMany(
    (await keys<string>(store)).filter((key) => key.startsWith(prefix)),
    store,
  );
}

/** Whether a record is a draft that has not expired. Encrypted records of version 1.0 have no text. */
function isDraft(stored: Draft): boolean {
  return 'text' in stored && !isExpired(stored);
}

function isExpired({ changedAt }: Draft): boolean {
  return !(changedAt >= Date.now() - lifetime);
}

/** Deletes expired drafts of all members, and records that no version reads. */
async function deleteExpired(): Promise<void> {
  const expired = (await entries<string, Draft>(store)).filter(
    ([, stored]) => isExpired(stored) || 'sealed' in stored,
  );
  await delMany(
    expired.map(([key]) => key),
    store,
  );
}

/** Whether this browser can save drafts. If not, everything else still works. */
export function useKeeping(): boolean {
  return useSyncExternalStore(subscribe, isKeeping);
}

/** Whether the last write of a draft succeeded. */
export function isKeeping(): boolean {
  return keeping;
}

/** Whether a draft is not written yet: it would be lost if the page ended now. */
export function hasUnwritten(): boolean {
  return [...unwritten.values()].some((draft) => draft !== null);
}

function setKeeping(keeps: boolean): void {
  keeping = keeps;
  tellListeners();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function tellListeners(): void {
  for (const listener of listeners) listener();
}

/** Writes all drafts that are not written yet. */
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
        // Text that was typed during this write is written next.
        if (unwritten.get(key) === draft) unwritten.delete(key);
        return true;
      },
      () => {
        // The next change triggers another attempt. Until then, the text exists only in the memory of this page.
        setKeeping(false);
        return false;
      },
    )
    .finally(() => writing.delete(key));
  writing.set(key, done);
  return done.then((isWritten) => (isWritten && unwritten.has(key) ? write(key) : undefined));
}

/** Workspace, member, item. IDs have no colon. */
function keyOf({ kind, id }: DraftItem): string {
  return `${personPrefix()}${kind}:${id}`;
}

function itemOf(rest: string): DraftItem {
  const [kind, ...id] = rest.split(':');
  return { kind: kind as DraftItem['kind'], id: id.join(':') };
}

/**
 * The owner of the drafts: the member who signed in last. It is kept after a sign-out in another tab, because typing in
 * this tab may continue for a moment.
 */
let person: string | undefined;

/** `tenant:user:` of the member who is signed in, or whose session has expired or ended in another tab. */
export function personPrefix(): string {
  const state = sessionState();
  if (state.kind === 'signed_in' || state.kind === 'expired')
    person = `${state.tokens.user.tenant_id}:${state.tokens.user.user_id}`;
  if (!person) throw new Error('no member has signed in');
  return `${person}:`;
}

void deleteExpired().catch(() => undefined);
onSessionChange(() => {
  const { kind } = sessionState();
  if (kind === 'signed_in') personPrefix();
  else if (kind === 'signed_out' && person) void deleteDrafts().catch(() => undefined);
});

// The browser may end a hidden page without another event.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void writeDrafts();
});
