import { createStore, del, delMany, entries, get, keys, set, update } from 'idb-keyval';
import { useSyncExternalStore } from 'react';
import type { Confirmation } from '../editor/segment-saves.ts';
import { onSessionChange, sessionState } from '../session/keeper.ts';
import { currentPerson, forgetKeys, hasKeys, open, type Sealed, seal } from './sealing.ts';

/*
 * Unsent changes, encrypted in IndexedDB. They can be restored after a crash, a reload, or the end of a session. The
 * application stores no other texts of a tenant on the device. The next visit sends confirmations, because the reviewer
 * has decided. It never sends another draft automatically.
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

/** A stored draft. Earlier versions of the application stored it unencrypted. */
type Stored = Sealed | Draft;

const store = createStore('lingualoop-drafts', 'drafts');

/** Characters of the source in a draft, so that a list of drafts can identify each. */
export const sourceExcerpt = 120;

/** Days until a draft expires. */
export const draftDays = 14;

const lifetime = draftDays * 86_400_000;

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
/** Keys of the member's records that cannot be decrypted. */
const unreadable = new Set<string>();
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
  const stored = await get<Stored>(key, store);
  return stored && openDraft(key, stored);
}

/** All drafts of the member, the latest first. */
export async function listDrafts(): Promise<StoredDraft[]> {
  await writeDrafts();
  const prefix = personPrefix();
  const own = (await entries<string, Stored>(store)).filter(([key]) => key.startsWith(prefix));
  const opened = await Promise.all(
    own.map(async ([key, stored]) => {
      const draft = await openDraft(key, stored);
      return draft ? [{ ...draft, item: itemOf(key.slice(prefix.length)) }] : [];
    }),
  );
  return opened.flat().sort((one, other) => other.changedAt - one.changedAt);
}

/** Deletes all drafts of the member. */
export async function deleteDrafts(): Promise<void> {
  await writeDrafts();
  const prefix = personPrefix();
  await delMany(
    (await keys<string>(store)).filter((key) => key.startsWith(prefix)),
    store,
  );
}

/** The number of the member's drafts that cannot be decrypted, because the service's key has changed. */
export function useUnreadable(): number {
  return useSyncExternalStore(subscribe, () => unreadable.size);
}

/** @returns undefined if the draft has expired or cannot be decrypted */
async function openDraft(key: string, stored: Stored): Promise<Draft | undefined> {
  if (isExpired(stored)) return undefined;
  if (!isSealed(stored)) {
    await replace(key, stored, stored);
    return stored;
  }
  const opened = await open(personOf(key), key, stored);
  const wasReadable = !unreadable.delete(key);
  if (!opened) unreadable.add(key);
  if (wasReadable !== (opened !== undefined)) tellListeners();
  const draft = opened?.value as Draft | undefined;
  if (draft && opened?.isOld) await replace(key, stored, draft);
  return draft;
}

/**
 * Encrypts a stored draft with the current key. If another tab has changed the record since it was read, that record is
 * kept.
 */
async function replace(key: string, before: Stored, draft: Draft): Promise<void> {
  const next = await seal(personOf(key), key, draft, draft.changedAt);
  await update<Stored>(
    key,
    (now) =>
      (now && now.changedAt === before.changedAt && isSealed(now) === isSealed(before)
        ? next
        : now) as Stored,
    store,
  );
}

function isSealed(stored: Stored): stored is Sealed {
  return 'sealed' in stored;
}

function isExpired({ changedAt }: Stored): boolean {
  return changedAt < Date.now() - lifetime;
}

/** Deletes expired drafts of all members. */
async function deleteExpired(): Promise<void> {
  const expired = (await entries<string, Stored>(store)).filter(([, stored]) => isExpired(stored));
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
  if (draft && !hasKeys(personOf(key))) setKeeping(false);
  const done = (draft ? setSealed(key, draft) : del(key, store))
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

async function setSealed(key: string, draft: Draft): Promise<void> {
  await set(key, await seal(personOf(key), key, draft, draft.changedAt), store);
}

function personOf(key: string): string {
  return key.split(':', 2).join(':');
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

function personPrefix(): string {
  person = currentPerson() ?? person;
  if (!person) throw new Error('no member has signed in');
  return `${person}:`;
}

/**
 * The member whose drafts this page has already read once. Reading encrypts drafts that are unencrypted or have an
 * earlier key, and counts drafts that cannot be decrypted.
 */
let tidied: string | undefined;

function tidy(): void {
  const present = currentPerson();
  if (sessionState().kind === 'signed_out') {
    tidied = undefined;
    unreadable.clear();
    // Pending text must be written before the keys are forgotten.
    void writeDrafts().finally(() => currentPerson() === undefined && forgetKeys());
  } else if (present && present !== tidied) {
    tidied = present;
    void listDrafts().catch(() => undefined);
  }
}

void deleteExpired().catch(() => undefined);
onSessionChange(tidy);
tidy();

// The browser may end a hidden page without another event.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void writeDrafts();
});
