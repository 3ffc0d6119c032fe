import { createStore, del, delMany, entries, get, keys, set, update } from 'idb-keyval';
import { useSyncExternalStore } from 'react';
import { onSessionChange, sessionState } from '../session/keeper.ts';
import { currentPerson, forgetKeys, hasKeys, open, type Sealed, seal } from './sealing.ts';

/*
 * What a person typed and did not send yet, in IndexedDB, sealed: it is found again after a crash, a reload, or the end of a session. The
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

/** How a draft is stored. Earlier versions of the application stored it as it is. */
type Stored = Sealed | Draft;

const store = createStore('lingualoop-drafts', 'drafts');

/** Characters of the source that a draft keeps, so that a list of drafts tells what each is of. */
export const sourceExcerpt = 120;

/** Milliseconds after which a draft is forgotten: 14 days. */
const lifetime = 14 * 86_400_000;

/** Milliseconds from a keystroke to its writing. */
const writeAfter = 150;

/** Texts that are not written yet, by key. Null: to be removed. */
const unwritten = new Map<string, Draft | null>();
/** The writing of each key that is under way. Only one at a time, so that an older text never comes after a newer one. */
const writing = new Map<string, Promise<boolean>>();
let timer: ReturnType<typeof setTimeout> | undefined;
/** Whether the last writing succeeded: a full disk, or a browser that is told to keep nothing, refuses it. */
let isKeeping = true;
/** Records of the person that no key opens. */
const unreadable = new Set<string>();
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
  const stored = await get<Stored>(key, store);
  return stored && openDraft(key, stored);
}

/** All drafts of the signed-in person, newest first. */
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

/** Deletes all drafts of the signed-in person. */
export async function deleteDrafts(): Promise<void> {
  await writeDrafts();
  const prefix = personPrefix();
  await delMany(
    (await keys<string>(store)).filter((key) => key.startsWith(prefix)),
    store,
  );
}

/** How many drafts of the signed-in person cannot be opened: the service has another key than when they were sealed. */
export function useUnreadable(): number {
  return useSyncExternalStore(subscribe, () => unreadable.size);
}

/** @returns undefined if it has expired or cannot be opened */
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

/** Seals a record with the present key, unless another tab has changed it. */
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

/** Deletes what has expired, of whomever it is. */
async function deleteExpired(): Promise<void> {
  const expired = (await entries<string, Stored>(store)).filter(([, stored]) => isExpired(stored));
  await delMany(
    expired.map(([key]) => key),
    store,
  );
}

/** Whether this device keeps drafts. A failure to do so ends nothing else: what is sent is sent. */
export function useKeeping(): boolean {
  return useSyncExternalStore(subscribe, () => isKeeping);
}

function setKeeping(keeps: boolean): void {
  isKeeping = keeps;
  tellListeners();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function tellListeners(): void {
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
  if (draft && !hasKeys(personOf(key))) setKeeping(false);
  const done = (draft ? setSealed(key, draft) : del(key, store))
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

async function setSealed(key: string, draft: Draft): Promise<void> {
  await set(key, await seal(personOf(key), key, draft, draft.changedAt), store);
}

function personOf(key: string): string {
  return key.split(':', 2).join(':');
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
  person = currentPerson() ?? person;
  if (!person) throw new Error('nobody has signed in');
  return `${person}:`;
}

/** Looks once at what this person left: what is not sealed, or by an earlier key, is sealed, and what cannot be opened is counted. */
let tidied: string | undefined;

function tidy(): void {
  const present = currentPerson();
  if (sessionState().kind === 'signed_out') {
    tidied = undefined;
    unreadable.clear();
    // What was typed last is written before its key is gone.
    void writeDrafts().finally(() => currentPerson() === undefined && forgetKeys());
  } else if (present && present !== tidied) {
    tidied = present;
    void listDrafts().catch(() => undefined);
  }
}

void deleteExpired().catch(() => undefined);
onSessionChange(tidy);
tidy();

// A page that is hidden may be ended without another event.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void writeDrafts();
});
