import {
  type DraftItem,
  dropDraft,
  keepDraft,
  listDrafts,
  type StoredDraft,
  sourceExcerpt,
} from '../drafts/drafts.ts';
import type { Segment } from './segment-filter.ts';
import { confirmationOf, type Edit, isSame } from './segment-saves.ts';
import { textsOf } from './tagged-text.ts';
import { editsClosed } from './use-leaving.ts';
import { readSegments } from './use-segments.ts';

/*
 * Edits are drafts on this device until the service has them. Each tab stores its own drafts. Two tabs with the same
 * document therefore never overwrite each other's drafts, and the drafts of an open tab are not offered in another tab.
 */

/** Identifies this page, until the page is closed, crashes, or is reloaded. */
const ownPage = crypto.randomUUID();
const lockOf = (page: string) => `lingualoop-corrections-${page}`;
// The page holds this lock until it ends; the browser then releases the lock in any case.
void navigator.locks.request(lockOf(ownPage), () => new Promise(() => {}));

/**
 * The number of times that this page has opened a document. Drafts of an earlier opening are offered in the same way as
 * drafts of an earlier page.
 */
let openings = 0;

/** Returns an ID for the drafts that belong to one opening of a document. */
export function nextOpening(): string {
  openings += 1;
  return `${ownPage}/${openings}`;
}

/** An opening of a document, whose edits are kept separately from those of other tabs and of earlier visits. */
export interface Opening {
  documentId: string;
  /** From `nextOpening`. */
  opening: string;
  /** The language of the translation. */
  language: string;
}

/**
 * Stores edits on this device until the service has them, so that a crash loses nothing.
 * @param sourceOf returns the source of a segment; undefined if the segment is not loaded
 * @returns a function to call with each changed edit; undefined deletes the edit from the device
 */
export function keepEdits(
  { documentId, opening, language }: Opening,
  sourceOf: (position: number) => string | undefined,
): (position: number, edit: Edit | undefined) => void {
  const kept = new Map<
    number,
    Pick<Edit, 'text' | 'replaces' | 'confirmed' | 'reason'> & { source: string }
  >();
  return (position, edit) => {
    const item: DraftItem = { kind: 'segment', id: `${documentId}/${position}/${opening}` };
    const before = kept.get(position);
    if (!edit) {
      kept.delete(position);
      void dropDraft(item);
    } else if (!before || !isSame(before, edit) || before.replaces !== edit.replaces) {
      const source = before?.source ?? sourceOf(position)?.slice(0, sourceExcerpt) ?? '';
      const { text, replaces } = edit;
      kept.set(position, { ...edit, source });
      const confirmed = confirmationOf(edit);
      keepDraft(item, { text, base: replaces, language, source, changedAt: Date.now(), confirmed });
    }
  };
}

/** An edit of an earlier visit, with the present state of its segment. */
export interface FoundEdit {
  draft: StoredDraft;
  segment: Segment;
}

/**
 * Maximum number of edits that are offered at the same time. When the reviewer has decided about these, the next
 * ones are offered.
 */
const maxOffered = 50;

/**
 * Returns the member's edits of earlier visits to a document. Deletes edits that are already in the document. If there are
 * only edits of pages that have not ended yet, such as the same page before it was loaded again, it returns when one has ended.
 * @param areDecisions whether the edits are confirmations, in the order in which they were made; otherwise they are the other
 *   edits, the latest first
 * @param except the IDs of drafts that are left out
 * @param signal ends waiting, with the reason of the signal
 */
export async function findEdits(
  visit: Opening,
  {
    areDecisions,
    except,
    signal,
  }: { areDecisions: boolean; except?: ReadonlySet<string>; signal: AbortSignal },
): Promise<FoundEdit[]> {
  const { documentId, opening } = visit;
  // Edits of a closed document are not offered while they are still being sent.
  await editsClosed();
  const { decisions, others, openPages } = await draftsOf(documentId, opening);
  const left = (areDecisions ? decisions : others).filter(({ item }) => !except?.has(item.id));
  const found: FoundEdit[] = [];
  while (found.length === 0 && left.length > 0) {
    const drafts = left.splice(0, maxOffered);
    const segments = await readSegments(
      documentId,
      drafts.map(({ item }) => placeOf(item).position),
    );
    const present = new Map(segments.map((segment) => [segment.position, segment]));
    for (const draft of drafts) {
      const segment = present.get(placeOf(draft.item).position);
      const isStored = segment && textsOf(segment).target === draft.text;
      if (!segment || (isStored && (!areDecisions || segment.confirmed_at !== null)))
        await dropDraft(draft.item);
      else found.push({ draft, segment });
    }
  }
  if (found.length > 0 || openPages.size === 0) return found;
  await Promise.race(
    Array.from(openPages, (page) =>
      navigator.locks.request(lockOf(page), { mode: 'shared', signal }, () => {}),
    ),
  );
  return findEdits(visit, { areDecisions, ...(except && { except }), signal });
}

/** Deletes all edits of a deleted document. */
export async function forgetEdits(documentId: string): Promise<void> {
  const drafts = (await listDrafts()).filter(({ item }) => isOf(documentId, item));
  await Promise.all(drafts.map(({ item }) => dropDraft(item)));
}

/** The member's drafts of earlier openings of a document, and the other open pages that have drafts of it. */
async function draftsOf(documentId: string, opening: string) {
  const { held = [] } = await navigator.locks.query();
  const left: StoredDraft[] = [];
  const openPages = new Set<string>();
  for (const draft of await listDrafts()) {
    const place = placeOf(draft.item);
    if (!isOf(documentId, draft.item) || place.opening === opening) continue;
    if (place.page !== ownPage && held.some(({ name }) => name === lockOf(place.page)))
      openPages.add(place.page);
    else left.push(draft);
  }
  // Only the latest edit of a segment is a decision about it.
  const seen = new Set<number>();
  const { decisions = [], others = [] } = Object.groupBy(left, ({ item, confirmed }) => {
    const { position } = placeOf(item);
    const isLatest = !seen.has(position);
    seen.add(position);
    return confirmed && isLatest ? 'decisions' : 'others';
  });
  return { decisions: decisions.reverse(), others, openPages };
}

function isOf(documentId: string, { kind, id }: DraftItem): boolean {
  return kind === 'segment' && id.startsWith(`${documentId}/`);
}

function placeOf({ id }: DraftItem) {
  const [, position, page = '', count] = id.split('/');
  return { position: Number(position), page, opening: `${page}/${count}` };
}
